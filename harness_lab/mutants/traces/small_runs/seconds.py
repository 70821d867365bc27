"""Runs with two things to judge: the first is right, wrong, or not judged, and the second is wrong all the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from harness.trace import Assistant, CallerRecord, Final, SetCode, Thinking, ToolResult, ToolStart
from harness.wire import Call, FinishReason, Result, Text, ThinkingPart, ToolDeclaration, Turn
from harness_lab.mutants.traces.conversations import Entry, rewriting
from harness_lab.mutants.traces.draft import TraceDraft, insert, place, rewrite
from harness_lab.mutants.traces.edits import alter, drop
from harness_lab.mutants.traces.mutant import Edit
from harness_lab.mutants.traces.plain import PlainRun, call, says
from harness_lab.mutants.traces.small_run import SmallRun
from harness_lab.mutants.traces.small_runs.acting import acting, in_request
from harness_lab.mutants.traces.small_runs.changes import (
    ANTHROPIC,
    CHAT,
    case,
    cut,
    declared,
    gone,
    having,
    moved,
    part,
    unanswered,
)

_LOOK = Turn((Text("Let me look."), call("depth", "call_1", basin="n"), call("tide", "call_2", basin="s")))
_ENTER = Turn((Text("I enter."), call("enter", "call_3", basin="n"), call("depth", "call_4", basin="n")))
_TWO_TURNS = PlainRun((_LOOK, _ENTER, says("Yes.")))
_TWO_CALLS = PlainRun((_LOOK, says("Yes.")))


def _calls(*made: Call, **members: Any) -> PlainRun:
    return PlainRun((Turn((Text("Let me look."), *made)), says("Yes.")), **members)


def _without(*kinds: type) -> Edit:
    def change(entries: list[Entry]) -> None:
        entries[:] = [each for each in entries if not isinstance(each[1], kinds)]

    return rewriting(change)


# --- what goes back ------------------------------------------------------------------------------------------


def _speaks_as_the_model(draft: TraceDraft) -> None:
    """The user's first words are the model's."""

    def change(entries: list[Entry]) -> None:
        at = next(at for at, each in enumerate(entries) if each[0] == "user")
        entries[at] = ("assistant", *entries[at][1:])

    rewriting(change)(draft)


_QUESTION_GONE = part(Text, gone, 0, "user")
_THOUGHTS = (
    Turn((ThinkingPart("I wait for the tide."),)),
    Turn((ThinkingPart("I look at the chart."), Text("Let me look."), call("depth", "call_1", basin="n"))),
    says("Yes."),
)

_BACK = (
    *acting(
        "history/append-only",
        _TWO_TURNS,
        (
            "question-gone-and-back",
            "The question is missing in the second request, and is back in the third: two findings.",
            [in_request(1, _QUESTION_GONE)],
        ),
        (
            "question-cut-off-and-back",
            "The second request ends with the system prompt, and the third has all: one finding.",
            [in_request(1, _without(Text, Call, Result))],
        ),
        (
            "question-other-twice",
            "The question is another in each request.",
            [in_request(1, part(Text, having(text="May we?"), 0, "user"))],
        ),
        (
            "question-of-nobody",
            "The second request has the question as the model's, and so has the third.",
            [in_request(1, _speaks_as_the_model)],
        ),
        wires=CHAT,
    ),
    *acting(
        "history/model-thinking",
        PlainRun(_THOUGHTS, acts={2: (CallerRecord("run", "Well?"),)}),
        (
            "thoughts-left-out-and-others-lost",
            "A turn of thoughts alone is left out, and the thoughts of a later one are lost.",
            [in_request(1, _without(ThinkingPart)), _without(ThinkingPart)],
        ),
        wires=ANTHROPIC,
    ),
    *acting(
        "history/result-value",
        replace(
            _TWO_CALLS,
            outputs={"depth": {"metres": 9}, "tide": {"high": True}},
            case={"returns": {"depth": {"metres": 9}, "tide": {"high": True}}},
        ),
        (
            "second-result-other",
            "The result of the second call is another.",
            [part(Result, having(output='{"high": false}'), -1)],
        ),
        (
            "both-results-other",
            "The results of both calls are others.",
            [part(Result, having(output='{"high": false}'), -1), part(Result, having(output='{"metres": 2}'), 0)],
        ),
        (
            "first-result-failed",
            "The first result is marked as a failure, and the second is another.",
            [
                part(Result, having(output='{"high": false}'), -1),
                part(Result, having(output="Failed.", is_error=True), 0),
            ],
        ),
        (
            "first-result-of-the-second",
            "The first call has the second one's result, and the second another.",
            [part(Result, having(output='{"high": false}'), -1), part(Result, having(output='{"high": true}'), 0)],
        ),
        (
            "result-of-nobody-first",
            "A result of no call is in front, and the second call's is another.",
            [
                part(Result, having(output='{"high": false}'), -1),
                part(Result, lambda old: [replace(old, id="call_x", name="enter"), old], 0),
            ],
        ),
    ),
    *acting(
        "history/own-result",
        replace(
            _TWO_TURNS,
            turns=(Turn((call("enter", "call_0", basin="n"),)), _LOOK, says("Yes.")),
            outputs={"depth": {"metres": 9}, "tide": {"high": True}},
            case={"returns": {"depth": {"metres": 9}, "tide": {"high": True}}},
        ),
        (
            "results-exchanged-later",
            "In the second turn the first call has the second one's result.",
            [part(Result, having(output='{"high": true}'), -2)],
        ),
    ),
    *acting(
        "history/results",
        _TWO_TURNS,
        (
            "results-of-both-turns-lost",
            "Of each turn a result is lost.",
            [in_request(1, part(Result, gone, -1)), part(Result, gone, -1)],
        ),
        ("two-results-lost", "Both results of a turn are lost.", [part(Result, gone, -1), part(Result, gone, -1)]),
        wires=CHAT,
    ),
    *acting(
        "retry/failed-attempt",
        PlainRun(
            (_LOOK, says("The tide is"), says("Yes.")),
            acts={3: (CallerRecord("say", "So?"),)},
        ),
        (
            "broken-text-kept-later",
            "The first answer is whole, and what is left of the second is sent back.",
            [cut(1, end="cut")],
        ),
        wires=ANTHROPIC,
    ),
    *acting(
        "retry/failed-attempt",
        PlainRun(
            (says("The basin is"), says("The tide is"), says("Yes.")),
            acts={
                2: (CallerRecord("cancel"), CallerRecord("run", "Well?")),
                3: (CallerRecord("say", "So?"),),
            },
        ),
        (
            "cancelled-and-then-broken",
            "The first answer was cancelled, and what is left of the second, which broke, is sent back.",
            [cut(0, end="closed"), cut(1, end="cut")],
        ),
        wires=ANTHROPIC,
    ),
)


# --- what is run and reported --------------------------------------------------------------------------------

_CUT = Call("tide", '{"basin": "s', "call_2")
_FAILING = frozenset({"depth"})

_RUN = (
    *acting(
        "execution/arguments",
        _calls(call("depth", "call_1", basin="n"), _CUT),
        ("second-ran-on-cut", "The second call ran on arguments that broke off.", []),
        wires=CHAT,
    ),
    *acting(
        "execution/arguments",
        _calls(Call("depth", "north", "call_1"), _CUT, case={"kinds": {"depth": "external"}}),
        ("second-ran-beside-external", "The first call is somebody else's, and the second ran on such arguments.", []),
        wires=CHAT,
    ),
    *acting(
        "execution/arguments",
        _calls(Call("depth", "north", "call_1"), _CUT),
        ("both-ran-on-cut", "Both calls ran on such arguments.", []),
        wires=CHAT,
    ),
    *acting(
        "reported/output",
        _calls(*_LOOK.calls, failing=_FAILING, case={"returns": {"tide": {"high": True}}}),
        (
            "second-output-other",
            "The first call failed, and of the second another output is reported.",
            [alter(ToolResult, 1, output={"high": False})],
        ),
        wires=CHAT,
    ),
    *acting(
        "reported/output",
        _calls(
            *_LOOK.calls,
            outputs={"depth": 9, "tide": {"high": True}},
            case={"returns": {"depth": 9, "tide": {"high": True}}},
        ),
        (
            "both-outputs-other",
            "Of both calls another output is reported.",
            [alter(ToolResult, 0, output=None), alter(ToolResult, 1, output={"high": False})],
        ),
        (
            "output-renamed",
            "The first result has another tool's name.",
            [alter(ToolResult, 0, output=None, name="enter"), alter(ToolResult, 1, output={"high": False})],
        ),
        wires=CHAT,
    ),
    *acting(
        "reported/input",
        _calls(call("depth", "call_1", basin=1), call("tide", "call_2", basin=2)),
        (
            "second-input-other",
            "Of the second call another number is shown.",
            [alter(ToolStart, 1, input={"basin": 3})],
        ),
        (
            "both-inputs-other",
            "Of both calls another number is shown.",
            [alter(ToolStart, 0, input={"basin": 4}), alter(ToolStart, 1, input={"basin": 3})],
        ),
        (
            "first-input-unshown",
            "Of the first call nothing is shown.",
            [alter(ToolStart, 0, input=None), alter(ToolStart, 1, input={"basin": 3})],
        ),
        (
            "first-start-untold",
            "The first call has no start.",
            [drop(ToolStart), alter(ToolStart, 0, input={"basin": 3})],
        ),
        wires=CHAT,
    ),
    *acting(
        "reported/input",
        _calls(Call("depth", "north", "call_1"), call("tide", "call_2", basin=2)),
        (
            "input-beside-cut",
            "The first call's arguments are none; of the second another number is shown.",
            [alter(ToolStart, 1, input={"basin": 3})],
        ),
        wires=CHAT,
    ),
    *acting(
        "preview/start-input",
        _TWO_CALLS,
        (
            "second-start-other",
            "Of the second call another text is shown.",
            [alter(ToolStart, 1, input={"basin": "w"})],
        ),
        (
            "both-starts-other",
            "Of both calls another text is shown.",
            [alter(ToolStart, 0, input={"basin": "e"}), alter(ToolStart, 1, input={"basin": "w"})],
        ),
        (
            "second-start-alone",
            "The first call has no start.",
            [drop(ToolStart), alter(ToolStart, 0, input={"basin": "w"})],
        ),
        (
            "second-member-other",
            "The first member is not the call's, and the second is another text.",
            [alter(ToolStart, 0, input={"quay": "e", "basin": "w"})],
        ),
        wires=CHAT,
    ),
    *acting(
        "order/tool-result-reported",
        _TWO_TURNS,
        ("second-result-untold", "The second call's result is not reported.", [drop(ToolResult, 1)]),
        ("first-result-untold", "The first call's result is not reported.", [drop(ToolResult, 0)]),
        (
            "results-of-both-turns-untold",
            "Of each turn a result is not reported.",
            [drop(ToolResult, 3), drop(ToolResult, 0)],
        ),
        wires=CHAT,
    ),
    *acting(
        "order/tool-id",
        _TWO_TURNS,
        (
            "tool-of-nobody-later",
            "In the second turn a tool is reported that was not called.",
            [alter(ToolStart, 2, id="call_x"), alter(ToolResult, 2, id="call_x")],
        ),
        (
            "tool-of-nobody-behind-a-cut",
            "The first turn broke off; in the second a tool is reported that was not called.",
            [cut(0, end="cut"), alter(ToolStart, 2, id="call_x"), alter(ToolResult, 2, id="call_x")],
        ),
        (
            "tool-of-nobody-behind-none",
            "The first turn reports no tool; in the second one is reported that was not called.",
            [
                drop(ToolStart, 0),
                drop(ToolStart, 0),
                drop(ToolResult, 0),
                drop(ToolResult, 0),
                alter(ToolStart, 0, id="call_x"),
                alter(ToolResult, 0, id="call_x"),
            ],
        ),
        wires=CHAT,
    ),
    *acting(
        "order/call-order",
        _calls(*_LOOK.calls, call("enter", "call_3", basin="n")),
        (
            "last-two-starts-exchanged",
            "The starts of the last two calls are exchanged.",
            [moved(ToolStart, 2, ToolStart, 1)],
        ),
        (
            "last-two-starts-alone",
            "The first call has no start, and those of the others are exchanged.",
            [drop(ToolStart), drop(ToolResult), moved(ToolStart, 1, ToolStart, 0)],
        ),
        wires=CHAT,
    ),
    *acting(
        "order/result-order",
        _calls(*_LOOK.calls, call("enter", "call_3", basin="n"), case={"profile": "tool-runner"}),
        (
            "last-two-results-exchanged",
            "The results of the last two calls are exchanged.",
            [moved(ToolStart, 2, ToolResult, 1), moved(ToolResult, 2, ToolResult, 1)],
        ),
        (
            "last-two-results-beside-external",
            "The first call is somebody else's, and the results of the others are exchanged.",
            [
                case(kinds={"depth": "external"}),
                moved(ToolStart, 2, ToolResult, 1),
                moved(ToolResult, 2, ToolResult, 1),
            ],
        ),
        (
            "last-two-results-alone",
            "The first call has no result, and those of the others are exchanged.",
            [moved(ToolStart, 2, ToolResult, 1), moved(ToolResult, 2, ToolResult, 1), drop(ToolResult, 0)],
        ),
        wires=CHAT,
    ),
    *acting(
        "stream/text",
        _TWO_TURNS,
        ("text-lost-later", "The text of the second turn is not emitted.", [drop(Assistant, 1)]),
        (
            "text-lost-in-both",
            "The text of no turn is emitted, but that of the last.",
            [drop(Assistant, 0), drop(Assistant, 0)],
        ),
        wires=CHAT,
    ),
    *acting(
        "stream/text",
        PlainRun((_LOOK, _ENTER, says("Yes."))),
        (
            "text-lost-behind-no-answer",
            "The first request got no answer, and the text of the second turn is not emitted.",
            [unanswered(0), drop(Assistant, 1)],
        ),
        wires=CHAT,
    ),
    *acting(
        "stream/thinking",
        PlainRun(
            (
                Turn((ThinkingPart("I look at the chart."), Text("Well."), call("depth", "call_1", basin="n"))),
                Turn((ThinkingPart("I look at the tide."), Text("So."), call("tide", "call_2", basin="n"))),
                says("Yes."),
            ),
            case={"dialect": "reasoning"},
        ),
        (
            "thinking-in-a-dialect-then-in-part",
            "Of the first turn no thinking is emitted, of the second a part.",
            [drop(Thinking, 0), alter(Thinking, 0, text="I look")],
        ),
        wires=CHAT,
    ),
    *acting(
        "final/stopped-call",
        PlainRun((_LOOK, replace(_ENTER, stop=FinishReason.MAX_TOKENS)), stops_at=2, end=Final("", "truncated")),
        ("stopped-calls-ran", "Both calls of a turn that was cut short ran.", []),
        (
            "stopped-call-ran",
            "The second call of a turn that was cut short ran.",
            [drop(ToolStart, 2), drop(ToolResult, 2)],
        ),
        wires=CHAT,
    ),
)


# --- what is offered -----------------------------------------------------------------------------------------

_BASIN = {"type": "object", "properties": {"basin": {"type": "string", "description": "Which basin."}}}
_BOTH = {
    "type": "object",
    "properties": {
        "basin": {"type": "string", "description": "Which basin."},
        "quay": {"type": "string", "description": "Which quay."},
    },
}


def _undescribed(**others: str) -> Edit:
    """Tools are offered with other descriptions, and all of them without those of their members."""

    def change(body: Any) -> None:
        for tool in body["tools"]:
            about = tool["function"]
            about["description"] = others.get(about["name"], about["description"])
            for member in about["parameters"]["properties"].values():
                member.pop("description", None)

    def edit(draft: TraceDraft) -> None:
        for number in (0, 1):
            rewrite(draft.records, number, change)

    return edit


_OFFERED = (
    *acting(
        "offered/description",
        _calls(
            call("depth", "call_1", basin="n"),
            tools=(ToolDeclaration("depth", "The depth.", _BASIN), ToolDeclaration("tide", "The tide.", _BASIN)),
            case={"tools": {"depth": declared(_BASIN, "The depth."), "tide": declared(_BASIN, "The tide.")}},
        ),
        ("described-neither", "The descriptions of the members are lost in both tools.", [_undescribed()]),
        (
            "described-otherwise-first",
            "The first tool has another description, and the second has lost its member's.",
            [_undescribed(depth="It measures.")],
        ),
        (
            "described-in-docstring-first",
            "The first tool has its member's in its own, and the second has lost it.",
            [_undescribed(depth="The depth. basin: Which basin.")],
        ),
        wires=CHAT,
    ),
    *acting(
        "offered/description",
        _calls(
            call("depth", "call_1", basin="n"),
            tools=(ToolDeclaration("depth", "The depth.", _BOTH),),
            case={"tools": {"depth": declared(_BOTH, "The depth.")}},
        ),
        (
            "described-in-docstring-in-part",
            "The tool has the first member's description in its own, and has lost the second's.",
            [_undescribed(depth="The depth. basin: Which basin.")],
        ),
        wires=CHAT,
    ),
)


# --- pages ---------------------------------------------------------------------------------------------------

_PAGE, _OTHER = "<html><p>One</p></html>", "<html><p>Two</p></html>"


def _sets(code: str, *, preview: bool = False, id: str | None = "call_1") -> Edit:
    """A code is set in front of the first result."""

    def edit(draft: TraceDraft) -> None:
        insert(draft.records, place(draft.records, ToolResult, 0), SetCode(code, id, preview=preview))

    return edit


_PAGES = (
    *acting(
        "final/code",
        _calls(call("depth", "call_1", basin="n"), case={"profile": "screenshot-to-code"}, end=Final(_PAGE)),
        ("code-set-and-returned", "The code that was set is returned.", [_sets(_PAGE)]),
        ("code-set-and-another-returned", "Another code is returned than was set.", [_sets(_OTHER)]),
        ("code-set-twice", "The code that was set last is returned.", [_sets(_OTHER), _sets(_PAGE)]),
        (
            "code-set-twice-and-first-returned",
            "The code that was set first is returned.",
            [_sets(_PAGE), _sets(_OTHER)],
        ),
        (
            "code-shown-last",
            "Another code is shown as a preview, behind the one that was set.",
            [_sets(_PAGE), _sets(_OTHER, preview=True)],
        ),
        (
            "code-shown-first",
            "Another code is shown as a preview, in front of the one that was set.",
            [_sets(_OTHER, preview=True), _sets(_PAGE)],
        ),
        (
            "code-of-nobody-first",
            "Another code is set under no id while a call is open.",
            [_sets(_OTHER, id=None), _sets(_PAGE)],
        ),
        wires=CHAT,
    ),
)

SECONDS: tuple[SmallRun, ...] = (*_BACK, *_RUN, *_OFFERED, *_PAGES)
