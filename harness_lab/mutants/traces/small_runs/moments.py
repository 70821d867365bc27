"""Runs whose events come at a moment: subagents over AG-UI, and the start of a call while its code arrives."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate

from harness.trace import AgUiRecord, Final, ResponseRecord, SetCode, ToolResult, ToolStart
from harness.wire import Call, ToolDeclaration, Turn, wire
from harness_lab.mutants.traces.draft import TraceDraft, event_record, insert, place
from harness_lab.mutants.traces.mutant import Edit
from harness_lab.mutants.traces.plain import PlainRun, says
from harness_lab.mutants.traces.small_run import SmallRun
from harness_lab.mutants.traces.small_runs.agui import behind, spoken
from harness_lab.mutants.traces.small_runs.changes import CHAT, RESPONSES

__all__ = ["MOMENTS"]

# --- subagents ----------------------------------------------------------------------------------------------

_LOOKS = PlainRun((says("Yes."),))
_STARTED, _FINISHED, _FAILED = (AgUiRecord(f"SUBAGENT_{part}", "helper") for part in ("STARTED", "FINISHED", "ERROR"))


def _agui(name: str, rule: str, summary: str, *records: AgUiRecord) -> SmallRun:
    """A run that begins with these events of AG-UI."""
    return SmallRun(name, rule, summary, _LOOKS, (spoken, behind("RUN_STARTED", *records)), RESPONSES)


_SUBAGENTS = (
    _agui(
        "agui-subagents",
        "agui/pairs",
        "A subagent starts and finishes, and starts again and fails.",
        *(_STARTED, _FINISHED, _STARTED, _FAILED),
    ),
    _agui("agui-subagent-finished-only", "agui/pairs", "A subagent finishes that has not started.", _FINISHED),
    _agui("agui-subagent-failed-only", "agui/pairs", "A subagent fails that has not started.", _FAILED),
    _agui("agui-subagent-twice", "agui/pairs", "A subagent starts twice.", _STARTED, _STARTED, _FINISHED),
    _agui("agui-subagent-left-open", "agui/closed", "A subagent has not ended at the end.", _STARTED),
)

# --- starts -------------------------------------------------------------------------------------------------

_PAGE = "<p>Brot und Brezeln</p>" * 6
_ARGUMENTS = json.dumps({"path": "index.html", "content": _PAGE})
_BEFORE = _ARGUMENTS.index(_PAGE)
_BATCH = 8
"""Events that a loop may collect before it emits what they say."""

_SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}, "content": {"type": "string"}}}
_WRITES = PlainRun(
    (Turn((Call("create_file", _ARGUMENTS, "call_1"),), deltas="character"), says("Done.")),
    tools=(ToolDeclaration("create_file", "Creates a file.", _SCHEMA),),
    case={"profile": "screenshot-to-code", "tools": {"create_file": {}}, "paced": True},
    end=Final(_PAGE),
)


def _started(known: int) -> Edit:
    """The call starts, with a preview of what is known, when a loop must know so many characters of its code: each
    event of the response is a piece."""

    def edit(draft: TraceDraft) -> None:
        at = next(at for at, each in enumerate(draft.records) if isinstance(each, ResponseRecord))
        response = draft.records[at]
        assert isinstance(response, ResponseRecord)  # noqa: S101 - what was looked for
        sizes = [len(event) + 2 for event in response.body.split(b"\n\n")[:-1]]
        draft.records[at] = replace(response, chunks=tuple(sizes))
        arrivals = wire(CHAT[0]).arrivals(response.headers["content-type"], response.body, [_ARGUMENTS])
        assert arrivals is not None  # noqa: S101 - each event has one character
        ends = list(accumulate(sizes))
        came = ends.index(arrivals[0].offsets[_BEFORE + known - 1])
        result = place(draft.records, ToolResult)
        insert(draft.records, result, SetCode(_PAGE, "call_1", preview=True), SetCode(_PAGE, "call_1"))
        start = place(draft.records, ToolStart)
        draft.records[start] = replace(event_record(draft.records, start), offset=ends[came + _BATCH + 1])
        insert(draft.records, start + 1, SetCode(_PAGE[:known], "call_1", preview=True))

    return edit


def _starts() -> Iterator[SmallRun]:
    for known in (79, 80, 81):
        summary = f"A create_file starts when {known} characters of its code are known."
        yield SmallRun(f"started-at-{known}", "timing/start", summary, _WRITES, (_started(known),), CHAT)


MOMENTS: tuple[SmallRun, ...] = (*_SUBAGENTS, *_starts())
