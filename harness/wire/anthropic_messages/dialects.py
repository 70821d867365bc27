"""How servers of this format stream otherwise than Anthropic."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from harness.wire.dialect import Dialect, changing, named
from harness.wire.lenient import Json, members

__all__ = ["DIALECTS"]


def _two_starts(events: list[Json]) -> Iterable[Json]:
    for event in events:
        yield event
        if event.get("type") == "message_start":
            yield event


def _end_turn(event: Json) -> None:
    delta = members(event.get("delta"))
    if delta.get("stop_reason") == "tool_use":
        delta["stop_reason"] = "end_turn"


DIALECTS: Final = named(
    Dialect(
        "two-message-starts",
        "The event message_start comes twice.",
        ("litellm #32357",),
        _two_starts,
    ),
    Dialect(
        "end-turn-with-calls",
        "A turn that calls tools stops with end_turn.",
        ("litellm #34692", "NemoClaw #7967"),
        changing(_end_turn),
    ),
)
