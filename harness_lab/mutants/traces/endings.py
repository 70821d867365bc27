"""How a run ends, and which calls it executes: passed off as finished, given up, or run when they must not be."""

from __future__ import annotations

from harness.rules import TraceView
from harness.trace import Failure, Final, SetCode, ToolResult, ToolStart
from harness_lab.mutants.traces.draft import NothingToBreak, TraceDraft, insert, place, places
from harness_lab.mutants.traces.edits import end_as
from harness_lab.mutants.traces.mutant import draft_edit


def run_last_call(draft: TraceDraft) -> None:
    """The first call of the last reply is executed, whatever became of the reply."""
    last = TraceView(draft.trace).last
    call = last.calls[0] if last.calls else None
    if call is None or not call.id:
        raise NothingToBreak
    end = max(places(draft.records, Final) + places(draft.records, Failure))
    started = [] if places(draft.records, ToolStart, id=call.id) else [ToolStart(call.id, call.name)]
    for at in places(draft.records, ToolResult, id=call.id):
        del draft.records[at]
        end -= 1
    output = draft.case.returns.get(call.name, "done")
    insert(draft.records, end, *started, ToolResult(call.id, call.name, output, ok=True))


@draft_edit
def set_outside(draft: TraceDraft, code: str) -> None:
    """A code is set outside any call right before the end, and the run ends with it."""
    end_as(Final(code))(draft)
    insert(draft.records, place(draft.records, Final), SetCode(code))


def another_page_shown(draft: TraceDraft) -> None:
    """A page of the last text is shown, and the run ends with what the call has set."""
    text = TraceView(draft.trace).last.turn.text
    start, end = text.find("<html>"), text.find("</html>")
    if not 0 <= start < end:
        raise NothingToBreak
    insert(draft.records, place(draft.records, Final), SetCode(text[start : end + len("</html>")]))


def one_asked_afterwards(draft: TraceDraft) -> None:
    """One of two calls that wait is over before it was reported."""
    result = draft.records.pop(place(draft.records, ToolResult))
    draft.records.insert(place(draft.records, Final, outcome="deferred"), result)
