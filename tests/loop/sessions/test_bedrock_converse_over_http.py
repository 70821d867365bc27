"""The session on botocore over real HTTP: what it shows of an answer that has not ended, and what becomes of the
connection."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import httpx2
import pytest

from harness.loop.session import AssistantDelta, Delta, HttpFailed, ProviderSession, SessionConfig, StreamFailed
from harness.wire import Conversation, Identity, Rendered, Text, Turn, wire
from tests.sdks import needs, sessions

pytestmark = [pytest.mark.anyio, needs("botocore", "botocore is not installed")]

WIRE = wire("bedrock-converse")
SAID = Turn((Text("It prints a line."),))
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/vnd.amazon.eventstream\r\ntransfer-encoding: chunked\r\n\r\n"
LAST = b"0\r\n\r\n"

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def rendered() -> Rendered:
    return WIRE.render(SAID, Identity("a"), Conversation(WIRE.name, WIRE.default_model, True, ()))


def chunk(piece: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(piece), piece)


async def request(reader: asyncio.StreamReader) -> None:
    """Read one request."""
    head = await reader.readuntil(b"\r\n\r\n")
    (length,) = [
        int(line.partition(b":")[2]) for line in head.lower().split(b"\r\n") if line[:15] == b"content-length:"
    ]
    await reader.readexactly(length)


@asynccontextmanager
async def session_at(serve: Serve, **options: float) -> AsyncIterator[ProviderSession]:
    """A session that asks a server on this machine, which does with each connection what ``serve`` does."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await serve(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client has closed the connection
        finally:
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    module = sessions.bedrock_converse
    async with httpx2.AsyncClient(trust_env=False, timeout=options.get("timeout", 60.0)) as http, server:
        config = SessionConfig(WIRE.default_model, [("user", "Hi.")], (), f"http://127.0.0.1:{port}/case/7")
        yield module.BedrockConverseSession(config, module.lending_client(http))


async def test_each_piece_is_shown_before_the_next_is_sent() -> None:
    shown = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader)
        writer.write(HEAD)
        for piece in rendered().frames:
            writer.write(chunk(piece))
            await writer.drain()
            if b'"text":"' in piece:  # the next is sent when the client has shown this one, and not before
                await asyncio.wait_for(shown.wait(), 60)
                shown.clear()
        writer.write(LAST)

    texts: list[str] = []

    async def show(delta: Delta) -> None:
        assert isinstance(delta, AssistantDelta)
        texts.append(delta.text)
        shown.set()

    async with session_at(serve) as session:
        turn = await session.stream_turn(show)
    assert len(texts) > 3
    assert "".join(texts) == turn.assistant_text == "It prints a line."


async def test_who_stops_listening_closes_the_connection() -> None:
    closed, begun = asyncio.Event(), asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader)
        writer.write(HEAD + b"".join(map(chunk, rendered().frames[:2])))
        assert await reader.read() == b""
        closed.set()

    async def show(delta: Delta) -> None:
        begun.set()

    async with session_at(serve) as session:
        asking = asyncio.create_task(session.stream_turn(show))
        await asyncio.wait_for(begun.wait(), 60)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await asyncio.wait_for(closed.wait(), 60)


async def test_who_does_not_wait_for_an_answer_closes_the_connection() -> None:
    asked, closed = asyncio.Event(), asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader)
        asked.set()
        assert await reader.read() == b""
        closed.set()

    async with session_at(serve) as session:
        asking = asyncio.create_task(session.stream_turn(_nobody))
        await asyncio.wait_for(asked.wait(), 60)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await asyncio.wait_for(closed.wait(), 60)


async def test_turns_of_a_conversation_share_a_connection() -> None:
    connections: list[int] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(0)
        while True:
            await request(reader)
            connections[-1] += 1
            writer.write(HEAD + b"".join(map(chunk, rendered().frames)) + LAST)

    async with session_at(serve) as session:
        for _ in range(3):
            session.append_tool_results(await session.stream_turn(_nobody), ())
            session.append_user("And now?")
    assert connections == [3]


@pytest.mark.parametrize("pieces", [0, 1, 3])
async def test_a_connection_that_breaks_in_an_answer_is_a_failure(pieces: int) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader)
        writer.write(HEAD + b"".join(map(chunk, rendered().frames[:pieces])))

    async with session_at(serve) as session:
        with pytest.raises(StreamFailed, match="the connection broke: RemoteProtocolError"):
            await session.stream_turn(_nobody)


@pytest.mark.parametrize("begins", [True, False])
async def test_an_answer_that_takes_too_long_is_a_failure(begins: bool) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader)
        writer.write(HEAD if begins else b"")
        await reader.read()

    async with session_at(serve, timeout=0.05) as session:
        with pytest.raises(StreamFailed if begins else HttpFailed, match="ReadTimeout"):
            await session.stream_turn(_nobody)


async def _nobody(delta: Delta) -> None:
    pass
