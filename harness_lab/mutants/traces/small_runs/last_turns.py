"""What the last turns of a run may not do, how it then ends, what it returns, and what is shown of odd arguments."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from harness.trace import Assistant, Failure, Final, ToolArguments, ToolResult, ToolStart, TurnStart
from harness.wire import Call, FinishReason, Result, Text, ThinkingPart, ToolDeclaration, Turn
from harness_lab.mutants.traces import conversations
from harness_lab.mutants.traces.draft import TraceDraft, rewrite
from harness_lab.mutants.traces.edits import alter, drop, end_as
from harness_lab.mutants.traces.mutant import Edit
from harness_lab.mutants.traces.plain import PlainRun, call, says
from harness_lab.mutants.traces.small_run import SmallRun
from harness_lab.mutants.traces.small_runs.acting import acting
from harness_lab.mutants.traces.small_runs.changes import (
    ANTHROPIC,
    CHAT,
    RESPONSES,
    case,
    cut,
    emit,
    gone,
    moved,
    part,
    previewed,
    resend,
    runs,
)

_LOOK = runs("depth")[0]
_ONE = PlainRun(runs("depth"))
_CALLS = Turn((Text("One more."), call("tide", "call_8", basin="s"), call("enter", "call_9", basin="s")))
_CUT_OFF = Turn((Text("It is"),), FinishReason.MAX_TOKENS)
_PAUSED = PlainRun((_LOOK, Turn((Text("Let me see"),), FinishReason.PAUSE)), end=Final(""))


def _last(turn: Turn, end: Final | Failure, **members: Any) -> PlainRun:
    """A run that ends with a turn behind a call, whose results are not sent."""
    return PlainRun((_LOOK, turn), end=end, stops_at=2, **members)


# --- calls whose results cannot be sent ------------------------------------------------------------------------------


def _offers_a_word(draft: TraceDraft) -> None:
    """A word stands among the tools that are offered."""
    for number in (0, 1):
        rewrite(draft.records, number, lambda body: body["tools"].append("depth"))


_STOPS: dict[str, Any] = {"profile": "tool-runner", "turn_limit": 2}
_AT_THE_LIMIT = _last(_CALLS, Final("", "turn-limit"), case=_STOPS)

_IN_VAIN = (
    *acting(
        "execution/unnecessary",
        _AT_THE_LIMIT,
        (
            "run-at-the-limit-sent-again",
            "The last request is sent again, and the calls that it then gets are run.",
            [resend(1)],
        ),
        ("run-beyond-the-limit", "The loop has gone one turn beyond its limit.", [case(turn_limit=1)]),
        (
            "run-beside-an-output",
            "A call is run beside the output that ends the run at its limit.",
            [case(kinds={"enter": "output"}), end_as(Final(""))],
        ),
        wires=CHAT,
    ),
    *acting(
        "execution/unnecessary",
        replace(_AT_THE_LIMIT, case={"profile": "hugind", "turn_limit": 1, "kinds": {"tide": "output"}}),
        (
            "output-in-the-answer",
            "The answer was demanded, and has an output and a call beside it.",
            [conversations.remark(behind=True)],
        ),
        wires=CHAT,
    ),
    *acting(
        "execution/unnecessary",
        PlainRun((_LOOK, _CALLS, says("Yes.")), case={"edits": (2,)}),
        (
            "second-turn-left-out",
            "The caller has left out the second turn, whose calls were run.",
            [part(kind, gone) for kind in (Call, Call, Result, Result)],
        ),
        wires=CHAT,
    ),
    *acting(
        "execution/arguments",
        PlainRun((Turn((Text("Well."), Call("depth", "north", "call_1"))), says("Yes."))),
        ("ran-on-words-beside-a-word", "A tool ran on words, and a word is among the tools.", [_offers_a_word]),
        wires=CHAT,
    ),
)


# --- how a run ends --------------------------------------------------------------------------------------------------

_CRASH = Failure("crash", "KeyError")
_FAILED = _last(_CALLS, _CRASH)
_UNTIDY = _last(
    Turn((Text("Done."), call("tide", "call_8", basin="s"))), Final(""), stops_as_written=True
)  # it says that it came to its end, and calls

_ENDS = (
    *acting(
        "final/reported",
        PlainRun((_CUT_OFF, says("Yes.")), end=Failure("tool-retries", "1")),
        ("cut-off-and-asked-again", "A text was cut off, and retries are used up behind the next.", []),
        wires=CHAT,
    ),
    *acting(
        "final/reported",
        replace(_ONE, end=Failure("http", "500")),
        ("failure-of-no-ends", "A loop that reports no ends has one.", [case(emits=("toolStart", "toolResult"))]),
        wires=CHAT,
    ),
    *acting(
        "final/paused-turn",
        _PAUSED,
        ("paused-and-reset", "The connection broke behind a paused turn.", [cut(1, end="reset", events=0)]),
        wires=ANTHROPIC,
    ),
    *acting(
        "final/unfinished",
        _UNTIDY,
        (
            "call-stopped-in-a-dialect",
            "A server that says so of every turn with calls gets no results.",
            [case(dialect="end-turn-with-calls")],
        ),
        (
            "call-stopped-in-another-dialect",
            "A server that is not known to say so gets none.",
            [case(dialect="thinking-in-text")],
        ),
        wires=ANTHROPIC,
    ),
    *acting(
        "final/deferred",
        _ONE,
        (
            "deferred-before-the-first-request",
            "A run waits before it has asked anything.",
            [moved(Final, 0, TurnStart, 0), alter(Final, 0, outcome="deferred")],
        ),
        wires=CHAT,
    ),
    *acting(
        "final/outcome",
        _ONE,
        (
            "broken-as-truncated",
            "A turn that broke is reported as one that hit the token limit.",
            [cut(1), end_as(Final("", "truncated"))],
        ),
        wires=CHAT,
    ),
    *acting(
        "final/stopped-call",
        PlainRun((replace(_CALLS, stop=FinishReason.MAX_TOKENS),), end=Failure("stream", "cut"), stops_at=1),
        ("stopped-and-broken", "The stream broke behind the stop reason, and its calls were run.", [cut(0)]),
        wires=ANTHROPIC,
    ),
    *acting(
        "final/open-call",
        _FAILED,
        (
            "failed-in-a-dialect",
            "A call of a dialect's stream has no result.",
            [drop(ToolResult, 2), case(dialect="reasoning")],
        ),
        (
            "failed-with-arguments-alone",
            "Of a call only its arguments were shown.",
            [drop(ToolResult, 2), drop(ToolStart, 2), emit(Failure, 0, ToolArguments("call_9", '{"basin": "s"}'))],
        ),
        wires=CHAT,
    ),
    *acting(
        "final/open-call",
        _last(Turn((call("tide", "", basin="s"), call("enter", "call_9", basin="s"))), _CRASH),
        ("failed-beside-an-unnamed-call", "One call has no id, and the other no result.", [drop(ToolResult, 2)]),
        wires=CHAT,
    ),
    *acting(
        "final/open-call",
        PlainRun((Turn((call("depth", basin="n"),)),) * 3, end=_CRASH, stops_at=3),
        (
            "failed-after-the-same-calls",
            "Three turns make the same call, and the last has no result.",
            [drop(ToolResult, 2)],
        ),
        wires=CHAT,
    ),
)


# --- what the run returns --------------------------------------------------------------------------------------------


def _returned(name: str, summary: str, turn: Turn, text: str, *edits: Edit, wires: Any = CHAT) -> tuple[SmallRun, ...]:
    """No text is reported by events: the run returns it alone."""
    run = PlainRun((turn,), end=Final("", text=text))
    silent = [drop(Assistant) for each in turn.parts if isinstance(each, Text)]
    return acting("final/text", run, (f"returned-{name}", summary, [*silent, *edits]), wires=wires)


_RETURNED = (
    *_returned("unspaced", "The text without white space.", says("Yes, you may."), "Yes,youmay."),
    *_returned("in-two-members", "The text in two members of a list.", says("Yes, you may."), '["Yes,", "you may."]'),
    *_returned("of-a-cut-off-turn", "Another text than that of a turn that was cut off.", _CUT_OFF, "No."),
    *_returned(
        "of-a-paused-turn", "Another text than that of a paused turn.", _PAUSED.turns[1], "No.", wires=ANTHROPIC
    ),
    *_returned(
        "without-commentary",
        "The answer without what the model said on the way.",
        Turn((Text("I look first.", members={"phase": "commentary"}), Text("Yes."))),
        "Yes.",
        wires=RESPONSES,
    ),
    *acting(
        "final/thinking",
        PlainRun(
            (Turn((ThinkingPart("The basin is deep."), Text("The basin"), Text(" is deep."))),),
            end=Final("", text="The basin is deep."),
        ),
        ("thinking-said-in-two-texts", "The model says what it thought, in two texts.", []),
        wires=ANTHROPIC,
    ),
)


# --- what is shown of odd arguments ----------------------------------------------------------------------------------

_FILE = {"type": "object", "properties": {"content": {"type": "string"}}, "required": ["content"]}
_HALVES = {
    r"\ud800\udc00": "\U00010000",  # the first and the last halves that make a character
    r"\udbff\udfff": "\U0010ffff",
    r"\ud800\udbff": "\ufffd\ufffd",  # what looks like one, and is two
    r"\ud800\ue000": "\ufffd\ue000",
    r"\ud7ff\udc00": "\ud7ff\ufffd",
    r"\udc00\udc00": "\ufffd\ufffd",
}
_TAIL = "and so on, " * 9


def _file(name: str, summary: str, arguments: str, *shown: tuple[str, float], rule: str = "preview/prefix") -> Any:
    """A file is written; the tool refuses the arguments, of which some was shown before."""
    turn = Turn((Text("A page."), Call("create_file", arguments, "call_1")), deltas="character")
    run = PlainRun(
        (turn, says("Done.")),
        tools=(ToolDeclaration("create_file", "Creates a file.", _FILE),),
        failing=frozenset({"create_file"}),
    )
    return acting(
        rule, run, (f"shown-{name}", summary, [alter(ToolStart, 0, input=None), previewed(*shown)]), wires=CHAT
    )


_SHOWN = (
    *_file(
        "of-half-an-escape", "The arguments break off inside an escape.", r'{"content": "<p>\n<b>\u00e', ("<p>\n<b>", 1)
    ),
    *_file("of-bare-breaks", "A line break is there as it is.", '{"content": "<p>\n<b>\\t"}', ("<p>\n<b>\t", 1)),
    *_file("of-no-value", "The content is a list, and a text is behind it.", '{"content": ["a"] "<p>"}', ("<p>", 1)),
    *_file(
        "of-halves",
        "Characters are written as halves, and some halves are alone; all is shown before its end has arrived.",
        f'{{"content": "{"".join(_HALVES)}{_TAIL}"}}',
        ("".join(_HALVES.values()) + _TAIL, 0.8),
        rule="preview/arrived",
    ),
)

LAST_TURNS: tuple[SmallRun, ...] = (*_IN_VAIN, *_ENDS, *_RETURNED, *_SHOWN)
