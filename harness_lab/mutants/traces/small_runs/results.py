"""Words that ``results.yaml`` needs besides."""

from __future__ import annotations

from dataclasses import replace

from harness.trace import (
    Record,
    ToolResult,
)
from harness.wire import Result
from harness_lab.mutants.traces.conversations import Entry, rewriting
from harness_lab.mutants.traces.draft import TraceDraft, event_record, place, requests
from harness_lab.mutants.traces.mutant import draft_edit
from harness_lab.mutants.traces.small_runs.changes import (
    part,
    resend,
)
from harness_lab.mutants.traces.small_runs.sockets import over


@draft_edit
def happened_first(draft: TraceDraft, *records: Record) -> None:
    """This has happened in front of the first request."""
    at = requests(draft.records)[0]
    draft.records[at:at] = records


def result_late(draft: TraceDraft) -> None:
    """The end of the call is reported behind the request with its result."""
    at = place(draft.records, ToolResult)
    record = draft.records.pop(at)
    draft.records.insert(requests(draft.records)[-1] + 1, replace(event_record([record], 0), offset=0))


@rewriting
def results_in_front(entries: list[Entry]) -> None:
    """The results go back in front of the turn that they answer."""
    turn = next(at for at, (role, _, _) in enumerate(entries) if role == "assistant")
    answers = [each for each in entries if isinstance(each[1], Result)]
    rest = [each for each in entries if not isinstance(each[1], Result)]
    entries[:] = [*rest[:turn], *answers, *rest[turn:]]


@draft_edit
def sent_again_with(draft: TraceDraft, *outputs: str, status: int = 529) -> None:
    """The last request is refused, and sent again with other results."""
    resend(-1, status=status)(draft)
    for which, output in enumerate(outputs):
        part(Result, {"output": output}, which)(draft)


def over_one_socket(draft: TraceDraft) -> None:
    """All requests come over one WebSocket."""
    over((1,) * len(requests(draft.records)))(draft)
