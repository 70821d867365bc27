"""What is tried again: too often, although it was refused, or with something of the attempt that failed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from harness.rules import TraceView
from harness.trace import Failure, RequestRecord, ResponseRecord
from harness.wire import Message, Part
from harness_lab.mutants.edits import made_anew
from harness_lab.mutants.traces.draft import NothingToBreak, TraceDraft, numbered, place, rewrite
from harness_lab.mutants.traces.mutant import draft_edit


@draft_edit
def asked_after_the_failure(draft: TraceDraft, change: Callable[[TraceView, Any], None]) -> None:
    """A request more follows the one that failed: the same as ``change`` makes of its body. It fails, too."""
    view = TraceView(draft.trace)
    records = draft.records
    _, failed = numbered(records, RequestRecord, -1)
    at = place(records, Failure)
    answer = ResponseRecord(failed.exchange, 500, {"content-type": "application/json"}, b"{}")
    records[at:at] = [_next(failed), _next(answer)]
    rewrite(records, -1, lambda body: change(view, body))


def _next(record: Any) -> Any:
    return replace(record, exchange=record.exchange + 1)


def with_the_failed(*kinds: type[Part]) -> Callable[[TraceView, Any], None]:
    """Parts of these kinds of the answer that broke are behind the history."""

    def change(view: TraceView, body: Any) -> None:
        kept = tuple(part for part in view.last.turn.parts if isinstance(part, kinds))
        if not kept:
            raise NothingToBreak
        body[view.wire.history] += view.wire.entries([Message("assistant", kept, "")])

    return change


def without_a_stream(view: TraceView, body: Any) -> None:  # noqa: ARG001 - the signature of a change
    """The request asks for no stream, where the body says that."""
    for name in ("stream", "stream_options"):
        body.pop(name, None)


def only_the_question(view: TraceView, body: Any) -> None:
    """The history begins anew with what the user has asked."""
    body[view.wire.history] = [each for each in body[view.wire.history] if each.get("role") in ("system", "user")][:1]


def results_of_a_second_run(draft: TraceDraft) -> None:
    """The request that is answered with an HTTP error has other results than those that are sent after it."""
    rewrite(draft.records, 1, lambda body: body.update(made_anew(body)))
