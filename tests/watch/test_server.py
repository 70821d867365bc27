"""The server of the live look, asked by websocket clients and by plain HTTP over the loopback address."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import httpx2
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from harness.errors import BadInput
from harness.trace import Assistant, Final, ToolResult
from harness.watch import watching
from harness.watch.files import PAGE
from harness.watch.messages import Message, event_message
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


async def test_a_client_that_leaves_ends_its_run() -> None:
    ended = asyncio.Event()

    async def perform(tell: Tell) -> None:
        tell(CASE)
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with watching(perform) as url:
        async with listening(url) as connection:
            assert json.loads(await connection.recv()) == CASE
            assert not ended.is_set()
        await asyncio.wait_for(ended.wait(), 10)


async def test_the_end_of_the_server_ends_the_runs() -> None:
    ended = asyncio.Event()

    async def perform(tell: Tell) -> None:
        tell(CASE)
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

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


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "https://127.0.0.1:{port}",
        "http://127.0.0.1",
        "http://127.0.0.1:1",
        "http://127.0.0.1:{port}.evil.example",
        "http://[::1]:{port}",
        "null",
        "",
    ],
)
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


@pytest.mark.parametrize(
    "hosts",
    [
        ["Host: rebound.evil.example:{port}"],
        ["Host: rebound.evil.example"],
        ["Host: 127.0.0.1"],
        ["Host: 127.0.0.1:1"],
        ["Host: 127.0.0.1:{port}", "Host: rebound.evil.example"],
        [],
    ],
)
@pytest.mark.parametrize("path", ["/", "/page.js", "/events"])
async def test_a_request_for_another_host_is_refused(hosts: list[str], path: str) -> None:
    async with watching(performing(EVENTS)) as url:
        answer = await ask(url, f"GET {path} HTTP/1.1", *hosts, *(UPGRADE if path == "/events" else ()))
    assert answer.startswith("HTTP/1.1 403 ")
    assert "expected the host 127.0.0.1:" in answer


async def test_it_listens_on_the_loopback_address_only() -> None:
    async with watching(performing(EVENTS)) as url:
        assert urlsplit(url).hostname == "127.0.0.1"
        with pytest.raises(OSError):  # refused, or not even an address here
            await asyncio.open_connection("::1", urlsplit(url).port)


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
