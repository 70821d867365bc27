"""What the user was to see of certain calls, held against the events of a trace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal

from harness.scenario.model import ReportedExpect
from harness.scenario.words import shown
from harness.trace import MAIN, JsonValue, ToolResult, ToolStart, Trace

__all__ = ["not_reported"]

_MEMBERS: Final[Mapping[Literal["input", "output"], str]] = {"input": "toolStart", "output": "toolResult"}

Reported = dict[str, tuple[int, JsonValue]]
"""By ``input`` and ``output``: where in the trace, and what."""


def not_reported(expected: ReportedExpect, trace: Trace) -> Iterator[tuple[str, str, int | None]]:
    """What was expected, what came, and where, of each thing that the user was to see and did not.

    Of what the loop never emits nothing is expected.
    """
    emits = trace.case.emits
    asked = {key: value for key, value in expected.shows.items() if emits is None or _MEMBERS[key] in emits}
    calls = _calls(trace, expected.tool)
    which = f"call {expected.nth} of {expected.tool}"
    if len(calls) < expected.nth:
        if emits is None or not set(emits).isdisjoint(_MEMBERS.values()):
            yield f"{which}, reported to the user", f"{len(calls)} of them", None
        return
    found = calls[expected.nth - 1]
    for key, value in asked.items():
        at, got = found.get(key, (None, None))
        if at is None or not _shows(value, got):
            yield f"{key} of {which} with {shown(value)}", "none" if at is None else shown(got), at


def _calls(trace: Trace, tool: str) -> list[Reported]:
    """The calls of a tool in the main conversation, in the order in which the user first saw something of them."""
    calls: dict[str, Reported] = {}
    for at, record in trace.events:
        event = record.event
        if isinstance(event, ToolStart | ToolResult) and event.name == tool and record.conversation == MAIN:
            call = calls.setdefault(event.id, {})
            if isinstance(event, ToolStart):
                call.setdefault("input", (at, event.input))
            else:
                call["output"] = at, event.output
    return list(calls.values())


def _shows(wanted: JsonValue, got: JsonValue) -> bool:
    """Whether ``got`` is ``wanted``; of an object, whether it has at least these members. Null is wanted where a member
    shall not be there, and in what is no object there is none."""
    if isinstance(wanted, dict):
        members = got if isinstance(got, dict) else {}
        return all(_shows(value, members.get(name)) for name, value in wanted.items())
    if isinstance(wanted, list):
        return isinstance(got, list) and len(got) == len(wanted) and all(map(_shows, wanted, got))
    return type(wanted) is type(got) and wanted == got
