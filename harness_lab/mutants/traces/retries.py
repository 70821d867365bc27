"""What is tried again: too often, although it was refused, or with something of the attempt that failed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from harness.rules import TraceView
from harness.trace import Failure, RequestRecord, ResponseRecord
from harness.wire import Call, Message, Part, Text, ThinkingPart
from harness_lab.mutants.traces.draft import NothingToBreak, TraceDraft, place, requests, rewrite, send_again
from harness_lab.mutants.traces.edits import judged_by
from harness_lab.mutants.traces.mutant import Edit, EquivalentTrace, TraceMutant


def asked_again(number: int, status: int, times: int) -> Edit:
    """Request ``number`` is answered with an HTTP error so many times, and each time sent again."""
    return lambda draft: send_again(draft.records, number, status, times)


def asked_after_the_failure(change: Callable[[TraceView, Any], None]) -> Edit:
    """A request more follows the one that failed: the same as ``change`` makes of its body. It fails, too."""

    def edit(draft: TraceDraft) -> None:
        view = TraceView(draft.trace)
        records = draft.records
        failed = records[requests(records)[-1]]
        assert isinstance(failed, RequestRecord)  # noqa: S101 - what requests() looks for
        at = place(records, Failure)
        answer = ResponseRecord(failed.exchange, 500, {"content-type": "application/json"}, b"{}")
        records[at:at] = [_next(failed), _next(answer)]
        rewrite(records, -1, lambda body: change(view, body))

    return edit


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
    rewrite(draft.records, 1, lambda body: body.update(_second_run(body)))


def _second_run(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace('"receipt": "', '"receipt": "2-')
    if isinstance(value, list):
        return [_second_run(each) for each in value]
    if isinstance(value, dict):
        return {key: f"2-{each}" if key == "receipt" else _second_run(each) for key, each in value.items()}
    return value


_TWO_TURNS = "create-then-edit"

MUTANTS = (
    TraceMutant(
        "mended-for-ever",
        "The model may make the same wrong call as often as it likes.",
        "retry/tool",
        judged_by(profile="pydantic-ai"),
        "arguments-invalid-json",
        ("openai-responses", "openai-chat", "anthropic-messages"),
    ),
    TraceMutant(
        "sent-four-times",
        "An overloaded provider is asked the same a fourth time.",
        "retry/request",
        asked_again(1, 529, times=3),
        _TWO_TURNS,
    ),
    TraceMutant(
        "refused-and-sent-again",
        "A request that was refused for what it says is sent again.",
        "retry/refused",
        asked_again(1, 422, times=1),
        _TWO_TURNS,
    ),
    TraceMutant(
        "thought-of-a-failed-attempt-sent",
        "A signed thought of an answer that broke is in the request that asks again.",
        "retry/failed-attempt",
        asked_after_the_failure(with_the_failed(ThinkingPart)),
        "connection-lost-after-signed-thinking",
        also=("continuation/",),
    ),
    TraceMutant(
        "call-of-a-failed-attempt-sent",
        "A call of an answer that broke is in the request that asks again, without a result.",
        "retry/failed-attempt",
        asked_after_the_failure(with_the_failed(Call)),
        "connection-lost-after-a-whole-call",
        also=("continuation/",),
    ),
    TraceMutant(
        "text-of-a-failed-attempt-sent",
        "The text of an answer that broke is in the request that asks again.",
        "retry/failed-attempt",
        asked_after_the_failure(with_the_failed(Text)),
        "connection-lost-after-a-whole-call",
        also=("continuation/",),
    ),
    TraceMutant(
        "results-of-a-second-run",
        "After an HTTP error the results are those of a second run of the tool.",
        "retry/same-results",
        results_of_a_second_run,
        "overloaded-between-turns",
        also=("history/",),
    ),
    TraceMutant(
        "history-begun-anew-after-a-broken-stream",
        "A stream broke, and the request that asks again has only the question.",
        "history/append-only",
        asked_after_the_failure(only_the_question),
        "connection-lost-after-a-whole-call",
        also=("continuation/",),
    ),
)

EQUIVALENTS = (
    EquivalentTrace(
        "sent-three-times", "An overloaded provider may be asked again twice.", asked_again(1, 529, times=2), _TWO_TURNS
    ),
    EquivalentTrace(
        "asked-again-without-a-stream",
        "What broke may be asked for once more without a stream.",
        asked_after_the_failure(without_a_stream),
        "connection-lost-after-signed-thinking",
    ),
    EquivalentTrace(
        "history-begun-anew-when-too-long",
        "A history that is too long may be sent shorter.",
        asked_after_the_failure(only_the_question),
        "context-too-long-at-a-later-turn",
        informs=("continuation/",),
    ),
    EquivalentTrace(
        "history-begun-anew-when-the-stream-says-so",
        "A history of which a stream says that it is too long may be sent shorter.",
        asked_after_the_failure(only_the_question),
        "context-too-long-in-the-stream",
        informs=("continuation/",),
    ),
)
