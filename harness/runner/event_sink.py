"""Takes the events of one case: those of its loop and of the tools that the harness runs for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from harness.trace import Event, JsonValue, ToolStart, Trace
from harness.trace.kinds import EVENTS, KINDS

_ENDS = frozenset({"error", "final"})


class EventSink:
    """Passes every event that belongs in the trace to ``record``. ``declared`` are the kinds that the loop emits.

    None: the loop has declared nothing. Then an end and the kinds that it has already emitted are expected from it.
    From a loop that has emitted nothing, nothing is expected.
    """

    def __init__(self, record: Callable[[Event], None], declared: frozenset[str] | None) -> None:
        self._record = record
        self._declared = declared
        self._emitted: set[str] = set()
        self._inputs: dict[str, JsonValue] = {}
        self._waited: list[str] = []

    def emit(self, event: Event) -> None:
        """Record an event that the loop has emitted for its user."""
        self._emitted.add(KINDS[type(event)])
        self._record(event)

    def observe(self, event: Event) -> bool:
        """Record an event of a tool that the harness has run, unless the loop emits such events itself.

        Returns whether it was recorded.
        """
        silent = "toolStart" not in (self._emitted if self._declared is None else self._declared)
        if silent:
            self._record(event)
        elif isinstance(event, ToolStart):
            self._inputs.setdefault(event.id, event.input)
        return silent

    def note_waited(self, tool: str) -> None:
        """Note that the tool waited in vain for the end of another call of its turn."""
        self._waited.append(tool)

    def completed(self, trace: Trace) -> Trace:
        """The trace with the kinds of events expected from the loop, and with the inputs of the tools that ran."""
        expected = self._emitted | _ENDS if self._emitted else self._emitted
        emits = expected if self._declared is None else self._declared
        kinds = tuple(kind for kind in EVENTS if kind in emits)
        return Trace(replace(trace.case, emits=kinds, inputs=self._inputs, waited=tuple(self._waited)), trace.records)
