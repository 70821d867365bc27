"""An example of the campaign: a turn, its bytes on one wire, and how these arrive."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from harness.fuzz.strategies.frames import with_broken_payload
from harness.fuzz.strategies.splits import pieces
from harness.fuzz.strategies.sse import StreamFault, damaged, without_final_blank_line, written
from harness.fuzz.stream.dialects import DIALECTS
from harness.wire import Conversation, Identity, Rendered, Turn, WireName, wire
from harness.wire import wire as wire_named
from harness.wire.sse import SSE, SseEvent, parse_events
from harness.wire.turn import StreamError

_UNENDED: Final = "no final blank line"


@dataclass(frozen=True, slots=True)
class StreamExample:
    """``turn`` on ``wire``, its events written with ``variations`` and with a ``fault``, in pieces of ``sizes`` bytes.

    Sizes go over and over until the end; without any the whole body comes in one piece. ``sdk`` False leaves the
    official SDKs out, which takes a hundredth of the time.
    """

    wire: WireName
    turn: Turn
    variations: tuple[str, ...] = ()
    fault: StreamFault | None = None
    sizes: tuple[int, ...] = ()
    sdk: bool = True


@dataclass(frozen=True, slots=True)
class SentStream:
    """A server's response for an example: the bytes of each event, and their meaning.

    ``unfinished`` is how many bytes at least must come before anybody can know that the turn is whole.
    """

    events: tuple[bytes, ...]
    rendered: Rendered
    unfinished: int

    @property
    def body(self) -> bytes:
        """The events joined to one body."""
        return b"".join(self.events)

    @property
    def content_type(self) -> str:
        """The content type of the response."""
        return self.rendered.content_type


def delivered(example: StreamExample) -> list[bytes]:
    """The pieces in which the body of an example arrives."""
    return pieces(sent(example).body, example.sizes)


def sent(example: StreamExample) -> SentStream:
    """What is sent for an example. Cached for all that differ only in how they are cut or read."""
    return _sent(example.wire, example.turn, example.variations, example.fault)


@lru_cache(maxsize=64)
def _sent(name: WireName, turn: Turn, variations: tuple[str, ...], fault: StreamFault | None) -> SentStream:
    rendered = _rendering(name, turn)
    if not _is_text(name):
        return _in_frames(rendered, fault, _frames_of_an_error(name) if fault and fault.kind == "error" else b"")
    varied = [variation for variation in variations if variation != _UNENDED]
    events = written(_events(rendered), varied, DIALECTS[name].between)
    whole = len(events) - rendered.terminal
    end = events[whole] if whole < len(events) else b""
    unfinished = sum(map(len, events[:whole])) + len(end.rstrip(b"\r\n"))
    behind = [variation for variation in varied if variation != "BOM"]  # only the first event has one
    error = b"".join(written(_error(name), behind)) if fault and fault.kind == "error" else b""
    broken = damaged(events, fault, terminal=rendered.terminal, error=error)
    if _UNENDED in variations and not error:  # an error without its blank line is none
        broken = without_final_blank_line(broken)
    return SentStream(tuple(broken), rendered, unfinished)


def _is_text(name: WireName) -> bool:
    """Whether a wire's events are text, which has several spellings, or else binary frames."""
    return wire(name).transport.content_type == SSE.content_type


def _in_frames(rendered: Rendered, fault: StreamFault | None, error: bytes) -> SentStream:
    frames, whole = rendered.frames, len(rendered.frames) - rendered.terminal
    if fault is not None and fault.kind == "broken JSON":
        broken = with_broken_payload(frames, fault.at)
    else:
        broken = damaged(frames, fault, terminal=rendered.terminal, error=error)
    return SentStream(tuple(broken), rendered, sum(map(len, frames[: whole + 1])))


@lru_cache
def _frames_of_an_error(name: WireName) -> bytes:
    begun = _rendering(name, Turn(ending="eof")).frames
    return b"".join(_rendering(name, Turn(error=StreamError())).frames[len(begun) :])


@lru_cache(maxsize=64)
def _rendering(name: WireName, turn: Turn) -> Rendered:
    asked = Conversation(name, wire_named(name).default_model, True, (), body=dict(wire(name).settings))
    return wire(name).render(turn, Identity("fuzz"), asked)


def _events(rendered: Rendered) -> list[SseEvent]:
    return list(parse_events(rendered.body))


@lru_cache
def _error(name: WireName) -> tuple[SseEvent, ...]:
    """The events by which this provider reports an error in a stream, after the beginning that all streams have."""
    begun = _events(_rendering(name, Turn(ending="eof")))
    failed = _events(_rendering(name, Turn(error=StreamError())))
    return tuple(failed[len(begun) :])
