"""Who listens to the loop of one case, and to the tools that the harness runs for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from harness.trace import Event, JsonValue, ToolStart, Trace
from harness.trace.kinds import EVENTS, event_kind

__all__ = ["EventSink"]

_ENDS = frozenset({"error", "final"})


class EventSink:
    """``record`` takes every event that belongs in the trace; ``declared`` are the kinds that the loop says it tells.

    A loop that has declared nothing is taken at what it does: expected of it are an end, and the kinds that it told; of
    one that told nothing at all, nothing.
    """

    def __init__(self, record: Callable[[Event], None], declared: frozenset[str] | None) -> None:
        self._record = record
        self._declared = declared
        self._told: set[str] = set()
        self._inputs: dict[str, JsonValue] = {}

    def tell(self, event: Event) -> None:
        """The loop tells its user."""
        self._told.add(event_kind(event))
        self._record(event)

    def observe(self, event: Event) -> bool:
        """The harness has run a tool. Whether that is told: a loop that tells of tools itself is not interrupted."""
        silent = "toolStart" not in (self._told if self._declared is None else self._declared)
        if silent:
            self._record(event)
        elif isinstance(event, ToolStart):
            self._inputs.setdefault(event.id, event.input)
        return silent

    def completed(self, trace: Trace) -> Trace:
        """The trace, which now says what can be expected of the loop."""
        heard = self._told | _ENDS if self._told else self._told
        emits = heard if self._declared is None else self._declared
        told = tuple(kind for kind in EVENTS if kind in emits)
        return Trace(replace(trace.case, emits=told, inputs=self._inputs), trace.records)
