"""How a run ends, and which calls it executes: passed off as finished, given up, or run when they must not be."""

from __future__ import annotations

from harness.rules import TraceView
from harness.trace import Failure, Final, SetCode, ToolResult, ToolStart, TurnStart
from harness_lab.mutants.traces.draft import NothingToBreak, TraceDraft, insert, place, places
from harness_lab.mutants.traces.edits import alter, drop, end_as, judged_by, stop_before
from harness_lab.mutants.traces.mutant import Edit, EquivalentTrace, TraceMutant

_CUT_OFF = Failure("raised", "IncompleteOutput: the model did not come to its end")
_CRASH = Failure("crash", "TypeError: '<' not supported between instances of 'str' and 'int'")
_PAGE = "<html><body>A page that nobody wrote.</body></html>"


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


def set_outside(code: str) -> Edit:
    """A code is set outside any call right before the end, and the run ends with it."""

    def edit(draft: TraceDraft) -> None:
        end_as(Final(code))(draft)
        insert(draft.records, place(draft.records, Final), SetCode(code))

    return edit


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


_TWO_TURNS = "create-then-edit"
_ONE_CALL = "tool-returns"
_TWO_CALLS = "thinking-in-every-turn"

_ENDS = (
    TraceMutant(
        "crash-at-the-end", "The loop crashes on the model's last word.", "final/reported", end_as(_CRASH), _TWO_TURNS
    ),
    TraceMutant(
        "first-turn-for-the-last",
        "The run ends at a turn that called a tool.",
        "final/unfinished",
        stop_before(TurnStart, 1, Final("")),
        _ONE_CALL,
    ),
    TraceMutant(
        "pause-for-an-end",
        "The run ends at a turn that was only paused.",
        "final/paused-turn",
        stop_before(TurnStart, 1, Final("")),
        "paused-turn",
        ("anthropic-messages",),
    ),
    TraceMutant(
        "waiting-for-nobody",
        "A run that is over says that it waits.",
        "final/deferred",
        alter(Final, outcome="deferred"),
        _TWO_TURNS,
    ),
    TraceMutant(
        "waiting-once-more",
        "A run whose calls have all been approved and run says that it waits.",
        "final/deferred",
        alter(Final, -1, outcome="deferred"),
        "unapproved-calls-approved",
    ),
    TraceMutant(
        "asked-on-after-the-output",
        "The result of the run was accepted, and the model is asked once more.",
        "final/output",
        judged_by(kinds={"get_weather": "output"}),
        _ONE_CALL,
    ),
    TraceMutant(
        "half-called-completed",
        "A text that was cut at the token limit is passed off as whole.",
        "final/outcome",
        alter(Final, outcome="completed"),
        "truncated-text",
    ),
    TraceMutant(
        "broken-stream-accepted",
        "A stream that ended without its end is taken for a whole turn.",
        "final/failed-turn",
        end_as(Final("")),
        "stream-without-its-end",
    ),
    TraceMutant(
        "error-in-the-stream-accepted",
        "A stream that ended in an error is taken for a whole turn.",
        "final/failed-turn",
        end_as(Final("")),
        "error-in-the-stream",
    ),
)

_CODES = (
    TraceMutant(
        "prose-as-code", "The run ends with prose for its code.", "final/code", alter(Final, code="Done."), _TWO_TURNS
    ),
    TraceMutant(
        "prose-shown-as-code",
        "Prose is shown as the code before the end.",
        "final/code",
        set_outside("Red foxes or arctic foxes?"),
        "prose-only",
    ),
    TraceMutant(
        "page-invented",
        "A page is shown that is neither in a call nor in the text.",
        "final/code",
        set_outside(_PAGE),
        "prose-only",
    ),
    TraceMutant(
        "prose-shown-over-the-page",
        "What a call has set is overwritten with prose.",
        "final/code",
        set_outside("Done."),
        _TWO_TURNS,
    ),
    TraceMutant(
        "other-page-shown",
        "A page of the text is shown over the one that a call has set.",
        "final/code",
        another_page_shown,
        "page-as-text-after-a-file",
    ),
)

_OPEN = (
    TraceMutant(
        "crash-on-a-call",
        "The loop crashes on a call that has begun.",
        "final/open-call",
        stop_before(ToolResult, 1, _CRASH),
        _TWO_CALLS,
    ),
    TraceMutant(
        "crash-before-a-call",
        "The loop crashes on a call before it is reported.",
        "final/open-call",
        stop_before(ToolStart, 1, _CRASH),
        _TWO_CALLS,
    ),
    TraceMutant(
        "crash-between-calls",
        "The loop crashes on the second call of a turn.",
        "final/open-call",
        stop_before(ToolStart, 1, _CRASH),
        "parallel-calls",
    ),
)

_RUN = (
    TraceMutant(
        "truncated-call-run",
        "A call of a turn that was cut at the token limit is run.",
        "final/stopped-call",
        run_last_call,
        "truncated-after-a-whole-call",
    ),
    TraceMutant(
        "refused-call-run",
        "A call of a turn that the model refused is run.",
        "final/stopped-call",
        run_last_call,
        "refusal-with-a-call",
        ("openai-responses", "openai-chat"),
    ),
    TraceMutant(
        "filtered-call-run",
        "A call of a turn that the provider filtered is run.",
        "final/stopped-call",
        run_last_call,
        "filter-inside-a-call",
    ),
    TraceMutant(
        "call-of-a-broken-turn-run",
        "A call of a turn that ended in an error is run.",
        "final/failed-turn",
        run_last_call,
        "error-in-the-stream-after-a-call",
    ),
    TraceMutant(
        "arguments-repaired",
        "A call whose arguments are no JSON is run on a guess.",
        "execution/arguments",
        alter(ToolResult, ok=True),
        "arguments-invalid-json",
        ("openai-responses", "openai-chat", "anthropic-messages"),
        also=("history/result-error",),  # on Anthropic it was sent as an error
    ),
    TraceMutant(
        "arguments-guessed",
        "A call whose arguments are a list is run on a guess.",
        "execution/arguments",
        alter(ToolResult, ok=True),
        "arguments-no-object",
        ("openai-responses", "openai-chat", "anthropic-messages"),
        also=("history/result-error",),  # on Anthropic it was sent as an error
    ),
    TraceMutant(
        "run-for-nobody",
        "A call of the answer that was demanded is run, and its result never sent.",
        "execution/unnecessary",
        run_last_call,
        "call-in-the-last-answer",
    ),
    TraceMutant(
        "run-at-the-stop",
        "A call of the last turn is run although the run stops there.",
        "execution/unnecessary",
        run_last_call,
        "limit-of-one",
    ),
    TraceMutant(
        "run-though-left-out",
        "The calls of a turn are run that the caller has refused without a look at what they would give.",
        "execution/unnecessary",
        judged_by(generated=()),
        "response-read-then-turn-refused",
        ("openai-chat", "anthropic-messages", "gemini-generate"),  # Responses misses the turn that was left out
    ),
)

_WAITING = (
    TraceMutant(
        "nobody-asked",
        "Calls that need approval are run without a word.",
        "execution/unapproved",
        drop(Final, outcome="deferred"),
        "unapproved-calls-approved",
        also=("execution/waiting",),
    ),
    TraceMutant(
        "asked-afterwards",
        "One of two calls that need approval is over before anybody was asked.",
        "execution/unapproved",
        one_asked_afterwards,
        "unapproved-calls-approved",
    ),
    TraceMutant(
        "denied-by-nobody",
        "The model reads a denial that no person gave.",
        "execution/waiting",
        drop(Final, outcome="deferred"),
        "unapproved-call-denied",
    ),
)

MUTANTS = (*_ENDS, *_CODES, *_OPEN, *_RUN, *_WAITING)

EQUIVALENTS = (
    EquivalentTrace(
        "cut-off-is-an-error",
        "A loop may report by an error that the model's text was cut off.",
        end_as(_CUT_OFF),
        "truncated-text",
    ),
    EquivalentTrace(
        "refused-is-an-error", "A loop may report by an error that the model has refused.", end_as(_CUT_OFF), "refusal"
    ),
    EquivalentTrace(
        "limit-raised",
        "A loop may raise at its turn limit, and only its text says so.",
        end_as(Failure("raised", "MaxTurnsExceeded: 20")),
        "twenty-one-tool-turns",
    ),
)
