"""The names of events in files and event expressions."""

from __future__ import annotations

from harness.trace.model import (
    Assistant,
    Event,
    Failure,
    Final,
    SetCode,
    Thinking,
    ToolArguments,
    ToolResult,
    ToolStart,
    TurnStart,
)

EVENTS: dict[str, type[Event]] = {
    "turnStart": TurnStart,
    "assistant": Assistant,
    "thinking": Thinking,
    "toolStart": ToolStart,
    "toolArguments": ToolArguments,
    "setCode": SetCode,
    "toolResult": ToolResult,
    "error": Failure,
    "final": Final,
}

KINDS: dict[type[Event], str] = {cls: kind for kind, cls in EVENTS.items()}
"""The name of every kind of event."""


def event_kind(event: Event) -> str:
    """The event's name in files and event expressions (``toolStart``)."""
    return KINDS[type(event)]
