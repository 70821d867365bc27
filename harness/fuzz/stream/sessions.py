"""The reference loop's sessions on the official SDKs, over bytes that come from memory."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from threading import Thread
from typing import Any, Final, TypeVar
from weakref import finalize

import httpx2

from harness.cassette.forms import Response
from harness.cassette.replay_transport import ReplayTransport
from harness.fuzz.stream.accumulation import Accumulators
from harness.fuzz.stream.dialects import DIALECTS
from harness.fuzz.stream.example import StreamExample
from harness.fuzz.stream.expected import expected
from harness.fuzz.stream.stream_result import EmittedParts, ReadCall, StreamReader, StreamResult
from harness.loop.joined_deltas import JoinedDeltas
from harness.loop.session import ProviderTurn, SessionConfig, TurnFailed
from harness.loop.sessions import with_session
from harness.targets.clients import Clients
from harness.wire import WIRES, WireName, wire

_Result = TypeVar("_Result")

_CONFIG: Final = SessionConfig("model", [("user", "-")], (), "http://fuzzed")


class SessionReader(StreamReader):
    """The session of each wire. Its SDK clients are made once, and run in an event loop of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        finalize(self, _close, self._loop)
        self._transport = ReplayTransport()
        self._clients = Clients(self._transport)
        self._accumulators = Accumulators(httpx2.AsyncClient(transport=self._transport))

    def takes(self, example: StreamExample) -> bool:
        """Return whether the wire's SDK, if it is installed, reads such a stream."""
        is_there = example.sdk and example.wire in with_session()
        return is_there and DIALECTS[example.wire].is_read_by_sdk(example.variations)

    def read(self, name: WireName, pieces: Sequence[bytes]) -> StreamResult:
        """Return the session's reading of the stream, at its end and while it arrives."""
        self._answer(pieces)
        heard = JoinedDeltas()
        session = self._clients.open_session(name, _CONFIG)
        try:
            turn = self._run(session.stream_turn(heard))
        except TurnFailed as failed:
            return StreamResult(heard.text, failure=str(failed) or type(failed).__name__, emitted=_emitted_parts(heard))
        return _read(turn, heard)

    def is_accumulated(self, example: StreamExample) -> bool:
        """Whether the SDK accumulates such a stream itself. It does not read calls that are written as text."""
        has_one = wire(example.wire).native and DIALECTS[example.wire].accumulated
        return has_one and example.fault is None and expected(example).usable

    def accumulated(self, name: WireName, pieces: Sequence[bytes]) -> StreamResult:
        """The official SDK's own accumulation. Raises ``NoAccumulation`` if there is none."""
        self._answer(pieces)
        return self._run(self._accumulators.read(name))

    def _answer(self, pieces: Sequence[bytes]) -> None:
        # Of the response only its pieces count; the transport knows no wire.
        self._transport.answer(Response(WIRES[0], b"", streamed=True, status=200, headers={}), pieces)

    def _run(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        return self._loop.run_until_complete(work)


def _close(loop: asyncio.AbstractEventLoop) -> None:
    # In a thread of its own: what is collected may be collected while another loop runs in this one.
    closing = Thread(target=_close_here, args=(loop,))
    closing.start()
    closing.join()


def _close_here(loop: asyncio.AbstractEventLoop) -> None:
    # Generators that the SDKs have left open are closed first: they wait for the loop to go on.
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


def _emitted_parts(heard: JoinedDeltas) -> EmittedParts:
    return EmittedParts(heard.text, heard.thinking, tuple(heard.arguments.values()))


def _read(turn: ProviderTurn, heard: JoinedDeltas) -> StreamResult:
    return StreamResult(
        text=turn.assistant_text,
        calls=tuple(ReadCall(call.id, call.name, call.arguments) for call in turn.tool_calls),
        stop=turn.stop.value,
        complete=True,
        thinking=turn.thinking_text,
        refusal=turn.refusal,
        usage=turn.usage,
        emitted=_emitted_parts(heard),
    )
