"""Turns as they go back, in the forms that they come in; and the last turn that a run may take, and what follows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from harness.trace import CallerRecord, Failure, Final
from harness.wire import Call, FinishReason, Refusal, Result, Text, ThinkingPart, Turn, WireName
from harness_lab.mutants.traces.conversations import Entry, rewriting
from harness_lab.mutants.traces.draft import TraceDraft, rewrite
from harness_lab.mutants.traces.edits import end_as
from harness_lab.mutants.traces.mutant import Edit
from harness_lab.mutants.traces.plain import PlainRun, call, says
from harness_lab.mutants.traces.small_run import SmallRun, small_runs
from harness_lab.mutants.traces.small_runs.acting import begins
from harness_lab.mutants.traces.small_runs.changes import (
    ANTHROPIC,
    CHAT,
    GEMINI,
    RESPONSES,
    cut,
    gone,
    having,
    part,
    resend,
    runs,
    unreadable,
)


def _rows(
    rule: str, run: PlainRun, *rows: tuple[str, str, Sequence[Edit]], wires: tuple[WireName, ...] = CHAT
) -> tuple[SmallRun, ...]:
    return tuple(replace(each, wires=wires) for each in small_runs(rule, run, *rows))


def _messages(number: int, change: Callable[[list[Any]], list[Any]]) -> Edit:
    """A request of Chat has other messages."""
    return lambda draft: rewrite(draft.records, number, lambda body: body.update(messages=change(body["messages"])))


# --- the history so far -------------------------------------------------------------------------------------------

_THREE = PlainRun((*runs("depth")[:1], *runs("tide")))

_HISTORY = _rows(
    "history/append-only",
    _THREE,
    (
        "two-histories-cut-off",
        "The second request has nothing but the system prompt, and the third has another one.",
        [
            _messages(1, lambda all_: all_[:1]),
            _messages(2, lambda all_: [{"role": "system", "content": "You sail."}, *all_[1:]]),
        ],
    ),
)

# --- the text of a turn -------------------------------------------------------------------------------------------

_LOOK = call("depth", basin="n")
_PIECES = (Text("Well."), Text(" "), Text("Let me look."))


def _joined(text: str, *, times: int) -> Edit:
    """The last texts of the model go back as one."""
    without = [part(Text, gone, -1, "assistant")] * (times - 1)

    def edit(draft: TraceDraft) -> None:
        for each in (*without, part(Text, having(text=text), -1, "assistant")):
            each(draft)

    return edit


_TEXT = (
    *_rows(
        "history/model-text",
        PlainRun((Turn((*_PIECES, _LOOK)), says("Yes."))),
        (
            "pieces-sent-as-one",
            "A text that came in three pieces, one of them blank, goes back as one.",
            [_joined("Well. Let me look.", times=3)],
        ),
        wires=RESPONSES,
    ),
    *_rows(
        "history/model-text",
        PlainRun((Turn((Text("Well. Let me look."), _LOOK)), says("Yes."))),
        (
            "text-sent-in-pieces",
            "A text goes back in three pieces, one of them blank.",
            [part(Text, lambda _: list(_PIECES), -1, "assistant")],
        ),
        (
            "refusal-beside-the-text",
            "Behind the text a refusal goes back that the model has not said.",
            [part(Text, lambda old: [old, Refusal("I will not.")], -1, "assistant")],
        ),
        wires=RESPONSES,
    ),
)

_COMMENTED = Text("Let me look.", phase="commentary")

_PHASES = (
    *_rows(
        "history/model-phase",
        PlainRun((Turn((_COMMENTED, _LOOK)), says("Yes.")), model="gpt-5.4"),
        ("commentary-sent-whole", "The commentary goes back as such.", []),
        ("commentary-sent-without", "It goes back without its mark.", [part(Text, having(phase=""), -1, "assistant")]),
        wires=RESPONSES,
    ),
    *_rows(
        "history/model-phase",
        PlainRun((Turn((_COMMENTED, _COMMENTED, _LOOK)), says("Yes.")), model="gpt-5.4"),
        (
            "commentary-sent-as-an-answer",
            "The same was said twice, and goes back as an answer, and without a mark.",
            [
                part(Text, having(phase="final_answer"), -2, "assistant"),
                part(Text, having(phase=""), -1, "assistant"),
            ],
        ),
        wires=RESPONSES,
    ),
)

# --- its calls ----------------------------------------------------------------------------------------------------

_ONE_ID_OF_THREE = PlainRun(
    (
        Turn(
            (call("depth", "call_1", basin="n"), call("tide", "call_1", basin="s"), call("tide", "call_2", basin="s"))
        ),
        says("Yes."),
    ),
    silent=True,
)

_CALLS = (
    *_rows(
        "history/model-calls",
        _ONE_ID_OF_THREE,
        (
            "shared-id-beside-the-same-call",
            "Of two calls with one id the first goes back; the second was made again under an id of its own.",
            [part(Result, gone, 1), part(Call, gone, 1)],
        ),
    ),
    *_rows(
        "history/model-calls",
        PlainRun((Turn((call("", basin="n"),)), says("Yes.")), failing=frozenset({""})),
        ("call-without-a-name", "A call without a name goes back under some name, as the provider demands.", []),
    ),
)

# --- its thinking -------------------------------------------------------------------------------------------------

_THOUGHTS = Turn((ThinkingPart("I wait for the tide."),))


@rewriting
def _no_thoughts(entries: list[Entry]) -> None:
    entries[:] = [each for each in entries if not isinstance(each[1], ThinkingPart)]


def _no_first_thought(number: int) -> Edit:
    """A request of Anthropic's does not have the thoughts of the first turn."""

    def edit(body: Any) -> None:
        first = next(each for each in body["messages"] if each["role"] == "assistant")
        first["content"] = [each for each in first["content"] if each["type"] != "thinking"]

    return lambda draft: rewrite(draft.records, number, edit)


_THINKING = (
    *_rows(
        "history/model-thinking",
        PlainRun(
            (
                Turn((ThinkingPart("I wait."), Text("Soon."))),
                Turn((ThinkingPart("The tide is high."), _LOOK)),
                says("Yes."),
            ),
            acts={2: begins("Well?")},
        ),
        (
            "thoughts-left-out-and-others-altered",
            "The thoughts of a turn are left out; later, those of another are altered, which the provider refuses.",
            [
                part(ThinkingPart, having(text="The tide is low.")),
                _no_first_thought(1),
                _no_first_thought(2),
            ],
        ),
        wires=ANTHROPIC,
    ),
    *_rows(
        "history/model-thinking",
        PlainRun((_THOUGHTS, says("Yes."))),
        (
            "thoughts-alone-sent-other",
            "A turn of thoughts alone goes back in other words.",
            [part(ThinkingPart, having(text="I do not wait."))],
        ),
        wires=ANTHROPIC,
    ),
    *_rows(
        "history/model-thinking",
        PlainRun((replace(_THOUGHTS, stop=FinishReason.PAUSE), says("Yes."))),
        ("thoughts-alone-paused", "A turn of thoughts alone is only paused, and does not go back.", [_no_thoughts]),
        wires=ANTHROPIC,
    ),
    *_rows(
        "history/model-thinking",
        PlainRun(runs("depth")),
        (
            "signature-of-a-call-other",
            "A call goes back with another signature.",
            [part(Call, lambda old: replace(old, signature=old.signature[::-1]))],
        ),
        wires=GEMINI,
    ),
)

# --- what answers it ----------------------------------------------------------------------------------------------


@rewriting
def _result_of_the_model(entries: list[Entry]) -> None:
    """The last result is in the model's turn."""
    at = max(number for number, (_, each, _) in enumerate(entries) if isinstance(each, Result))
    entries[at] = ("assistant", *entries[at][1:])


_RESULTS = _rows(
    "history/model-order",
    PlainRun(runs("depth")),
    ("result-in-the-turn", "A result goes back as if the model had said it.", [_result_of_the_model]),
    wires=ANTHROPIC,
)

# --- the order of its parts ---------------------------------------------------------------------------------------


def _apart(messages: list[Any]) -> list[Any]:
    """The text of the last turn is a message of its own, behind its results."""
    at = max(number for number, each in enumerate(messages) if each["role"] == "assistant")
    calls = {name: value for name, value in messages[at].items() if name != "content"}
    return [*messages[:at], calls, *messages[at + 1 :], {"role": "assistant", "content": messages[at]["content"]}]


_ORDER = _rows(
    "history/model-order",
    PlainRun((Turn((_LOOK, Text("I have looked."))), says("Yes."))),
    ("text-in-a-message-of-its-own", "A text that came behind a call goes back behind it.", [_messages(1, _apart)]),
)

# --- what is demanded behind the last turn ------------------------------------------------------------------------

_ONE_ALLOWED = {"profile": "hugind", "turn_limit": 1}
_DEMANDED = PlainRun(runs("depth"), case=_ONE_ALLOWED, end=Final("", "turn-limit"))


@rewriting
def _demand(entries: list[Entry]) -> None:
    """The user demands the answer, at the end of the last request."""
    entries.append(("user", Text("Answer now."), "demand"))


_DEMANDS = (
    *_rows(
        "guardrail/answer-now",
        _DEMANDED,
        ("demand-unreadable", "The request behind the last turn is no JSON.", [_demand, unreadable(1)]),
        (
            "demand-without-parts",
            "It ends with a message that has no part.",
            [_messages(1, lambda all_: [*all_, {"role": "user", "content": []}])],
        ),
    ),
    *_rows(
        "guardrail/limit-reported",
        replace(_DEMANDED, end=Final("")),
        ("demanded-answer-broken", "The answer that was demanded breaks.", [_demand, cut(1)]),
        (
            "demanded-answer-failed",
            "The run fails behind the answer that was demanded.",
            [_demand, end_as(Failure("internal", "It broke."))],
        ),
        (
            "demanded-in-blanks-and-done",
            "What is demanded is blank, and the end does not say that the limit was reached.",
            [_demand, part(Text, having(text=" "), -1, "user")],
        ),
    ),
    *_rows(
        "guardrail/limit-reported",
        PlainRun(
            (*runs("depth")[:1], replace(says("Yes, if"), stop=FinishReason.MAX_TOKENS)),
            case=_ONE_ALLOWED,
            end=Final("", "truncated"),
        ),
        ("demanded-answer-truncated", "The answer that was demanded hit the token limit.", [_demand]),
    ),
)

_ALLOWED = (
    *_rows(
        "guardrail/turn-limit",
        PlainRun((says("Yes."), says("Well, yes.")), case=_ONE_ALLOWED, acts={2: (CallerRecord("say", "So?"),)}),
        ("asked-behind-an-answer", "The only turn that is allowed was an answer, and one more is asked for.", []),
    ),
    *_rows(
        "guardrail/false-alarm",
        PlainRun(runs("depth")[:1], case={"turn_limit": 1}, stops_at=1, end=Failure("turn-limit", "1 turn")),
        ("limit-behind-a-refusal", "The only turn that is allowed was asked for twice.", [resend(0)]),
    ),
    *_rows(
        "guardrail/limit-reported",
        PlainRun(
            (*runs("depth")[:1], *runs("tide")[:1]), case={"turn_limit": 2, "kinds": {"depth": "output"}}, stops_at=2
        ),
        ("output-before-the-limit", "An earlier turn gave the output, and the last one called a tool.", []),
    ),
    *_rows(
        "guardrail/limit-reported",
        PlainRun(runs("depth")[:1], case={"turn_limit": 1}, stops_at=1, end=None),
        ("limit-where-no-end-is-reported", "The loop reports no end of its runs at all.", []),
    ),
)

# --- the same calls, turn for turn --------------------------------------------------------------------------------

_DEPTHS = Turn(tuple(call("depth", basin=each) for each in "abcde"))
_SAME = Turn((call("depth", basin="north"),), stop=FinishReason.TOOL_CALLS)

_REPEATED = (
    *_rows(
        "guardrail/no-limit",
        PlainRun((_DEPTHS,) * 61, silent=True, stops_at=61),
        (
            "five-calls-without-end",
            "The model makes the same five calls in 61 turns; the first of these was asked for twice.",
            [resend(0)],
        ),
    ),
    *_rows(
        "final/unfinished",
        PlainRun((_SAME, replace(_SAME, stop=FinishReason.MAX_TOKENS), _SAME), stops_at=3),
        ("same-calls-and-one-stopped", "The second of three turns with the same call hit the token limit.", []),
    ),
)

TURNS: tuple[SmallRun, ...] = (
    *_HISTORY,
    *_TEXT,
    *_PHASES,
    *_CALLS,
    *_THINKING,
    *_RESULTS,
    *_ORDER,
    *_DEMANDS,
    *_ALLOWED,
    *_REPEATED,
)
