"""The legal variations on each wire, and those that the wire's official SDK cannot read."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from harness.fuzz.strategies.sse import FAULTS, VARIATIONS, FaultKind
from harness.wire import WireName
from harness.wire.sse import SseEvent


@dataclass(frozen=True, slots=True)
class StreamDialect:
    """One wire's stream.

    ``legal`` are names of ``VARIATIONS``. ``unread`` are those of them, alone or together, that its SDK cannot read,
    each with the reason. ``between`` are events that may come between the others: its servers send them, or may begin
    to. ``faults`` are those that can be judged. ``accumulated`` is false if the SDK yields events and puts nothing
    together.
    """

    legal: Collection[str]
    unread: Mapping[frozenset[str], str]
    between: tuple[SseEvent, ...] = ()
    faults: tuple[FaultKind, ...] = FAULTS
    accumulated: bool = True

    def is_read_by_sdk(self, variations: Collection[str]) -> bool:
        """Whether the official SDK can read events with these variations."""
        return not any(names.issubset(variations) for names in self.unread)


def _event(name: str, **members: object) -> SseEvent:
    return SseEvent(json.dumps({"type": name, **members}), name)


_NOT_AT_THE_END: Final = frozenset(VARIATIONS) - {"no final blank line"}
"""On a wire whose last event completes the response, this event needs its blank line."""

_OF_HTTPX2: Final = {
    frozenset({"BOM"}): "the SDK takes it for a part of the first field's name, and loses the event",
    frozenset({"events without data"}): "the SDK hands them out with empty data, and fails on it as JSON",
    frozenset({"more fields", "blank lines"}): "once there was an id, every blank line is an event without data to it",
}

_CHAT: Final = StreamDialect(
    legal=frozenset(VARIATIONS) - {"no event names", "event behind data"},
    unread=_OF_HTTPX2,
    between=(
        # As servers of Azure begin a stream.
        SseEvent('{"id":"","object":"chat.completion.chunk","created":0,"model":"","choices":[]}'),
    ),
)

DIALECTS: Final[Mapping[WireName, StreamDialect]] = {
    "openai-responses": StreamDialect(
        legal=_NOT_AT_THE_END,
        unread=_OF_HTTPX2,
        between=(_event("keepalive", sequence_number=0), _event("response.new_kind", output_index=99, delta="no")),
    ),
    "openai-chat": _CHAT,
    "anthropic-messages": StreamDialect(
        # The name of an event is a part of this wire: its SDK passes over what has none.
        legal=_NOT_AT_THE_END - {"no event names"},
        unread=_OF_HTTPX2,
        between=(_event("ping"), _event("new_kind", index=99, delta={"text": "no"})),
    ),
    "gemini-generate": StreamDialect(
        legal=frozenset(VARIATIONS) - {"no event names", "event behind data"},
        unread={
            frozenset(
                {name}
            ): "google-genai is no SSE parser: it takes lines that begin with 'data: ', and all else as JSON"
            for name in ("no space", "comments", "more fields", "events without data", "BOM")
        },
        # Its last event may carry text: said twice, that is another text.
        faults=tuple(kind for kind in FAULTS if kind != "end twice"),
        between=(SseEvent('{"usageMetadata": {"promptTokenCount": 1}}'), SseEvent('{"newMember": {"text": "no"}}')),
    ),
    "text-tags": _CHAT,
    "bedrock-converse": StreamDialect(legal=(), unread={}, accumulated=False),  # frames can be written in one way only
    "gemini-interactions": StreamDialect(
        # The type of an event is in its data, and the end is said by the last but one.
        legal=frozenset(VARIATIONS),
        unread=_OF_HTTPX2,
        between=(
            SseEvent('{"event_type":"interaction.status_update","interaction_id":"-","status":"in_progress"}'),
            SseEvent('{"event_type":"interaction.new_kind","index":99,"delta":{"type":"text","text":"no"}}'),
        ),
        accumulated=False,
    ),
}

FUZZED: Final[tuple[WireName, ...]] = tuple(DIALECTS)
"""The wires whose streams are made."""
