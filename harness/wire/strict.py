"""What the strict readers of several wires share: numbered events, and common rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from harness.finding import Finding, Level
from harness.ground.bounded_json import loads
from harness.wire.lenient import Json, string
from harness.wire.response_rule import ReceivedResponse, ResponseRule
from harness.wire.sse import SSE
from harness.wire.transport import StreamEvent

READABLE: Final = ResponseRule(
    "SX-JSON",
    "Every frame of a stream has one whole JSON value, and a document is one.",
    "MUST",
    ("litellm #30471", "the official SDKs stop with a JSON error at such a frame"),
)
EVENT_NAME: Final = ResponseRule(
    "SX-EVENT",
    "The name of a frame is the type of its event.",
    "SHOULD",
    ("the wire documents: clients choose by one or the other",),
    recordings="30 recordings that keep the data alone have no event: lines",
)
ENVELOPE: Final = ResponseRule(
    "SX-ERROR",
    "An HTTP error has the provider's error body, which the official SDK reads.",
    "SHOULD",
    ("Kimi tests/params", "sglang PR #25876"),
)

BODY: Final = "the body"
_CHATS_END: Final = "[DONE]"
"""The end of Chat's streams. Servers of other wires send it, too, and the official SDKs ignore it."""


@dataclass(frozen=True, slots=True)
class NumberedEvent:
    """An event of a stream with its number (from 1), its name and its data."""

    number: int
    name: str
    data: Json

    @property
    def kind(self) -> str:
        """The ``type`` of its data, or its ``event_type``."""
        return string(self.data.get("type")) or string(self.data.get("event_type"))

    def at(self, place: str = "") -> str:
        """A place in the event: ``event 4: choices[0]``."""
        kind = f" ({self.kind})" if self.kind else ""
        return f"event {self.number}{kind}" + (f": {place}" if place else "")


def numbered_events(
    response: ReceivedResponse,
    problems: list[Finding],
    rule: ResponseRule = READABLE,
    *,
    ignored: tuple[str, ...] = (),
    events: Callable[[bytes], Iterator[StreamEvent]] = SSE.events,
) -> list[NumberedEvent]:
    """The events of a stream whose data is an object. Every other event breaks ``rule`` and is added to ``problems``.

    ``ignored`` are data that are right although they are no JSON: ``[DONE]``.
    """
    found: list[NumberedEvent] = []
    for number, event in enumerate(events(response.body), 1):
        if event.data.strip() in ignored:
            continue
        value = _value(event.data)
        if isinstance(value, dict):
            found.append(NumberedEvent(number, event.event, value))
        else:
            level: Level | None = "SHOULD" if event.data.strip() == _CHATS_END else None
            got = shown(event.data)
            problems.append(rule.broken(f"event {number}", expected="a whole JSON object", got=got, level=level))
    return found


def named_events(events: list[NumberedEvent]) -> Iterator[Finding]:
    """Every event whose frame has another name than its data."""
    if events and all(event.name == "message" for event in events):
        yield EVENT_NAME.broken("the stream", expected="event: lines", got="none")
        return
    for event in events:
        if event.name != event.kind:
            got = "no event line" if event.name == "message" else event.name
            yield EVENT_NAME.broken(event.at("event"), expected=event.kind or "a type in the data", got=got)


def body_of(response: ReceivedResponse, problems: list[Finding], rule: ResponseRule = READABLE) -> Json | None:
    """The document in a response; None if there is none, which breaks ``rule`` and is added to ``problems``."""
    value = _value(response.body.decode("utf-8", "replace"))
    if isinstance(value, dict):
        return value
    problems.append(rule.broken(BODY, expected="one JSON object", got=shown(response.body.decode("utf-8", "replace"))))
    return None


def _value(text: str) -> Any:
    try:
        return loads(text)
    except ValueError:
        return None


def ends_cleanly(response: ReceivedResponse, last: str) -> bool:
    """Whether the data of the last event of a stream is ``last``."""
    events = list(SSE.events(response.body))
    return bool(events) and events[-1].data.strip() == last


def is_object_text(text: str) -> bool:
    """Whether a text is a JSON object."""
    return isinstance(_value(text), dict)


def repeated_ids(ids: list[str]) -> list[str]:
    """The ids that occur more than once, each once."""
    return [each for each in dict.fromkeys(ids) if ids.count(each) > 1]


def whole_number(value: object) -> int | None:
    """A value if it is a whole number."""
    return value if isinstance(value, int) else None


def shown(value: object) -> str:
    """A value as text for a person, at most 80 characters."""
    text = repr(value) if value is None or isinstance(value, bool | str) else str(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
