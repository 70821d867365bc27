"""Limits of turns, retries, and calls that run and must not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from harness.trace import Failure, Final, SetCode, ToolResult, ToolStart, TurnStart
from harness.wire import Call, FinishReason, Result, Text, Turn
from harness_lab.mutants.traces import conversations
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
    part,
    resend,
    runs,
)

_LOOK = runs("depth")[0]
_ONE = PlainRun(runs("depth"))
_TWICE = PlainRun((_LOOK, *runs("tide")))
_PAUSED_END = PlainRun((_LOOK, Turn((Text("Let me see"),), FinishReason.PAUSE)), end=Final(""))


def _last(turn: Turn, end: Any, **members: Any) -> PlainRun:
    """A run that ends with a turn after a call, of which nothing is run."""
    return PlainRun((_LOOK, turn), end=end, stops_at=2, **members)


_CUT_OFF = Turn((Text("It is"),), FinishReason.MAX_TOKENS)
_CALLS = Turn((Text("One more."), call("tide", basin="s"), call("enter", basin="s")))

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

SMALL_RUNS = (*_LIMITS, *_RETRIES, *_EXECUTION)
