"""How a run ends: its outcome, and turns that are no success."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from harness.trace import Assistant, Failure, Final, RequestRecord, SetCode, ToolResult, ToolStart, TurnStart
from harness.wire import Call, FinishReason, Refusal, Result, StreamError, Text, Turn
from harness_lab.mutants.traces.draft import TraceDraft, requests
from harness_lab.mutants.traces.edits import alter, drop, end_as
from harness_lab.mutants.traces.plain import PlainRun, call, says
from harness_lab.mutants.traces.small_run import SmallRun, small_runs
from harness_lab.mutants.traces.small_runs.changes import (
    ANTHROPIC,
    CHAT,
    case,
    cut,
    emit,
    moved,
    part,
    respond,
    runs,
    unanswered,
)

_LOOK = runs("depth")[0]
_ONE = PlainRun(runs("depth"))
_PAUSED = PlainRun((Turn((Text("Let me see"),), FinishReason.PAUSE), says("Yes.")))
_PAUSED_END = PlainRun((_LOOK, Turn((Text("Let me see"),), FinishReason.PAUSE)), end=Final(""))


def _last(turn: Turn, end: Any, **members: Any) -> PlainRun:
    """A run that ends with a turn after a call, of which nothing is run."""
    return PlainRun((_LOOK, turn), end=end, stops_at=2, **members)


_CUT_OFF = Turn((Text("It is"),), FinishReason.MAX_TOKENS)
_REFUSED = Turn((Refusal("I cannot."),), FinishReason.REFUSAL)
_FILTERED = Turn((Text("It"),), FinishReason.CONTENT_FILTER)
_CALLS = Turn((Text("One more."), call("tide", basin="s"), call("enter", basin="s")))

_OUTCOMES: tuple[tuple[str, str, Turn, str], ...] = (
    ("completed", "A turn that came to its end.", says("Yes."), "completed"),
    ("completed-as-truncated", "It is called truncated.", says("Yes."), "truncated"),
    ("completed-as-refused", "It is called refused.", says("Yes."), "refused"),
    ("truncated", "A turn that hit the token limit.", _CUT_OFF, "truncated"),
    ("truncated-as-completed", "It is called completed.", _CUT_OFF, "completed"),
    ("truncated-as-limit", "It is called the turn limit.", _CUT_OFF, "turn-limit"),
    ("filtered", "A turn that a filter stopped.", _FILTERED, "refused"),
    ("filtered-as-completed", "It is called completed.", _FILTERED, "completed"),
    ("refused", "A refusal.", _REFUSED, "refused"),
    ("refused-as-completed", "It is called completed.", _REFUSED, "completed"),
    ("refused-in-a-part", "A refusal in a turn that stopped as any other.", Turn((Refusal("I cannot."),)), "completed"),
    ("as-limit", "Whether the limit was reached is another rule's affair.", says("Yes."), "turn-limit"),
)


def _outcomes() -> Iterator[SmallRun]:
    for name, summary, turn, outcome in _OUTCOMES:
        run = PlainRun((_LOOK, turn), end=Final("", outcome))
        yield SmallRun(f"outcome-{name}", "final/outcome", summary, run)
    unable = PlainRun((_LOOK, _CUT_OFF), case={"capabilities": ("retry",)})
    yield SmallRun("outcome-unable", "final/outcome", "A loop that knows no outcomes.", unable, (), CHAT)
    able = PlainRun((_LOOK, _CUT_OFF), case={"capabilities": ("outcomes",)})
    yield SmallRun("outcome-able", "final/outcome", "A loop that knows outcomes.", able, (), CHAT)
    edited = PlainRun((_LOOK, _CUT_OFF), case={"edits": (2,)})
    yield SmallRun("outcome-edited", "final/outcome", "The caller has edited the turn.", edited, (), CHAT)
    yield SmallRun("outcome-of-a-cut-turn", "final/failed-turn", "A turn that broke has no outcome.", _ONE, (cut(1),))


_ENDS = (
    *small_runs(
        "final/reported",
        _ONE,
        ("answer-as-failure", "A run that has its answer ends in a failure.", [end_as(Failure("http", "500"))]),
        ("answer-as-limit", "The turn limit is another rule's affair.", [end_as(Failure("turn-limit", "1"))]),
        (
            "answer-as-retries",
            "Retries that are used up, and nothing was tried again.",
            [end_as(Failure("tool-retries", "1"))],
        ),
        ("answer-cut-as-failure", "A stream that broke is a failure.", [cut(1), end_as(Failure("stream", "cut"))]),
        (
            "answer-reset-as-failure",
            "A connection that broke behind the end may be one.",
            [cut(1, end="reset", events=0), end_as(Failure("stream", "reset"))],
        ),
        (
            "answer-closed-as-failure",
            "One that the loop has closed is none.",
            [cut(1, end="closed", events=0), end_as(Failure("stream", "closed"))],
        ),
        ("answer-with-both-ends", "A final and a failure.", [emit(Final, 0, Failure("http", "500"))]),
    ),
    SmallRun(
        "stopped-for-no-call",
        "final/unfinished",
        "A turn that stopped to call a tool, and calls none, is the last one.",
        PlainRun((_LOOK, Turn((Text("Yes."),), FinishReason.TOOL_CALLS, deltas="whole")), stops_as_written=True),
    ),
    SmallRun(
        "answer-not-taken",
        "final/reported",
        "A text that was not taken for an answer, and another one: retries are used up.",
        PlainRun((says("Maybe."), says("Yes.")), end=Failure("tool-retries", "1")),
    ),
    SmallRun(
        "answer-not-taken-http",
        "final/reported",
        "A text that was not taken for an answer, and a provider that fails behind the other one.",
        PlainRun((says("Maybe."), says("Yes.")), end=Failure("http", "500")),
    ),
    *small_runs(
        "final/reported",
        _ONE,
        (
            "answer-broken-as-failure",
            "A connection that was cut behind the end may be a failure.",
            [cut(1, end="cut", events=0), end_as(Failure("stream", "cut"))],
        ),
    ),
    *(
        SmallRun(
            f"limit-of-{profile}",
            "guardrail/turn-limit",
            f"The contract {profile} allows {limit} turns, and the loop asks for one more.",
            PlainRun((_LOOK,) * (limit + 1), silent=True, stops_at=limit + 1, case={"profile": profile}),
            (),
            CHAT,
        )
        for profile, limit in (("screenshot-to-code", 20), ("pydantic-ai", 50), ("hugind", 10))
    ),
    SmallRun(
        "cut-off-as-failure",
        "final/reported",
        "Of an answer that was cut off a failure may say so.",
        _last(_CUT_OFF, Failure("length", "cut off")),
    ),
    SmallRun(
        "call-as-failure", "final/reported", "A turn with a call is no answer.", _last(_CALLS, Failure("http", "500"))
    ),
    SmallRun(
        "paused-as-failure",
        "final/reported",
        "A paused turn is no answer.",
        PlainRun(_PAUSED_END.turns, end=Failure("http", "500")),
        (),
        ANTHROPIC,
    ),
    SmallRun("paused-as-final", "final/paused-turn", "A run ends on a paused turn.", _PAUSED_END, (), ANTHROPIC),
    SmallRun("paused-and-continued", "final/paused-turn", "A paused turn is sent back.", _PAUSED, (), ANTHROPIC),
    SmallRun(
        "paused-at-limit",
        "final/paused-turn",
        "At the limit another rule speaks.",
        _PAUSED_END,
        (case(turn_limit=2),),
        ANTHROPIC,
    ),
    SmallRun(
        "paused-below-limit",
        "final/paused-turn",
        "Below the limit it does not.",
        _PAUSED_END,
        (case(turn_limit=3),),
        ANTHROPIC,
    ),
    SmallRun(
        "paused-as-limit",
        "final/paused-turn",
        "A limit of the loop's own.",
        PlainRun(_PAUSED_END.turns, end=Final("", "turn-limit")),
        (),
        ANTHROPIC,
    ),
    SmallRun(
        "paused-as-truncated",
        "final/paused-turn",
        "A paused turn is reported as one that was cut short: the outcome is not looked at.",
        PlainRun(_PAUSED_END.turns, end=Final("", "truncated")),
        (),
        ANTHROPIC,
    ),
    *small_runs(
        "final/unfinished",
        _last(_CALLS, Final("")),
        ("call-as-final", "A run ends with a call that was made.", []),
        ("call-as-final-limit", "It ends with the turn limit.", [end_as(Final("", "turn-limit"))]),
        ("call-as-final-edited", "The caller has ended it.", [case(edits=(2,))]),
        ("call-as-final-at-limit", "At the limit another rule speaks.", [case(turn_limit=2)]),
        ("call-as-final-output", "One of the calls is the output.", [case(kinds={"tide": "output"})]),
        (
            "call-as-final-no-output",
            "An output call that was not accepted.",
            [case(kinds={"tide": "output"}), alter(ToolResult, 1, ok=False)],
        ),
        (
            "call-as-final-waiting",
            "A run that waits.",
            [end_as(Final("", "deferred")), case(kinds={"tide": "external", "enter": "unapproved"})],
        ),
        ("call-as-final-cut", "A turn that broke.", [cut(1)]),
    ),
    SmallRun(
        "call-stopped-as-final",
        "final/unfinished",
        "The model says that it came to its end, and calls.",
        _last(Turn((Text("Done."), call("tide", basin="s")), FinishReason.END), Final(""), stops_as_written=True),
    ),
    SmallRun(
        "five-calls-as-final",
        "final/unfinished",
        "Four calls are named.",
        PlainRun((Turn(tuple(call("depth", basin=each) for each in "abcde")),), stops_at=1),
    ),
    SmallRun(
        "same-calls-thrice",
        "final/unfinished",
        "Three turns with the same calls: a limit of the loop's own.",
        PlainRun((Turn((call("depth", basin="n"),)),) * 3, stops_at=3),
    ),
    SmallRun(
        "same-calls-twice",
        "final/unfinished",
        "Two turns are too few.",
        PlainRun((Turn((call("depth", basin="n"),)),) * 2, stops_at=2),
    ),
    SmallRun(
        "other-calls-thrice",
        "final/unfinished",
        "Three turns with other arguments.",
        PlainRun(tuple(Turn((call("depth", basin=each),)) for each in "abc"), stops_at=3),
    ),
    SmallRun(
        "other-tools-thrice",
        "final/unfinished",
        "Three turns with other tools.",
        PlainRun(tuple(Turn((call(each, basin="n"),)) for each in ("depth", "tide", "enter")), stops_at=3),
    ),
    SmallRun(
        "same-calls-respelled",
        "final/unfinished",
        "The same arguments in other spellings.",
        PlainRun(
            tuple(Turn((Call("depth", text),)) for text in ('{"a":1,"b":2}', '{"b": 2, "a": 1}', '{ "a":1, "b":2}')),
            stops_at=3,
        ),
        (),
        CHAT,
    ),
    SmallRun(
        "same-calls-with-a-limit",
        "final/unfinished",
        "Where the case has a limit the loop's own is none.",
        PlainRun((Turn((call("depth", basin="n"),)),) * 3, stops_at=3, case={"turn_limit": 9}),
    ),
    SmallRun(
        "same-calls-after-an-answer",
        "final/unfinished",
        "A turn without calls before them.",
        PlainRun((says("Well."), *((Turn((call("depth", basin="n"),)),) * 3)), stops_at=4),
    ),
    *small_runs(
        "final/deferred",
        PlainRun(
            (_LOOK, Turn((call("enter", basin="n"), call("tide", basin="n")))),
            end=Final("", "deferred"),
            stops_at=2,
            case={"kinds": {"enter": "unapproved"}},
        ),
        ("deferred-after-a-result", "The call that waits has its result already.", []),
        ("deferred", "A call waits for approval.", [drop(ToolResult, 1)]),
        (
            "deferred-external",
            "A call waits for a result from elsewhere.",
            [drop(ToolResult, 1), case(kinds={"enter": "external"})],
        ),
        ("deferred-function", "No call waits.", [drop(ToolResult, 1), case(kinds={})]),
        ("deferred-output", "An output call does not wait.", [drop(ToolResult, 1), case(kinds={"enter": "output"})]),
        ("deferred-cut", "A turn that broke makes nobody wait.", [drop(ToolResult, 1), cut(1)]),
        (
            "deferred-after-code",
            "The call has set its code already.",
            [alter(ToolResult, 1, ok=True), emit(ToolResult, 1, SetCode("<p>", "x"))],
        ),
    ),
    SmallRun(
        "deferred-after-five",
        "final/deferred",
        "Of five calls none waits: four of them are named.",
        PlainRun(
            (Turn(tuple(call("depth", basin=basin) for basin in "abcde")),), end=Final("", "deferred"), stops_at=1
        ),
        tuple(drop(ToolResult) for _ in range(5)),
        CHAT,
    ),
    SmallRun(
        "deferred-before-all",
        "final/deferred",
        "A run waits in front of the model's first text.",
        _ONE,
        (moved(Final, 0, Assistant, 0), alter(Final, 0, outcome="deferred")),
        CHAT,
    ),
    *small_runs(
        "final/output",
        PlainRun(
            (Turn((call("depth", basin="n"), call("enter", basin="n"))), *runs("tide")),
            case={"kinds": {"enter": "output"}},
        ),
        ("asked-after-output", "The model is asked after an output.", []),
        ("asked-after-refused-output", "The output was not accepted.", [alter(ToolResult, 1, ok=False)]),
        ("asked-after-untold-output", "Nothing is reported of the output.", [drop(ToolResult, 1)]),
    ),
    SmallRun(
        "ended-with-output",
        "final/output",
        "An output ends the run.",
        PlainRun(
            (Turn((call("depth", basin="n"), call("enter", basin="n"))),),
            stops_at=1,
            case={"kinds": {"enter": "output"}},
        ),
    ),
    *small_runs(
        "final/open-call",
        _last(_CALLS, Failure("crash", "KeyError")),
        ("failed-after-results", "Every call has its result.", []),
        ("failed-with-an-open-call", "One call has none.", [drop(ToolResult, 2)]),
        ("failed-with-open-calls", "Two calls have none.", [drop(ToolResult, 1), drop(ToolResult, 1)]),
        (
            "failed-with-unstarted-calls",
            "Two calls were not even started.",
            [drop(ToolResult, 1), drop(ToolResult, 1), drop(ToolStart, 1), drop(ToolStart, 1)],
        ),
        (
            "failed-http",
            "A provider that fails may end the run.",
            [drop(ToolResult, 2), end_as(Failure("http", "500"))],
        ),
        ("failed-stream", "So may a stream that broke.", [drop(ToolResult, 2), end_as(Failure("stream", "cut"))]),
        (
            "failed-retries",
            "So may retries that are used up.",
            [drop(ToolResult, 2), end_as(Failure("tool-retries", "2"))],
        ),
        ("failed-limit", "So may the limit.", [drop(ToolResult, 2), end_as(Failure("turn-limit", "2"))]),
        ("failed-raised", "A loop that raises.", [drop(ToolResult, 2), end_as(Failure("raised", "KeyError"))]),
        ("failed-at-limit", "At the limit.", [drop(ToolResult, 2), case(turn_limit=2)]),
        ("failed-below-limit", "Below the limit.", [drop(ToolResult, 2), case(turn_limit=3)]),
        ("failed-untold", "A loop that reports no results.", [drop(ToolResult), drop(ToolResult), drop(ToolResult)]),
        ("failed-cut", "The turn broke.", [drop(ToolResult, 2), cut(1)]),
        ("failed-code-set", "The call has set its code.", [drop(ToolResult, 2), emit(Failure, 0, SetCode("<p>"))]),
        ("failed-never", "The run has no end.", [drop(ToolResult, 2), drop(Failure)]),
    ),
    SmallRun(
        "failed-with-four-open",
        "final/open-call",
        "Three calls are named.",
        PlainRun(
            (_LOOK, Turn(tuple(call("depth", basin=each) for each in "abcd"))),
            end=Failure("crash", "KeyError"),
            stops_at=2,
        ),
        (drop(ToolResult, 1),) * 4,
    ),
    SmallRun(
        "failed-without-id",
        "final/open-call",
        "A call without an id, where results need one.",
        PlainRun((_LOOK, Turn((call("tide", "", basin="s"),))), end=Failure("crash", "KeyError"), stops_at=2),
        (drop(ToolResult, 1),),
        ("openai-chat", "gemini-generate"),
    ),
    SmallRun(
        "failed-with-a-shared-id",
        "final/open-call",
        "A call with an id that the model gave before.",
        PlainRun(
            (Turn((call("tide", "call_1", basin="s"),)), Turn((call("tide", "call_1", basin="n"),))),
            end=Failure("crash", "KeyError"),
            stops_at=2,
        ),
        (drop(ToolResult, 1), drop(ToolStart, 1)),
        CHAT,
    ),
)

# --- turns that are no success --------------------------------------------------------------------------------------

_STOPPED = PlainRun(
    (Turn((Text("Now."), call("depth", basin="n")), FinishReason.MAX_TOKENS),), end=Final("", "truncated"), stops_at=1
)
_BROKEN = PlainRun((Turn((Text("Now."), call("depth", basin="n"))),), end=Failure("stream", "cut"), stops_at=1)
_WENT_ON = PlainRun((Turn((Text("Now."), call("depth", basin="n"))), says("Yes.")))
_OUTPUTS = {"depth": "nine metres deep"}
_SILENT = PlainRun(
    (Turn((Text("Now."), call("depth", basin="n")), FinishReason.MAX_TOKENS), says("Yes.")),
    silent=True,
    outputs=_OUTPUTS,
)


def _sent_twice(draft: TraceDraft) -> None:
    """The second request is the first one once more."""
    first, second = (draft.records[at] for at in requests(draft.records)[:2])
    assert isinstance(first, RequestRecord)  # noqa: S101 - what requests() looks for
    assert isinstance(second, RequestRecord)  # noqa: S101
    draft.records[draft.records.index(second)] = replace(second, body=first.body)


_FAULTS = (
    *small_runs(
        "final/stopped-call",
        _STOPPED,
        ("stopped-and-run", "A call of a turn that hit the token limit was run.", []),
        ("stopped-and-failed", "It was reported as failed.", [alter(ToolResult, 0, ok=False)]),
        ("stopped-and-untold", "Nothing is reported of it.", [drop(ToolResult), drop(ToolStart)]),
        (
            "stopped-and-coded",
            "It has set a code.",
            [alter(ToolResult, 0, ok=False), emit(ToolResult, 0, SetCode("<p>"))],
        ),
        ("stopped-without-input", "It was run on nobody knows what.", [alter(ToolStart, 0, input=None)]),
        ("stopped-and-reset", "The connection broke behind the turn.", [cut(0, end="reset", events=0)]),
    ),
    *small_runs(
        "final/stopped-call",
        _SILENT,
        ("stopped-and-sent", "A loop that reports nothing sends its result.", []),
        ("stopped-and-sent-known", "It is what the tool is known to return.", [case(returns=_OUTPUTS)]),
        (
            "stopped-and-refused",
            "The result says that it was not run.",
            [part(Result, lambda old: replace(old, output='"not run"'))],
        ),
        (
            "stopped-and-sent-marked",
            "The result is marked as a failure.",
            [part(Result, lambda old: replace(old, is_error=True))],
        ),
        ("stopped-and-sent-number", "The result has no word.", [part(Result, lambda old: replace(old, output="9"))]),
        (
            "stopped-and-sent-foreign",
            "The result has letters that are not judged.",
            [part(Result, lambda old: replace(old, output='"tief: fünf"'))],
        ),
        ("stopped-and-sent-edited", "The caller has edited the turn.", [case(edits=(1,))]),
        (
            "stopped-and-mended",
            "The call goes back with other arguments.",
            [part(Call, lambda old: replace(old, arguments='{"basin": "s"}'))],
        ),
        ("stopped-and-dropped", "The turn does not go back.", [part(Call, lambda _: []), part(Result, lambda _: [])]),
    ),
    SmallRun(
        "stopped-in-the-second-answer",
        "final/stopped-call",
        "A request is sent twice; its second answer hits the token limit, and a call of it is run.",
        PlainRun(
            (
                Turn((call("tide", basin="n"),)),
                Turn((call("depth", basin="s"),), FinishReason.MAX_TOKENS),
                says("Yes."),
            ),
        ),
        (_sent_twice, drop(ToolStart, 0), drop(ToolResult, 0), drop(TurnStart, 1)),
        CHAT,
    ),
    SmallRun(
        "stopped-told-as-failed-and-sent",
        "final/stopped-call",
        "It was reported as failed, whatever was sent.",
        PlainRun(_SILENT.turns, outputs=_OUTPUTS, case={"returns": _OUTPUTS}),
        (alter(ToolResult, 0, ok=False),),
    ),
    SmallRun(
        "stopped-known-from-before",
        "final/stopped-call",
        "The same tool said the same in a turn before.",
        PlainRun(
            (
                Turn((call("depth", basin="n"),)),
                Turn((call("depth", basin="s"),), FinishReason.MAX_TOKENS),
                says("Yes."),
            ),
            silent=True,
            outputs=_OUTPUTS,
        ),
    ),
    SmallRun(
        "stopped-other-tool-before",
        "final/stopped-call",
        "Another tool said the same before.",
        PlainRun(
            (
                Turn((call("tide", basin="n"),)),
                Turn((call("depth", basin="s"),), FinishReason.MAX_TOKENS),
                says("Yes."),
            ),
            silent=True,
            outputs={"depth": "deep and calm", "tide": "deep and calm"},
        ),
    ),
    SmallRun(
        "stopped-of-two",
        "final/stopped-call",
        "Of two calls each has its result.",
        PlainRun(
            (Turn((call("depth", basin="n"), call("tide", basin="s")), FinishReason.MAX_TOKENS), says("Yes.")),
            silent=True,
            outputs={"depth": "deep and calm", "tide": "high and rising"},
        ),
    ),
    SmallRun(
        "stopped-of-two-swapped",
        "final/stopped-call",
        "The result under one is what the other returns: which was run is not known.",
        PlainRun(
            (Turn((call("depth", basin="n"), call("tide", basin="s")), FinishReason.MAX_TOKENS), says("Yes.")),
            silent=True,
            outputs={"depth": "high and rising", "tide": 2},
            case={"returns": {"tide": "high and rising"}},
        ),
    ),
    SmallRun(
        "stopped-told-of-others",
        "final/stopped-call",
        "A loop that reports tools, and nothing of this one.",
        PlainRun(
            (
                Turn((call("depth", basin="n"),)),
                Turn((call("tide", basin="s"),), FinishReason.MAX_TOKENS),
                says("Yes."),
            ),
            outputs={"tide": "high and rising"},
        ),
        (drop(ToolStart, 1), drop(ToolResult, 1)),
    ),
    *small_runs(
        "final/failed-turn",
        _BROKEN,
        ("broken-and-run", "A call of a stream that broke was run.", [cut(0)]),
        ("broken-and-failed", "It was reported as failed.", [cut(0), alter(ToolResult, 0, ok=False)]),
        (
            "broken-as-final",
            "The run is called complete.",
            [cut(0), drop(ToolResult), drop(ToolStart), end_as(Final(""))],
        ),
        ("broken-as-failure", "The run is called failed.", [cut(0), drop(ToolResult), drop(ToolStart)]),
        (
            "http-error-as-final",
            "An HTTP error is called complete.",
            [respond(0, status=500, body=b"{}"), drop(ToolResult), drop(ToolStart), drop(Assistant), end_as(Final(""))],
        ),
        (
            "no-answer-as-final",
            "No answer at all is called complete.",
            [unanswered(0), drop(ToolResult), drop(ToolStart), drop(Assistant), end_as(Final(""))],
        ),
        (
            "http-399-is-an-answer",
            "Below 400 a body that cannot be read is no answer.",
            [respond(0, status=399, body=b"?"), drop(ToolResult), drop(ToolStart), drop(Assistant), end_as(Final(""))],
        ),
    ),
    SmallRun(
        "error-in-stream-as-final",
        "final/failed-turn",
        "An error in the stream is called complete.",
        PlainRun((Turn((Text("Now."),), error=StreamError("overloaded")),), end=Final("")),
    ),
    SmallRun(
        "error-in-stream-and-run",
        "final/failed-turn",
        "A call before an error in the stream was run.",
        PlainRun(
            (Turn((call("depth", basin="n"),), error=StreamError("overloaded")),),
            end=Failure("stream", "overloaded"),
            stops_at=1,
        ),
    ),
    *small_runs(
        "final/failed-turn",
        PlainRun(_WENT_ON.turns, silent=True, outputs=_OUTPUTS),
        ("broken-and-answered", "A call of a stream that broke goes back with a result.", [cut(0)]),
        (
            "broken-and-answered-refused",
            "The result says that it was not run.",
            [cut(0), part(Result, lambda old: replace(old, output='"not run"'))],
        ),
        (
            "broken-and-answered-number",
            "A result without a word.",
            [cut(0), part(Result, lambda old: replace(old, output="9"))],
        ),
        (
            "broken-and-answered-marked",
            "The result is marked as a failure.",
            [cut(0), part(Result, lambda old: replace(old, is_error=True))],
        ),
    ),
)

SMALL_RUNS = (*_outcomes(), *_ENDS, *_FAULTS)
