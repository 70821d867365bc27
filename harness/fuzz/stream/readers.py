"""Readers: the parser of each wire, our sessions on the official SDKs, and a user's reader."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from harness.fuzz.stream.stream_result import ReadCall, StreamReader, StreamResult, result_of
from harness.fuzz.subject import CommandSubject, Crashed
from harness.wire import Refusal, Reply, ThinkingPart, WireName, wire
from harness.wire.characters import joined
from harness.wire.sse import SSE, SseParser
from harness.wire.transport import FrameReader, StreamEvent


class WireReader(StreamReader):
    """``Wire.parse``, on the events that the parser of events finds in the pieces."""

    def read(self, name: WireName, pieces: Sequence[bytes]) -> StreamResult:
        """Return the parsed body; a failure if the pieces have other events than the whole body."""
        transport = wire(name).transport
        parser: FrameReader = SseParser() if transport is SSE else transport.reader()
        events = [event for piece in pieces for event in parser.feed(piece)]
        expected, result = _read_whole(name, b"".join(pieces))
        if events != expected:
            return StreamResult(failure=f"the pieces say {len(events)} events, which are not those of the whole body")
        return result


@lru_cache(maxsize=64)
def _read_whole(name: WireName, body: bytes) -> tuple[list[StreamEvent], StreamResult]:
    """The events of a body, and the wire's reading of it. Cached, since the body is cut in many ways."""
    try:
        result = _result_of(wire(name).parse(wire(name).transport.content_type, body))
    except ValueError as error:
        result = StreamResult(failure=str(error))
    return list(wire(name).transport.events(body)), result


def _result_of(reply: Reply) -> StreamResult:
    turn = reply.turn
    return StreamResult(
        text=joined(turn.text),
        calls=tuple(ReadCall(call.id or "", call.name, call.arguments) for call in turn.calls),
        stop=turn.stop.value,
        complete=reply.complete and turn.error is None,
        thinking=joined("".join(part.text for part in turn.parts if isinstance(part, ThinkingPart))),
        refusal=joined("".join(part.text for part in turn.parts if isinstance(part, Refusal))),
        usage=turn.usage,
    )


class UserReader(StreamReader):
    """A function of the user's, which says itself what it does not read."""

    def __init__(self, read: Callable[[str, Iterable[bytes]], Any]) -> None:
        self._read = read

    def read(self, name: WireName, pieces: Sequence[bytes]) -> StreamResult | None:
        """Return the user's reading; None if the reader does not read such a stream. Raises ``Crashed``."""
        try:
            answer = self._read(name, iter(pieces))
        except Crashed:
            raise
        except Exception as error:  # noqa: BLE001 - by an exception it may say that it cannot read a stream
            return StreamResult(failure=f"{type(error).__name__}: {error}")
        return result_of(answer)


def commanded(command: CommandSubject) -> UserReader:
    """A reader in any language: it gets the pieces in base64."""

    def read(name: str, pieces: Iterable[bytes]) -> Mapping[str, Any]:
        return command.ask({"wire": name, "chunks": [base64.b64encode(piece).decode() for piece in pieces]})

    return UserReader(read)
