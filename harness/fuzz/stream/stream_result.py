"""A reader's result for a stream, and the form in which a user's reader reports it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from harness.fuzz.stream.example import StreamExample
from harness.wire import Usage, WireName


@dataclass(frozen=True, slots=True)
class ReadCall:
    """A call as it was read. ``arguments`` is its JSON text."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class EmittedParts:
    """The parts that were emitted while the stream arrived, each kind joined; arguments in the order of their
    beginnings."""

    text: str
    thinking: str
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StreamResult:
    """A reader's result for a stream.

    ``complete`` is true if the turn is whole. ``failure`` is the reader's own word for a stream that it cannot read. A
    member that is None is not reported by this reader, and not checked.
    """

    text: str = ""
    calls: tuple[ReadCall, ...] = ()
    stop: str | None = None
    complete: bool = False
    failure: str = ""
    thinking: str | None = None
    refusal: str | None = None
    usage: Usage | None = None
    emitted: EmittedParts | None = None


class StreamReader(Protocol):
    """Something that reads streams."""

    def takes(self, example: StreamExample) -> bool:  # noqa: ARG002 - most read every legal stream and every fault
        """Whether the reader is for this example."""
        return True

    def read(self, wire: WireName, pieces: Sequence[bytes]) -> StreamResult | None:
        """The reading of a body that arrives in ``pieces``; None if the reader does not speak the wire.

        Raises ``NotInForm`` if the answer is not in the required form, and any exception of the reader itself.
        """


class NotInForm(Exception):
    """A reader's answer is not in the required form."""

    def __init__(self, expected: str, got: object) -> None:
        super().__init__(f"expected {expected}, got {got!r:.60}")
        self.expected = expected
        self.got = f"{got!r:.60}"


def result_of(answer: Any) -> StreamResult | None:
    """The result from a user's reader; None for an empty one. Raises ``NotInForm``."""
    if not isinstance(answer, Mapping):
        raise NotInForm("a mapping", answer)
    if not answer:
        return None
    stop = answer.get("stop")
    if stop is not None and not isinstance(stop, str):
        raise NotInForm("'stop' as text or None", stop)
    calls = answer.get("calls", [])
    if not isinstance(calls, Sequence) or isinstance(calls, str):
        raise NotInForm("'calls' as a list", calls)
    return StreamResult(
        text=_text(answer, "text"),
        calls=tuple(_call(call) for call in calls),
        stop=stop,
        complete=_bool(answer, "complete"),
    )


def _call(call: Any) -> ReadCall:
    if not isinstance(call, Mapping):
        raise NotInForm("every call as a mapping", call)
    call_id = _text(call, "id") if call.get("id") is not None else ""
    return ReadCall(call_id, _text(call, "name"), _text(call, "arguments"))


def _text(answer: Mapping[str, Any], name: str) -> str:
    value = answer.get(name)
    if not isinstance(value, str):
        raise NotInForm(f"{name!r} as text", value)
    return value


def _bool(answer: Mapping[str, Any], name: str) -> bool:
    value = answer.get(name)
    if not isinstance(value, bool):
        raise NotInForm(f"{name!r} as true or false", value)
    return value
