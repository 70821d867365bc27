"""The server of the live view, asked by websocket clients and by plain HTTP over the loopback address."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import httpx2
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from harness.endpoint.limits import Limits
from harness.errors import BadInput
from harness.trace import Assistant, Final, ToolResult
from harness.watch import watching
from harness.watch.files import PAGE
from harness.watch.messages import Message, event_message
from tests.case_tables import from_table
from tests.watch.messages import CASE, PASSED, performing

pytestmark = pytest.mark.anyio

Tell = Callable[[Message], None]
EVENTS = [*(Assistant(f"word {number} ", "a") for number in range(200)), Final("")]


@asynccontextmanager
async def listening(url: str, **options: object) -> AsyncIterator[ClientConnection]:
    async with connect(f"ws://{urlsplit(url).netloc}/events", proxy=None, **options) as connection:  # type: ignore[arg-type]
        yield connection


async def heard(url: str, **options: object) -> list[Message]:
    """Everything that a visit is told."""
    async with listening(url, **options) as connection:
        return [json.loads(text) async for text in connection]


async def test_every_visit_is_told_everything_in_order() -> None:
    async with watching(performing(EVENTS)) as url:
        told = [CASE, *map(event_message, EVENTS), PASSED]
        assert await heard(url) == told
        assert await asyncio.gather(heard(url), heard(url)) == [told, told]


async def test_messages_are_as_far_apart_as_the_pace_says() -> None:
    async with watching(performing(EVENTS[:5]), pace=0.01) as url:
        clock = asyncio.get_running_loop().time
        started = clock()
        assert len(await heard(url)) == 7
        assert clock() - started >= 6 * 0.01


def waiting() -> tuple[Callable[[Tell], Awaitable[None]], asyncio.Event]:
    """A run without an end, and what is set when it has been ended."""
    ended = asyncio.Event()

    async def perform(tell: Tell) -> None:
        tell(CASE)
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    return perform, ended


async def test_a_client_that_leaves_ends_its_run() -> None:
    perform, ended = waiting()
    async with watching(perform) as url:
        async with listening(url) as connection:
            assert json.loads(await connection.recv()) == CASE
            assert not ended.is_set()
        await asyncio.wait_for(ended.wait(), 10)


async def test_the_end_of_the_server_ends_the_runs() -> None:
    perform, ended = waiting()
    async with watching(perform) as url:
        connection = await connect(f"ws://{urlsplit(url).netloc}/events", proxy=None)
        await connection.recv()
    assert ended.is_set()
    with pytest.raises(ConnectionClosed, match="1001"):
        await connection.recv()


async def test_what_a_client_says_is_not_listened_to() -> None:
    release = asyncio.Event()

    async def perform(tell: Tell) -> None:
        await release.wait()
        tell(PASSED)

    async with watching(perform) as url, listening(url) as connection:
        for _ in range(100):
            await connection.send("{}")
        await (await connection.ping())  # all of it has been read
        release.set()
        assert [json.loads(text) async for text in connection] == [PASSED]


async def test_a_client_that_says_a_lot_is_shown_the_door() -> None:
    async with watching(performing(EVENTS), pace=0.01) as url, listening(url) as connection:
        await connection.send("x" * 100_000)
        with pytest.raises(ConnectionClosed, match="1009"):
            _ = [message async for message in connection]


async def test_texts_that_no_browser_would_take_arrive() -> None:
    odd = ToolResult("a", "b", {"nan": float("nan"), "deep": [float("-inf")], "text": "\ud800 \x00 \u2028"}, ok=True)
    async with watching(performing([odd])) as url:
        (_, message, _) = await heard(url)
    assert message["output"] == {"nan": "NaN", "deep": ["-Infinity"], "text": "\ud800 \x00 \u2028"}


# --- who may look -----------------------------------------------------------------------------------------


@from_table(__file__, "test_a_page_of_another_origin_may_not_look")
async def test_a_page_of_another_origin_may_not_look(origin: str) -> None:
    async with watching(performing(EVENTS)) as url:
        with pytest.raises(InvalidStatus) as refused:
            await heard(url, additional_headers={"Origin": origin.format(port=urlsplit(url).port)})
    assert refused.value.response.status_code == 403
    assert b"expected a request of this server's own page" in refused.value.response.body


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
async def test_its_own_page_may(name: str) -> None:
    async with watching(performing(EVENTS)) as url:
        here = f"{name}:{urlsplit(url).port}"
        got = await heard(url, additional_headers={"Origin": f"http://{here}"})
    assert got[-1] == PASSED


async def ask(url: str, *head: str) -> str:
    """The answer to a request with exactly this head."""
    address = urlsplit(url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    writer.write("".join(f"{line}\r\n" for line in (*head, "")).format(port=address.port).encode())
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return answer.decode()


UPGRADE = (
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
)


@from_table(__file__, "test_a_request_for_another_host_is_refused")
@pytest.mark.parametrize("path", ["/", "/page.js", "/events"])
async def test_a_request_for_another_host_is_refused(hosts: list[str], path: str) -> None:
    async with watching(performing(EVENTS)) as url:
        answer = await ask(url, f"GET {path} HTTP/1.1", *hosts, *(UPGRADE if path == "/events" else ()))
    assert answer.startswith("HTTP/1.1 403 ")
    assert "expected the host 127.0.0.1:" in answer


@pytest.mark.parametrize(
    ("hosts", "said"),
    [
        (["Host: 127.0.0.1:{port}", "Host: rebound.evil.example"], "the request names two hosts"),
        ([], "the request has no header Host"),
    ],
)
@pytest.mark.parametrize("path", ["/", "/page.js", "/events"])
async def test_a_request_for_no_host_or_for_two_is_none(hosts: list[str], said: str, path: str) -> None:
    async with watching(performing(EVENTS)) as url:
        answer = await ask(url, f"GET {path} HTTP/1.1", *hosts, *(UPGRADE if path == "/events" else ()))
    assert answer.startswith("HTTP/1.1 400 ")
    assert said in answer


async def test_it_listens_on_the_loopback_address_only() -> None:
    async with watching(performing(EVENTS)) as url:
        assert urlsplit(url).hostname == "127.0.0.1"
        with pytest.raises(OSError):  # refused, or not even an address here
            await asyncio.open_connection("::1", urlsplit(url).port)


# --- what is no request, and what cannot be answered ---------------------------------------------------------

HOST = "Host: 127.0.0.1:{port}"


async def sent(url: str, data: bytes, *, ends: bool = False) -> bytes:
    """All that comes back for these bytes, until the server has ended the connection."""
    address = urlsplit(url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    writer.write(data.replace(b"{port}", str(address.port).encode()))
    if ends:
        writer.write_eof()
    answer = await asyncio.wait_for(reader.read(), 10)
    writer.close()
    return answer


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"hello\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
        (b"GET /\x00 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX: " + b"y" * 100_000 + b"\r\n\r\n", 431),
        (b"POST / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 3\r\n\r\nabc", 405),
        (b"POST / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 99999999\r\n\r\n", 413),
        (b"GET / HTTP/2.0\r\nHost: 127.0.0.1:{port}\r\n\r\n", 505),
        (b"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n", 426),
        (b"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n\r\n", 426),
    ],
)
async def test_what_cannot_be_taken_is_answered(data: bytes, status: int, caplog: pytest.LogCaptureFixture) -> None:
    async with watching(performing(EVENTS)) as url:
        answer = await sent(url, data)
        assert (await sent(url, b"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
    assert answer.startswith(b"HTTP/1.1 %d " % status)
    assert not caplog.records


async def test_the_head_of_a_file_has_no_body() -> None:
    async with watching(performing(EVENTS)) as url:
        head, got = [await sent(url, f"{method} / HTTP/1.1\r\n{HOST}\r\n\r\n".encode()) for method in ("HEAD", "GET")]
    assert head == got.partition(b"\r\n\r\n")[0] + b"\r\n\r\n"


async def test_a_request_that_breaks_off_is_answered() -> None:
    async with watching(performing(EVENTS)) as url:
        assert (await sent(url, b"GET / HT", ends=True)).startswith(b"HTTP/1.1 400 ")
        assert await sent(url, b"", ends=True) == b""


async def test_a_client_that_asks_for_nothing_is_told_so_in_time() -> None:
    async with watching(performing(EVENTS), limits=Limits(head=0.1)) as url:
        assert (await sent(url, b"GET / HT")).startswith(b"HTTP/1.1 408 ")
        assert (await sent(url, b"")).startswith(b"HTTP/1.1 408 ")
        assert (await heard(url))[-1] == PASSED


async def test_a_run_may_take_longer_than_its_request() -> None:
    async with watching(performing(EVENTS[:10]), pace=0.05, limits=Limits(head=0.1)) as url:
        assert (await heard(url))[-1] == PASSED


async def test_a_client_too_many_is_told_so() -> None:
    async with watching(performing(EVENTS), limits=Limits(connections=3)) as url:
        address = urlsplit(url)
        there = [await asyncio.open_connection(address.hostname, address.port) for _ in range(3)]
        await asyncio.sleep(0)
        answer = await sent(url, b"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 503 ")
        assert b"retry-after: 1" in answer
        for _, writer in there:
            writer.close()
        await until_served(url)


async def until_served(url: str) -> None:
    for _ in range(500):
        answer = await sent(url, b"HEAD / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n")
        if answer.startswith(b"HTTP/1.1 200 "):
            return
        await asyncio.sleep(0.01)
    raise AssertionError(answer)


async def test_its_end_waits_for_nobody_who_asks_for_nothing() -> None:
    clock = asyncio.get_running_loop().time
    async with watching(performing(EVENTS)) as url:
        address = urlsplit(url)
        streams = [await asyncio.open_connection(address.hostname, address.port) for _ in range(2)]
        streams[0][1].write(b"hello\r\n\r\n")
        assert (await streams[0][0].read()).startswith(b"HTTP/1.1 400 ")  # and it has not gone yet
        ending = clock()
    assert clock() - ending < 2
    for _, writer in streams:
        writer.close()


async def test_headers_that_are_none_of_its_business_hinder_no_websocket() -> None:
    many = {f"X-{number}": "y" * 300 for number in range(190)}
    async with watching(performing(EVENTS)) as url:
        assert (await heard(url, additional_headers=many))[-1] == PASSED
        with pytest.raises(InvalidStatus) as refused:
            await heard(url, additional_headers={"Sec-WebSocket-Protocol": "y" * 5000})
    assert refused.value.response.status_code == 431


# --- the page ---------------------------------------------------------------------------------------------


async def test_the_page_is_served_under_a_strict_policy() -> None:
    async with watching(performing(EVENTS)) as url, httpx2.AsyncClient(base_url=url, trust_env=False) as client:
        for path, file in PAGE.items():
            answer = await client.get(path)
            assert (answer.status_code, answer.content) == (200, file.body)
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            policy = dict(each.split(" ", 1) for each in answer.headers["Content-Security-Policy"].split("; "))
            assert policy["default-src"] == policy["frame-src"] == policy["frame-ancestors"] == "'none'"
            assert policy["script-src"] == policy["connect-src"] == "'self'"
            assert policy["require-trusted-types-for"] == "'script'"
        assert (await client.get("/../server.py")).status_code == 404
        assert (await client.get("/page.css?cache=no")).status_code == 200
        assert (await client.get("/events")).status_code == 426


@pytest.mark.parametrize("port", [-1, 65536])
async def test_a_port_that_is_none(port: int) -> None:
    with pytest.raises(BadInput, match=f"cannot listen on 127.0.0.1:{port}: .*choose another --port"):
        async with watching(performing(EVENTS), port=port):
            pass


async def test_a_port_that_is_taken() -> None:
    async with watching(performing(EVENTS)) as url:
        port = urlsplit(url).port or 0
        with pytest.raises(BadInput, match=f"cannot listen on 127.0.0.1:{port}: .*choose another --port"):
            async with watching(performing(EVENTS), port=port):
                pass
