"""Whose requests the servers answer: what a browser sends for a page of somebody else's is refused."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from harness.endpoint import CaseEndpoint, Endpoints
from harness.endpoint.entrance import Entrance, NotLetIn
from harness.endpoint.front_door import FrontDoor, new_key
from harness.endpoint.http_messages import HttpRequest
from harness.endpoint.limits import Limits
from harness.endpoint.loopback import listening
from harness.endpoint.server import serving
from tests.endpoint.endpoint import DONE, PATH, desk, question

LOCAL = ["127.0.0.1:8000", "localhost:8000", "LOCALHOST", "[::1]:8000", "127.0.0.1", "a.localhost:1", "localhost."]
FOREIGN = [
    "evil.example",
    "evil.example:8000",
    "127.0.0.1.evil.example",
    "localhost.evil.example:80",
    "127.0.0.1@evil.example",
    "evil.example/127.0.0.1",
    "192.0.2.1",
    "[::ffff:192.0.2.1]",
    "[::1",
    "localhost:8000:9",
    "localhost:x",
    "localhost, evil.example",
    " ",
    "",
]


@pytest.mark.parametrize("host", LOCAL)
def test_this_machine_may_be_asked_by_its_names(host: str) -> None:
    assert FrontDoor().refusal([host], []) is None
    assert FrontDoor().refusal([host], [f"http://{host}"]) is None
    assert FrontDoor().refusal([host], [f"http://{host}"], "cross-site") is None  # from localhost to 127.0.0.1


@pytest.mark.parametrize("host", FOREIGN)
def test_a_foreign_host_is_refused(host: str) -> None:
    refusal = FrontDoor().refusal([host], [])
    assert refusal is not None
    assert refusal.startswith("expected the host 127.0.0.1 or localhost, got ")


@pytest.mark.parametrize(
    "origin", ["null", "", "https://evil.example", "http://127.0.0.1.evil.example", "http://[", "x"]
)
def test_a_page_of_somebody_else_is_refused(origin: str) -> None:
    refusal = FrontDoor().refusal(["localhost"], [origin])
    assert refusal is not None
    assert refusal.startswith("expected a request of a page of this machine, or of no page, got ")
    assert FrontDoor().refusal(["localhost"], ["http://localhost", origin]) is not None


@pytest.mark.parametrize(("site", "refused"), [("cross-site", True), ("none", False), ("same-origin", False)])
def test_a_request_without_an_origin_says_whether_a_page_has_made_it(site: str, refused: bool) -> None:
    assert (FrontDoor().refusal(["localhost"], [], site) is not None) == refused


def test_where_the_endpoint_answers_for_a_provider_its_host_is_the_one() -> None:
    door = FrontDoor(host="api.openai.com")
    assert door.refusal(["api.openai.com:443"], []) is None
    assert door.refusal(["API.openai.com."], ["vscode-webview://a"]) is None  # an editor that tunnels
    assert door.refusal(["127.0.0.1"], []) == "expected the host api.openai.com, got 127.0.0.1"


def test_a_refusal_quotes_no_novel() -> None:
    refusal = FrontDoor().refusal(["x" * 60_000], [])
    assert refusal is not None
    assert len(refusal) < 200


# --- the key ----------------------------------------------------------------------------------------------------------


def asking(target: str, host: str = "localhost", method: str = "GET") -> HttpRequest:
    return HttpRequest(method, target, {"host": host}, b"")


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("/KEY/case/a/v1?x=1", "/case/a/v1?x=1"),
        ("/KEY", "/"),
        ("/KEY/", "/"),
        ("http://127.0.0.1:1/KEY/case/a", "/case/a"),
        ("http://api.example/case/a", "http://api.example/case/a"),  # for the gateway to refuse
        ("http://[", "http://["),
        ("*", "*"),
    ],
)
def test_the_key_is_taken_off(target: str, path: str) -> None:
    assert Entrance(key="KEY").target(asking(target)) == path


@pytest.mark.parametrize(
    "target", ["/case/a", "/", "//KEY/case/a", "/KEYS/case/a", "/key/case/a", "http://[::1]/case/a"]
)
def test_without_the_key_nothing_is_answered(target: str) -> None:
    with pytest.raises(NotLetIn, match="the base URL has a key in its path"):
        Entrance(key="KEY").target(asking(target))


def test_an_absolute_target_says_the_host() -> None:
    with pytest.raises(NotLetIn, match="expected a request of a page of this machine"):
        Entrance().target(HttpRequest("GET", "http://127.0.0.1/", {"host": "x", "origin": "http://evil.example"}, b""))
    assert Entrance().target(asking("http://127.0.0.1/a", host="evil.example")) == "/a"


def test_keys_are_long_and_never_the_same() -> None:
    keys = {new_key() for _ in range(1000)}
    assert len(keys) == 1000
    assert {len(key) for key in keys} == {24}


# --- over a socket ----------------------------------------------------------------------------------------------------


@dataclass
class Door:
    """A server with one case, and its answers to raw requests."""

    base: str
    endpoints: Endpoints
    case: CaseEndpoint
    writers: list[asyncio.StreamWriter] = field(default_factory=list)

    @property
    def port(self) -> int:
        return int(self.base.split(":")[2].partition("/")[0])

    async def connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.writers.append(writer)
        return reader, writer

    async def asked(self, *lines: str, body: bytes = b"") -> tuple[int, str]:
        """Status and message of the answer to a request with this head, after which the connection ends."""
        reader, writer = await self.connected()
        head = [*lines, f"content-length: {len(body)}", "connection: close", "", ""]
        writer.write("\r\n".join(head).encode() + body)
        status, text = answered(await asyncio.wait_for(reader.read(), 30))
        return status, text


def answered(data: bytes) -> tuple[int, str]:
    head, _, body = data.partition(b"\r\n\r\n")
    found = body[body.find(b"{") : body.rfind(b"}") + 1]
    return int(head.split()[1]), json.loads(found)["error"]["message"] if b'"error"' in found else found.decode()


@asynccontextmanager
async def door(limits: Limits | None = None, *, keyed: bool = False) -> AsyncIterator[Door]:
    endpoints, case = Endpoints(), desk([DONE] * 5)
    endpoints.open("a-case", case)
    async with serving(endpoints, keyed=keyed, limits=limits) as base:
        opened = Door(base, endpoints, case)
        yield opened
        for writer in opened.writers:
            writer.close()


POST = f"POST /case/a-case{PATH} HTTP/1.1"


@pytest.mark.anyio
@pytest.mark.parametrize(
    "headers",
    [
        ["host: evil.example.com"],
        ["host: 127.0.0.1", "origin: https://evil.example.com", "content-type: text/plain"],
        ["host: 127.0.0.1", "origin: null"],
        ["host: 127.0.0.1", "sec-fetch-site: cross-site"],
    ],
)
async def test_a_page_that_guesses_the_port_gets_nothing_and_leaves_nothing(headers: list[str]) -> None:
    async with door() as served:
        status, why = await served.asked(POST, *headers, body=question(stream=False))
        assert status == 403
        assert why.startswith("harness: refused: expected ")
        assert served.case.recorder.trace().exchanges == ()
        (noted,) = served.endpoints.not_served(None)
        assert noted.startswith(f"POST /case/a-case{PATH} (refused: expected ")
        assert served.endpoints.blocked("a-case") == ()
        assert (await served.asked(POST, "host: 127.0.0.1", body=question(stream=False)))[0] == 200


@pytest.mark.anyio
async def test_with_a_key_the_path_of_a_case_is_not_enough() -> None:
    async with door(keyed=True) as served:
        key = served.base.rpartition("/")[2]
        for path in (f"/case/a-case{PATH}", f"/{'x' * len(key)}/case/a-case{PATH}"):
            status, why = await served.asked(f"POST {path} HTTP/1.1", "host: localhost", body=question())
            assert (status, "has a key in its path" in why) == (403, True)
        assert served.case.recorder.trace().exchanges == ()
        assert not any(key in noted for noted in served.endpoints.not_served(None))
        path = f"/{key}/case/a-case{PATH}"
        assert (await served.asked(f"POST {path} HTTP/1.1", "host: localhost", body=question()))[0] == 200
        (exchange,) = served.case.recorder.trace().exchanges
        assert exchange.request.path == PATH


@pytest.mark.anyio
async def test_a_socket_that_listens_already_is_served() -> None:
    listener = listening()
    port = listener.getsockname()[1]
    async with serving(Endpoints(), listener=listener) as base:
        assert base == f"http://127.0.0.1:{port}"
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        assert (await asyncio.wait_for(reader.read(), 30)).startswith(b"HTTP/1.1 404 ")
        writer.close()
    assert listener.fileno() == -1


@pytest.mark.anyio
@pytest.mark.parametrize(("method", "status"), [("OPTIONS", 204), ("GET", 400)])
async def test_a_request_about_the_server_is_no_request_of_a_case(method: str, status: int) -> None:
    async with door() as served:
        reader, writer = await served.connected()
        writer.write(f"{method} * HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n".encode())
        assert (await asyncio.wait_for(reader.read(), 30)).startswith(f"HTTP/1.1 {status} ".encode())
        assert served.endpoints.blocked("a-case") == ()
        assert served.endpoints.not_served(None) == {}


# --- how long, and how many -------------------------------------------------------------------------------------------

SOON = Limits(head=0.05, body=0.05, parting=0.05)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("sent", "part"),
    [(b"POST /v1 HTT", "head"), (b"POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\nab", "body")],
)
async def test_half_a_request_is_answered_in_time(sent: bytes, part: str) -> None:
    async with door(SOON) as served:
        reader, writer = await served.connected()
        writer.write(sent)
        status, why = answered(await asyncio.wait_for(reader.read(), 30))
        assert (status, why) == (408, f"harness: the {part} of the request did not arrive within 0.05 s")


@pytest.mark.anyio
async def test_the_deadline_is_that_of_the_whole_head_however_it_drips() -> None:
    async with door(SOON) as served:
        reader, writer = await served.connected()

        async def drip() -> None:
            for letter in b"GET /" + b"a" * 100_000:
                writer.write(bytes([letter]))
                await asyncio.sleep(0.001)

        dripping = asyncio.create_task(drip())
        assert answered(await asyncio.wait_for(reader.read(), 30))[0] == 408
        dripping.cancel()


@pytest.mark.anyio
async def test_a_client_that_does_not_read_its_answers_is_left_in_time() -> None:
    async with door(Limits(answer=0.05)) as served:
        _, writer = await served.connected()
        transport = writer.transport
        assert isinstance(transport, asyncio.ReadTransport)
        transport.pause_reading()

        async def ask_for_ever() -> None:  # more answers than all buffers between the two take
            while True:
                writer.write(b"GET /nothing HTTP/1.1\r\nhost: localhost\r\n\r\n" * 2_000)
                await asyncio.wait_for(writer.drain(), 30)

        with pytest.raises(ConnectionError):
            await ask_for_ever()


@pytest.mark.anyio
async def test_a_client_that_reads_slowly_has_all_the_time() -> None:
    """What counts is that it takes something, not when it has taken all."""
    async with door(Limits(answer=0.5)) as served:
        asked = 20_000
        reader, writer = await served.connected()
        writer.write(b"GET /nothing HTTP/1.1\r\nhost: localhost\r\n\r\n" * asked)
        data = b""
        while data.count(b"HTTP/1.1 404 ") < asked:
            data += await asyncio.wait_for(reader.read(20_000), 30)
            assert data


@pytest.mark.anyio
async def test_a_connection_without_a_request_has_all_the_time() -> None:
    async with door(Limits(head=0.0, body=0.0)) as served:
        reader, writer = await served.connected()
        for _ in range(2):
            writer.write(b"GET /nothing HTTP/1.1\r\nhost: localhost\r\n\r\n")
            assert (await asyncio.wait_for(reader.readuntil(b"0\r\n\r\n"), 30)).startswith(b"HTTP/1.1 404 ")


@pytest.mark.anyio
async def test_one_too_many_takes_the_place_of_the_one_that_has_been_idle_longest() -> None:
    async with door(Limits(connections=2)) as served:
        first, second, third = [await served.connected() for _ in range(2)] + [None]
        for _, writer in (first, second):
            writer.write(b"GET /nothing HTTP/1.1\r\nhost: localhost\r\n\r\n")
        for reader, _ in (first, second):
            await asyncio.wait_for(reader.readuntil(b"0\r\n\r\n"), 30)
        third = await served.connected()
        assert await asyncio.wait_for(first[0].read(), 30) == b""
        for reader, writer in (second, third):
            writer.write(b"GET /nothing HTTP/1.1\r\nhost: localhost\r\n\r\n")
            assert await asyncio.wait_for(reader.readuntil(b"0\r\n\r\n"), 30)


@pytest.mark.anyio
async def test_where_none_is_idle_one_too_many_is_answered() -> None:
    async with door(Limits(connections=1)) as served:
        _, busy = await served.connected()
        busy.write(b"GET /nothing HTTP/1.1\r\nhost: localhost\r\n\r\nGET")
        await asyncio.wait_for(busy.drain(), 30)
        data = b""
        while not data.startswith(b"HTTP/1.1 503 "):  # until the server has read the half of the request
            reader, _ = await served.connected()
            data = await asyncio.wait_for(reader.read(), 30)
        assert b"retry-after: 1\r\n" in data
        assert answered(data)[1] == "harness: too many connections are open; close some, or try again"


@pytest.mark.anyio
async def test_a_body_that_is_too_large_is_answered_while_it_is_sent() -> None:
    async with door() as served:
        reader, writer = await served.connected()
        writer.write(b"POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 70000000\r\n\r\n")
        for _ in range(70):
            writer.write(bytes(1_000_000))
            await writer.drain()
        assert answered(await asyncio.wait_for(reader.read(), 30))[0] == 413


@pytest.mark.anyio
@pytest.mark.parametrize("line", ["GET / HTTP/1.1", "no request"])
async def test_a_client_that_has_gone_before_its_answer_is_no_mistake(line: str) -> None:
    async with door() as served:
        complaints: list[object] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
        # Both have closed when the server says that nothing more is answered, which the system then refuses.
        with socket.create_connection(("127.0.0.1", served.port)) as client:
            client.sendall(f"{line}\r\nhost: localhost\r\nconnection: close\r\n\r\n".encode())
        assert (await served.asked("GET / HTTP/1.1", "host: localhost"))[0] == 404
        assert complaints == []


@pytest.mark.anyio
async def test_a_mistake_of_the_harness_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    async with door() as served:
        complaints: list[object] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context["exception"]))
        monkeypatch.setattr(served.endpoints, "answer", lambda *_: 1 / 0)
        status, why = await served.asked("GET / HTTP/1.1", "host: localhost")
        assert (status, why) == (500, "harness: an error of the harness itself: ZeroDivisionError: division by zero")
        assert [type(each) for each in complaints] == [ZeroDivisionError]
