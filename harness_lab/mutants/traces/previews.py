"""Code that is shown while it arrives: as naive parsers would show it, too early, too late, or not to its end.

The parsers are given the arguments as they came, delta by delta, which is read from the bytes of the response: the
loop whose traces are broken here hears every answer in one piece.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from harness.rules import TraceView
from harness.rules.turns import ReportedCall
from harness.trace import EventRecord, SetCode, ToolResult
from harness_lab.mutants.traces import parsers
from harness_lab.mutants.traces.draft import NothingToBreak, TraceDraft, change, event_record, place
from harness_lab.mutants.traces.mutant import draft_edit


@draft_edit
def retold(draft: TraceDraft, parser: parsers.Parser) -> None:
    """The first call that was previewed is previewed anew: after every delta, what ``parser`` makes of it."""
    view = TraceView(draft.trace)
    calls = [call for turn in view.turns for call in turn.calls]
    call = next((call for call in calls if call.tool is not None and call.tool.previews), None)
    if call is None:
        raise NothingToBreak
    _replace_previews(draft, call, _previews(view, call, parser))


def _previews(view: TraceView, call: ReportedCall, parser: parsers.Parser) -> list[EventRecord]:
    """What is emitted of a call as its arguments arrive: nothing where nothing has changed."""
    arrivals = view.arrivals(call.ask)
    if arrivals is None or call.tool is None:
        raise NothingToBreak
    arrival, shown = arrivals[call.index], ""
    previews: list[EventRecord] = []
    for length, offset in zip(arrival.lengths, arrival.offsets, strict=True):
        code = parser(call.call.arguments[:length])
        if code is not None and code != shown:
            previews.append(EventRecord(SetCode(code, call.tool.id, preview=True), call.ask.number, offset))
            shown = code
    return previews


def _replace_previews(draft: TraceDraft, call: ReportedCall, previews: list[EventRecord]) -> None:
    if call.tool is None or not previews:
        raise NothingToBreak
    old = [at for at, _, _ in call.tool.previews]
    for at in reversed(old):
        del draft.records[at]
    draft.records[old[0] : old[0]] = previews


@draft_edit
def emitted_early(draft: TraceDraft, kind: type[SetCode] | type[ToolResult]) -> None:
    """The first event of this kind is emitted when a quarter of the response has come; of code, the last preview."""
    at = place(draft.records, SetCode, -1, preview=True) if kind is SetCode else place(draft.records, kind)
    moment = event_record(draft.records, at)
    draft.records[at] = replace(moment, offset=moment.offset // 4)


def end_not_shown(draft: TraceDraft) -> None:
    """Emit a last preview that lacks the last character."""
    at = place(draft.records, SetCode, -1, preview=True)
    code = cast(SetCode, event_record(draft.records, at).event).code
    change(draft.records, at, code=code[:-1])


def preview_after_the_result(draft: TraceDraft) -> None:
    """Emit the last preview after the call has ended."""
    preview, result = place(draft.records, SetCode, -1, preview=True), place(draft.records, ToolResult)
    draft.records.insert(result, draft.records.pop(preview))
