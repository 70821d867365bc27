"""How a run goes on and ends: limits, retries, calls that must not run, what the run returns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from harness.trace import Assistant, Failure, Final, RequestRecord, SetCode, ToolResult, ToolStart, TurnStart
from harness.wire import Call, FinishReason, Refusal, Result, StreamError, Text, ThinkingPart, Turn
from harness_lab.mutants.traces import conversations
from harness_lab.mutants.traces.draft import TraceDraft, requests
from harness_lab.mutants.traces.edits import alter, drop, end_as
from harness_lab.mutants.traces.plain import PlainRun, call, says
from harness_lab.mutants.traces.small_run import SmallRun, small_runs
from harness_lab.mutants.traces.small_runs.changes import (
    ANTHROPIC,
    CHAT,
    asked_again,
    case,
    cut,
    emit,
    moved,
    part,
    resend,
    respond,
    runs,
    unanswered,
)

__all__ = ["SMALL_RUNS"]

_OPENAI = ("openai-responses", "openai-chat")
_LOOK = runs("depth")[0]
_ONE = PlainRun(runs("depth"))
_TWICE = PlainRun((_LOOK, *runs("tide")))
_ENDLESS = PlainRun((_LOOK,) * 3, end=Failure("turn-limit", "no more turns"), stops_at=3)
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

# --- limits -----------------------------------------------------------------------------------------------------------

_DEMANDED = PlainRun((_LOOK, says("Yes.")), end=Final("", "turn-limit"))
_ASK = conversations.remark(behind=True)
_CONTRACTS: tuple[str, ...] = ("universal", "tool-runner", "screenshot-to-code", "pydantic-ai", "hugind")


def _limits() -> Iterator[SmallRun]:
    ends: tuple[tuple[str, Any], ...] = (
        ("raised-limit", Failure("turn-limit", "no more")),
        ("raised", Failure("raised", "no more")),
        ("failed", Failure("crash", "no more")),
        ("retries", Failure("tool-retries", "no more")),
        ("limit", Final("", "turn-limit")),
        ("completed", Final("")),
        ("deferred", Final("", "deferred")),
        ("never", None),
    )
    for profile in _CONTRACTS:
        for name, end in ends:
            run = PlainRun((_LOOK,) * 2, end=end, stops_at=2, case={"profile": profile, "turn_limit": 2})
            edits = [case(emits=("toolStart", "toolResult", "final", "error"))] if end is None else []
            summary = f"Under the contract {profile} the last turn that was allowed called a tool."
            yield SmallRun(f"limit-{profile}-{name}", "guardrail/limit-reported", summary, run, tuple(edits), CHAT)
        for name, edits in (
            ("asked", [_ASK]),
            ("unasked", []),
            ("asked-completed", [_ASK, alter(Final, 0, outcome="completed")]),
        ):
            run = PlainRun(_DEMANDED.turns, end=_DEMANDED.end, case={"profile": profile, "turn_limit": 1})
            summary = f"Under the contract {profile} one request more than allowed."
            yield SmallRun(f"beyond-{profile}-{name}", "guardrail/turn-limit", summary, run, tuple(edits), CHAT)
    blank = PlainRun(_DEMANDED.turns, end=_DEMANDED.end, case={"profile": "hugind", "turn_limit": 1})
    yield SmallRun(
        "beyond-asked-blank",
        "guardrail/answer-now",
        "A blank text demands nothing.",
        blank,
        (_ASK, part(Text, lambda old: replace(old, text=" "), -1, "user")),
        CHAT,
    )


_LIMITS = (
    *_limits(),
    *small_runs(
        "guardrail/turn-limit",
        _TWICE,
        ("below-limit", "As many turns as are allowed.", [case(turn_limit=3)]),
        ("above-limit", "One turn too many.", [case(turn_limit=2)]),
        ("far-above-limit", "Two turns too many.", [case(turn_limit=1)]),
        ("no-turn-allowed", "No turn is allowed.", [case(turn_limit=0)]),
        ("limit-of-no-contract", "No limit.", []),
        ("above-limit-resent", "A request that is sent again counts once.", [case(turn_limit=3), resend(1)]),
        ("above-limit-again", "One that is sent again after an answer counts.", [case(turn_limit=3), asked_again(1)]),
    ),
    *small_runs(
        "guardrail/false-alarm",
        _ONE,
        (
            "alarm-after-an-answer",
            "The limit is cried after an answer in the last turn.",
            [case(turn_limit=2), end_as(Failure("turn-limit", "2 turns"))],
        ),
        (
            "alarm-as-an-outcome",
            "It is the outcome after an answer in the last turn.",
            [case(turn_limit=2), end_as(Final("", "turn-limit"))],
        ),
        (
            "alarm-too-early",
            "It is cried before the last turn.",
            [case(turn_limit=3), end_as(Failure("turn-limit", "3 turns"))],
        ),
        (
            "alarm-without-limit",
            "Without a limit it may be the loop's own.",
            [end_as(Failure("turn-limit", "2 turns"))],
        ),
        (
            "alarm-edited",
            "A caller may want another turn.",
            [case(turn_limit=2, edits=(2,)), end_as(Failure("turn-limit", "2 turns"))],
        ),
        (
            "alarm-edited-before",
            "The caller has edited another turn.",
            [case(turn_limit=2, edits=(1,)), end_as(Failure("turn-limit", "2 turns"))],
        ),
        (
            "alarm-edited-too-early",
            "Before the limit the caller wants nothing.",
            [case(turn_limit=3, edits=(3,)), end_as(Failure("turn-limit", "3 turns"))],
        ),
        ("no-alarm", "Another failure is no alarm.", [case(turn_limit=3), end_as(Failure("http", "500"))]),
    ),
    SmallRun(
        "limit-with-output",
        "guardrail/false-alarm",
        "The last turn gave the output.",
        PlainRun(
            (_LOOK,), end=Failure("turn-limit", "1"), stops_at=1, case={"turn_limit": 1, "kinds": {"depth": "output"}}
        ),
    ),
    SmallRun(
        "limit-with-paused",
        "guardrail/limit-reported",
        "The last turn is paused.",
        _PAUSED_END,
        (case(turn_limit=2),),
        ANTHROPIC,
    ),
    SmallRun(
        "limit-with-cut-off",
        "guardrail/limit-reported",
        "The last turn hit the token limit.",
        _last(_CUT_OFF, Final("", "truncated")),
        (case(turn_limit=2),),
    ),
)

# --- retries ----------------------------------------------------------------------------------------------------------

_RETRIES = (
    *small_runs(
        "retry/request",
        _ONE,
        ("resent-twice", "A request is sent three times.", [resend(1, 2)]),
        ("resent-thrice", "It is sent four times.", [resend(1, 3)]),
        ("resent-four-times", "It is sent five times: one finding.", [resend(1, 4)]),
        ("resent-each", "Each of two requests is sent three times.", [resend(0, 2), resend(3, 2)]),
        ("resent-unable", "A loop that does not retry by itself.", [resend(1, 3), case(capabilities=())]),
        ("resent-able", "A loop that does.", [resend(1, 3), case(capabilities=("retry",))]),
    ),
    *small_runs(
        "retry/refused",
        _ONE,
        *[
            (f"resent-{status}", f"A request that got HTTP {status} is sent again.", [resend(1, 1, status=status)])
            for status in (400, 401, 403, 404, 408, 409, 413, 422, 429, 500)
        ],
        ("resent-refused-twice", "It is sent again twice: one finding.", [resend(1, 2, status=400)]),
    ),
)

# --- calls that run and must not --------------------------------------------------------------------------------------

_KINDS = PlainRun(
    (Turn((call("depth", basin="n"), call("enter", basin="n"))), says("Yes.")), case={"kinds": {"enter": "unapproved"}}
)
_WAITS = [emit(ToolStart, 1, Final("", "deferred"))]

_EXECUTION = (
    *small_runs(
        "execution/unapproved",
        _KINDS,
        ("unapproved-run", "A call that needs approval runs without.", []),
        ("external-run", "A call that runs elsewhere runs here.", [case(kinds={"enter": "external"})]),
        ("approved-run", "The run was deferred before.", _WAITS),
        ("unapproved-failed", "The call failed.", [alter(ToolResult, 1, ok=False)]),
        (
            "unapproved-coded",
            "It failed, and has set a code.",
            [alter(ToolResult, 1, ok=False), emit(ToolResult, 1, SetCode("<p>"))],
        ),
        ("approved-too-late", "The run is deferred afterwards.", [emit(TurnStart, 1, Final("", "deferred"))]),
        ("unapproved-untold", "Nothing is reported of the call.", [drop(ToolResult, 1), drop(ToolStart, 1)]),
        ("output-run", "An output call needs no approval.", [case(kinds={"enter": "output"})]),
        ("unapproved-no-final", "A loop that reports no end.", [drop(Final)]),
        ("unapproved-cut", "The turn broke.", [cut(0)]),
    ),
    SmallRun(
        "two-wait",
        "execution/waiting",
        "Two calls wait: one finding.",
        PlainRun(_KINDS.turns, case={"kinds": {"enter": "unapproved", "depth": "external"}}),
        (drop(ToolResult), drop(ToolResult), drop(ToolStart), drop(ToolStart)),
    ),
    SmallRun(
        "waits-and-is-asked-on",
        "execution/waiting",
        "A call that waits was started, and the next request has a result for it that nobody gave.",
        PlainRun(_KINDS.turns, case=_KINDS.case),
        (drop(ToolResult, 1),),
    ),
    SmallRun(
        "waits-for-the-other",
        "execution/waiting",
        "The run was deferred in an earlier turn.",
        PlainRun((*_KINDS.turns[:1], *_KINDS.turns), case=_KINDS.case),
        tuple(_WAITS),
    ),
    *small_runs(
        "execution/unnecessary",
        PlainRun(
            (_LOOK, _CALLS), end=Final("", "turn-limit"), stops_at=2, case={"profile": "tool-runner", "turn_limit": 2}
        ),
        ("run-at-the-limit", "Calls of the last turn are run.", []),
        (
            "not-run-at-the-limit",
            "They are not run.",
            [drop(ToolResult, 1), drop(ToolResult, 1), drop(ToolStart, 1), drop(ToolStart, 1)],
        ),
        ("failed-at-the-limit", "They failed.", [alter(ToolResult, 1, ok=False), alter(ToolResult, 2, ok=False)]),
        ("run-before-the-limit", "One turn is left.", [case(turn_limit=3)]),
        ("run-at-the-limit-edited", "The caller has ended the run.", [case(edits=(2,))]),
        (
            "output-at-the-limit",
            "An output call is what the run was for.",
            [case(kinds={"tide": "output", "enter": "output"})],
        ),
        (
            "run-at-the-limit-raised",
            "Another contract runs them, and fails.",
            [case(profile="screenshot-to-code"), end_as(Failure("turn-limit", "2"))],
        ),
        ("run-at-the-limit-cut", "The turn broke.", [cut(1)]),
    ),
    SmallRun(
        "run-in-the-answer",
        "execution/unnecessary",
        "The answer was demanded, and calls a tool that is run.",
        PlainRun((_LOOK, _CALLS), end=Final("", "turn-limit"), stops_at=2, case={"profile": "hugind", "turn_limit": 1}),
        (_ASK,),
    ),
    *small_runs(
        "execution/unnecessary",
        PlainRun((_LOOK, says("Yes.")), case={"edits": (1,)}),
        (
            "left-out-and-run",
            "The caller has left the turn out, and its call was run.",
            [part(Call, lambda _: []), part(Result, lambda _: [])],
        ),
        (
            "left-out-and-generated",
            "The caller had the tools run.",
            [part(Call, lambda _: []), part(Result, lambda _: []), case(generated=(1,))],
        ),
        (
            "left-out-and-another-generated",
            "The caller had the tools of another turn run.",
            [part(Call, lambda _: []), part(Result, lambda _: []), case(generated=(2,))],
        ),
        ("kept-and-run", "The caller has kept the turn.", []),
        (
            "left-out-and-not-run",
            "The call was not run.",
            [part(Call, lambda _: []), part(Result, lambda _: []), drop(ToolResult)],
        ),
    ),
    *small_runs(
        "execution/concurrent",
        PlainRun((*runs("depth", "tide"),), case={"profile": "pydantic-ai", "waited": ("tide",)}),
        ("waits-in-vain", "A tool waits for another that does not start.", []),
        ("waits-for-nobody", "Another tool has waited.", [case(waited=("enter",))]),
        ("waits-in-order", "The contract promises no concurrency.", [case(profile="tool-runner")]),
        ("waits-in-vain-twice", "The first that waits is named.", [case(waited=("tide", "depth"))]),
        ("waits-unanswered", "No response: the request's line shows it.", [cut(0)]),
    ),
    SmallRun(
        "waits-in-two-turns",
        "execution/concurrent",
        "One finding for a run.",
        PlainRun(
            (*runs("depth", "tide")[:1], *runs("depth", "tide")), case={"profile": "pydantic-ai", "waited": ("tide",)}
        ),
    ),
)

# --- what the run returns ---------------------------------------------------------------------------------------------

_THOUGHT = PlainRun(
    (_LOOK, Turn((ThinkingPart("The basin is deep enough."), Text("Yes, you may."), Text(" Mind the tide."))))
)


def _returned(
    name: str, summary: str, text: str | None, *edits: Any, run: PlainRun = _THOUGHT
) -> tuple[SmallRun, SmallRun]:
    """The same for a loop that reports its text by events, and for one that does not."""
    emitted = SmallRun(f"returned-{name}", "final/text", summary, run, (alter(Final, 0, text=text), *edits), CHAT)
    dropped = tuple(drop(Assistant) for turn in run.turns if turn.text)
    silent = SmallRun(
        f"only-returned-{name}",
        "final/text",
        f"{summary} No text is reported.",
        run,
        (alter(Final, 0, text=text), *dropped, *edits),
        CHAT,
    )
    return emitted, silent


_JSON = PlainRun((_LOOK, says('{"enter": true, "why": "deep enough"}')))
_TEXTS = (
    *_returned("whole", "The text of the last turn.", "Yes, you may. Mind the tide."),
    *_returned("spaced", "The text with other white space.", "Yes,\nyou  may.\n\nMind the tide."),
    *_returned("framed", "Words around it.", "The answer: Yes, you may. Mind the tide. Bye."),
    *_returned("as-json", "The text inside of JSON.", '{"answers": ["Yes, you may. Mind the tide."]}'),
    *_returned(
        "escaped",
        "The text inside of JSON that escapes it.",
        json.dumps({"answers": ["Grüße: „Yes“."]}),
        run=PlainRun((_LOOK, says("Grüße: „Yes“."))),
    ),
    *_returned(
        "escaped-deep",
        "The same deeper inside.",
        json.dumps([{"a": {"b": ["Grüße: „Yes“."]}}, 5]),
        run=PlainRun((_LOOK, says("Grüße: „Yes“."))),
    ),
    *_returned("empty", "The empty text.", ""),
    *_returned("blank", "A blank text.", " \n"),
    *_returned("short", "Only the beginning.", "Yes, you may."),
    *_returned("other", "Another text.", "No."),
    *_returned("nothing", "No text at all.", None),
    *_returned("json-as-json", "A text that is JSON may be returned otherwise.", "enter: true", run=_JSON),
    *_returned("thinking", "The text and the thinking.", "The basin is deep enough. Yes, you may. Mind the tide."),
    *_returned("truncated", "An outcome that is no answer.", "Yes", alter(Final, 0, outcome="truncated")),
    *_returned("edited", "The caller has edited the turn.", "No.", case(edits=(2,))),
    *_returned("output", "A run that has output tools.", "No.", case(kinds={"enter": "output"})),
    *_returned("external", "A run that has other kinds of tools.", "No.", case(kinds={"enter": "external"})),
    *_returned("cut", "A turn that broke.", "No.", cut(1)),
    *_returned("number", "A number.", "5"),
    *_returned("deep-json", "More brackets than a parser takes.", "[" * 100_000),
)


def _thoughts() -> Iterator[SmallRun]:
    rows: tuple[tuple[str, str, tuple[Any, ...], str], ...] = (
        ("apart", "The thinking is not returned.", (ThinkingPart("The basin is deep."), Text("Yes.")), "Yes."),
        (
            "in-the-text",
            "The thinking is returned.",
            (ThinkingPart("The basin is deep."), Text("Yes.")),
            "The basin is deep. Yes.",
        ),
        (
            "returned-seven",
            "Seven characters may be there by chance.",
            (ThinkingPart("so deep"), Text("Yes.")),
            "so deep Yes.",
        ),
        (
            "returned-eight",
            "Eight characters do not.",
            (ThinkingPart("so deep it is"), Text("Yes.")),
            "so deep it is Yes.",
        ),
        (
            "returned-exactly-eight",
            "Eight characters, white space apart.",
            (ThinkingPart("it is deep"), Text("Yes.")),
            "it is deep Yes.",
        ),
        (
            "said-too",
            "The model says it as its answer, too.",
            (ThinkingPart("The basin is deep."), Text("Well: The basin is deep.")),
            "Well: The basin is deep.",
        ),
        (
            "in-json",
            "A history in JSON contains thinking.",
            (ThinkingPart("The basin is deep."), Text("Yes.")),
            '["The basin is deep.", "Yes."]',
        ),
    )
    for name, summary, parts, text in rows:
        run = PlainRun((_LOOK, Turn(parts)), end=Final("", text=text))
        yield SmallRun(f"thinking-{name}", "final/thinking", summary, run, (), ("anthropic-messages",))
    early = PlainRun(
        (
            Turn((Text("The basin is deep."), call("depth", basin="n"))),
            Turn((ThinkingPart("The basin is deep."), Text("Yes."))),
        ),
        end=Final("", text="The basin is deep. Yes."),
    )
    yield SmallRun(
        "thinking-said-before",
        "final/thinking",
        "The model has said it in an earlier turn.",
        early,
        (),
        ("anthropic-messages",),
    )


SMALL_RUNS = (*_outcomes(), *_ENDS, *_FAULTS, *_LIMITS, *_RETRIES, *_EXECUTION, *_TEXTS, *_thoughts())
