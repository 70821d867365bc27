"""What a loop reports: events of tools, text, ends, and what it reports of results."""

from __future__ import annotations

from typing import Any

from harness.trace import (
    Assistant,
    EventRecord,
    Failure,
    Final,
    JsonValue,
    SetCode,
    Thinking,
    ToolResult,
    ToolStart,
    TurnStart,
)
from harness.wire import Call, FinishReason, Refusal, Result, Text, ThinkingPart, Turn
from harness_lab.mutants.traces.draft import NothingToBreak, TraceDraft
from harness_lab.mutants.traces.edits import alter, drop, emit_last, end_as, repeat
from harness_lab.mutants.traces.plain import PlainRun, call, says
from harness_lab.mutants.traces.small_run import SmallRun, small_runs
from harness_lab.mutants.traces.small_runs.changes import (
    CHAT,
    case,
    cut,
    early_code,
    emit,
    moved,
    part,
    runs,
)

_ONE = PlainRun(runs("depth"))
_TWO = PlainRun(runs("depth", "tide"))
_THREE = PlainRun(runs("depth", "tide", "enter"))
_TWICE = PlainRun((*runs("depth")[:1], *runs("tide")))
_SAME_ID = PlainRun(
    (
        Turn((call("depth", "call_1", basin="n"), call("depth", "call_1", basin="s")), FinishReason.TOOL_CALLS),
        says("Yes."),
    )
)
_NO_IDS = PlainRun((Turn((call("depth", "", basin="n"), call("tide", "", basin="s"))), says("Yes.")))


def _lost(name: str) -> Any:
    return case(
        emits=tuple(
            each
            for each in ("turnStart", "assistant", "thinking", "toolStart", "toolResult", "setCode", "final", "error")
            if each != name
        )
    )


def _began(draft: TraceDraft) -> None:
    """Nothing is known behind the first event."""
    first = next((record for record in draft.records if isinstance(record, EventRecord)), None)
    if first is None:
        raise NothingToBreak
    draft.records[:] = [first]


_TOOLS = (
    *small_runs(
        "order/tool-start-once",
        _TWO,
        ("start-twice", "The second call is announced twice.", [repeat(ToolStart, 1)]),
        ("start-thrice", "A call is announced three times.", [repeat(ToolStart), repeat(ToolStart)]),
        ("start-four-times", "A call is announced four times.", [repeat(ToolStart)] * 3),
    ),
    *small_runs(
        "order/tool-started",
        _TWO,
        ("start-missing", "The second call has no toolStart.", [drop(ToolStart, 1)]),
        ("start-never", "A loop that emits no toolStart needs none.", [drop(ToolStart), drop(ToolStart)]),
        (
            "start-never-declared",
            "A loop that declares toolStart and emits none.",
            [drop(ToolStart), drop(ToolStart), _lost("")],
        ),
        ("start-and-result-missing", "A call of which nothing is reported.", [drop(ToolStart, 1), drop(ToolResult, 1)]),
        (
            "code-without-start",
            "A setCode of a call without a start.",
            [emit(ToolResult, -1, SetCode("<p>", "x"), behind=True)],
        ),
        (
            "code-of-nobody",
            "A setCode without an id belongs to no call.",
            [emit(ToolResult, -1, SetCode("<p>"), behind=True)],
        ),
        (
            "preview-without-start",
            "A preview of a call without a start.",
            [emit(ToolResult, -1, SetCode("<p>", "x", preview=True), behind=True)],
        ),
    ),
    *small_runs(
        "order/tool-start-first",
        _ONE,
        ("start-behind-result", "The start comes after the result.", [moved(ToolResult, 0, ToolStart, 0)]),
        ("code-before-start", "A code comes before the start.", [early_code("<p>")]),
        ("preview-before-start", "A preview comes before the start.", [early_code("<p>", preview=True)]),
    ),
    *small_runs(
        "order/tool-result-once",
        _TWO,
        ("result-twice", "The second call ends twice.", [repeat(ToolResult, 1)]),
        ("result-thrice", "The first call ends three times.", [repeat(ToolResult), repeat(ToolResult)]),
    ),
    *small_runs(
        "order/tool-result-reported",
        _TWO,
        ("result-missing", "The second call has no toolResult, and its result was sent.", [drop(ToolResult, 1)]),
        ("results-never", "A loop that emits no toolResult needs none.", [drop(ToolResult), drop(ToolResult)]),
        (
            "results-never-declared",
            "A loop that declares toolResult and emits none.",
            [drop(ToolResult), drop(ToolResult), _lost("")],
        ),
        (
            "result-missing-edited",
            "The caller has edited that turn, and the request has the result.",
            [drop(ToolResult, 1), case(edits=(1,))],
        ),
        (
            "result-missing-and-unsent",
            "The second call has no toolResult, and its result was not sent.",
            [drop(ToolResult, 1), part(Result, lambda _: [])],
        ),
        (
            "result-and-call-left-out",
            "The caller has taken the call out of that turn.",
            [drop(ToolResult, 1), part(Call, lambda _: []), part(Result, lambda _: []), case(edits=(1,))],
        ),
        (
            "result-missing-other-edited",
            "The caller has edited the other turn.",
            [drop(ToolResult, 1), case(edits=(2,))],
        ),
    ),
    SmallRun(
        "result-missing-at-the-end",
        "order/tool-result-reported",
        "The run ends in a failure before the request that would show the result.",
        PlainRun((*runs("depth")[:1], *runs("depth")[:1]), end=Failure("http", "500"), stops_at=2),
        (drop(ToolResult, 1),),
    ),
    *small_runs(
        "order/tool-id",
        _TWO,
        (
            "id-invented",
            "A call is reported under an id that the model did not give.",
            [alter(ToolStart, 1, id="x"), alter(ToolResult, 1, id="x")],
        ),
        (
            "id-of-nobody",
            "A call that the model did not make.",
            [emit(ToolResult, -1, ToolStart("x", "enter"), ToolResult("x", "enter", 1, ok=True), behind=True)],
        ),
        (
            "ids-of-nobody-in-a-cut-turn",
            "Of a turn that broke not all calls may be known.",
            [emit(ToolResult, -1, ToolStart("x", "enter"), behind=True), cut(0)],
        ),
        (
            "call-in-an-answer",
            "A tool is reported in a turn without calls.",
            [emit(Assistant, -1, ToolStart("x", "enter"), behind=True)],
        ),
    ),
    SmallRun(
        "id-of-nobody-twice",
        "order/tool-id",
        "A call that the model did not make is started twice: its first event is named.",
        _TWO,
        (emit(ToolResult, -1, ToolStart("x", "enter"), ToolStart("x", "enter"), behind=True),),
        CHAT,
    ),
    *(
        SmallRun(
            f"words-of-{length}",
            "reported/output",
            "Evidence has about 80 characters at most.",
            PlainRun(_ONE.turns, case={"returns": {"depth": {"a": "x"}, "tide": 1}}),
            (alter(ToolResult, 0, output={"a": "y" * (length - 2)}), alter(Assistant, 1, text="z" * (length - 2))),
            CHAT,
        )
        for length in (80, 81, 82, 83)
    ),
    SmallRun(
        "history-of-two-alike",
        "reported/history",
        "Two answers say the same, and the history has it once.",
        PlainRun((says("Yes."), says("Yes."))),
        (alter(Final, 0, history=[{"role": "assistant", "text": "Yes."}]),),
        CHAT,
    ),
    SmallRun(
        "history-of-words",
        "reported/history",
        "A loop writes calls and results in a form of its own.",
        PlainRun((Turn((Text("Let me look."), call("depth", "call_1", basin="n"))), says("Yes."))),
        (
            alter(
                Final,
                0,
                history=[
                    {"role": "assistant", "text": "Let me look.", "calls": ["depth, id call_1"]},
                    {"role": "user", "results": ["id call_1: done"]},
                    {"role": "assistant", "text": "Yes."},
                ],
            ),
        ),
        CHAT,
    ),
    SmallRun("ids-of-its-own", "order/tool-id", "Where the model sends no ids, a loop makes them up.", _NO_IDS),
    SmallRun(
        "ids-of-its-own-too-many",
        "order/tool-id",
        "Of calls without ids there were two, and three are reported.",
        _NO_IDS,
        (emit(ToolResult, -1, ToolStart("x", "enter"), behind=True),),
    ),
    SmallRun("one-id-twice", "order/tool-id", "A model gives one id to two calls.", _SAME_ID, (), CHAT),
    SmallRun(
        "one-id-twice-told-as-two",
        "order/tool-id",
        "Of two calls with one id one is reported under another.",
        _SAME_ID,
        (alter(ToolStart, 1, id="x"), alter(ToolResult, 1, id="x")),
        CHAT,
    ),
    SmallRun(
        "one-id-twice-told-once",
        "order/tool-result-reported",
        "Of two calls with one id one is reported.",
        _SAME_ID,
        (drop(ToolStart, 1), drop(ToolResult, 1)),
        CHAT,
    ),
    *small_runs(
        "order/tool-name",
        _TWO,
        ("name-of-start-other", "A start with the name of another tool.", [alter(ToolStart, 1, name="enter")]),
        ("name-of-result-other", "A result with the name of another tool.", [alter(ToolResult, 0, name="enter")]),
        (
            "names-other-in-a-cut-turn",
            "The name in a turn that broke may not be whole.",
            [alter(ToolStart, 0, name="dep"), cut(0)],
        ),
    ),
    *small_runs(
        "order/tool-ids-fresh",
        _TWICE,
        (
            "id-of-an-earlier-turn",
            "A call is reported under the id of an earlier turn's.",
            [
                alter(ToolStart, 1, id="a"),
                alter(ToolResult, 1, id="a"),
                alter(ToolStart, 0, id="a"),
                alter(ToolResult, 0, id="a"),
            ],
        ),
    ),
    *small_runs(
        "order/call-order",
        PlainRun(_THREE.turns, case={"profile": "tool-runner"}),
        ("calls-in-order", "Three calls in order.", []),
        ("calls-swapped", "The last two end in the other order.", [moved(ToolResult, 2, ToolResult, 1)]),
        (
            "calls-last-first",
            "The last one ends first: one finding for each that is late.",
            [moved(ToolResult, 2, ToolResult, 0)],
        ),
        (
            "calls-first-last",
            "The first one ends last.",
            [moved(ToolResult, 1, ToolResult, 0), moved(ToolResult, 2, ToolResult, 1)],
        ),
        (
            "calls-in-order-one-untold",
            "A call of which nothing is reported is in no order.",
            [drop(ToolStart, 1), drop(ToolResult, 1), moved(ToolResult, 1, ToolResult, 0)],
        ),
        (
            "calls-swapped-parallel",
            "The contract knows no order.",
            [moved(ToolResult, 2, ToolResult, 1), case(profile="pydantic-ai")],
        ),
        (
            "calls-swapped-kinds",
            "Calls of other kinds wait.",
            [moved(ToolResult, 2, ToolResult, 1), case(kinds={"tide": "output"})],
        ),
    ),
    SmallRun(
        "text-behind-two-results",
        "order/deltas-first",
        "Text comes after both results: the first is named.",
        PlainRun((Turn((Text("Look."), call("depth", basin="n"), call("tide", basin="s"))), says("Yes."))),
        (
            case(profile="screenshot-to-code"),
            moved(Assistant, 0, TurnStart, 1),
        ),
    ),
    *small_runs(
        "order/deltas-first",
        PlainRun(
            (Turn((ThinkingPart("Hm."), Text("Let me look."), call("depth", basin="n"))), says("Yes.")),
            case={"profile": "screenshot-to-code"},
        ),
        (
            "text-behind-result",
            "Text comes after the turn's first result.",
            [moved(ToolResult, 0, Assistant, 0), moved(ToolStart, 0, ToolResult, 0)],
        ),
        (
            "both-behind-result",
            "Thinking and text do: one finding.",
            [moved(ToolStart, 0, Thinking, 0), moved(ToolResult, 0, Thinking, 0)],
        ),
        ("text-behind-start", "An early start may come before the text.", [moved(ToolStart, 0, Assistant, 0)]),
        (
            "text-behind-result-elsewhere",
            "Other contracts do not say so.",
            [moved(ToolResult, 0, Assistant, 0), moved(ToolStart, 0, ToolResult, 0), case(profile="universal")],
        ),
    ),
)

_TEXTS = PlainRun(
    (
        Turn((ThinkingPart("Hm."), Text("Let me look."), call("depth", basin="n"))),
        Turn((ThinkingPart("So."), Text("Yes."))),
    )
)
_REFUSES = PlainRun((Turn((Text("Well. "), Refusal("I cannot.")), FinishReason.REFUSAL),), end=Final("", "refused"))

_STREAM = (
    *small_runs(
        "stream/one-id",
        _TEXTS,
        (
            "text-under-two-ids",
            "The text of a turn comes under two ids.",
            [alter(Assistant, 0, text="Let me "), emit(Assistant, 0, Assistant("look.", "x"), behind=True)],
        ),
        (
            "text-without-an-id",
            "The second piece has no id.",
            [alter(Assistant, 0, text="Let me "), emit(Assistant, 0, Assistant("look.", ""), behind=True)],
        ),
        (
            "text-without-ids",
            "Two pieces without ids.",
            [alter(Assistant, 0, text="Let me ", id=""), emit(Assistant, 0, Assistant("look.", ""), behind=True)],
        ),
        (
            "text-under-three-ids",
            "One finding for a turn.",
            [
                alter(Assistant, 0, text="Let "),
                emit(Assistant, 0, Assistant("me ", "x"), Assistant("look.", "y"), behind=True),
            ],
        ),
        (
            "thinking-under-two-ids",
            "The thinking of a turn comes under two ids.",
            [alter(Thinking, 1, text="S"), emit(Thinking, 1, Thinking("o.", "x"), behind=True)],
        ),
    ),
    *small_runs(
        "stream/fresh-id",
        _TEXTS,
        (
            "text-under-an-old-id",
            "The text of the second turn has the id of the first's.",
            [alter(Assistant, 1, id="text-1")],
        ),
        (
            "text-under-id-of-thinking",
            "Text under the id of the turn's thinking.",
            [alter(Assistant, 0, id="thinking-1")],
        ),
        (
            "thinking-under-an-old-id",
            "Thinking under the id of the first turn's text.",
            [alter(Thinking, 1, id="text-1")],
        ),
        (
            "no-ids-at-all",
            "Pieces without ids.",
            [
                alter(Assistant, 0, id=""),
                alter(Assistant, 1, id=""),
                alter(Thinking, 0, id=""),
                alter(Thinking, 1, id=""),
            ],
        ),
    ),
    *small_runs(
        "stream/text",
        _TEXTS,
        ("text-missing", "The text of a turn is not reported.", [drop(Assistant, 0)]),
        ("text-never-told", "A loop that emits no text.", [drop(Assistant, 0), drop(Assistant, 0)]),
        (
            "text-never-told-declared",
            "A loop that declares text and emits none.",
            [drop(Assistant, 0), drop(Assistant, 0), _lost("")],
        ),
        ("text-doubled", "The text is reported twice.", [repeat(Assistant, 1)]),
        ("text-short", "The end of the text is not reported.", [alter(Assistant, 1, text="Ye")]),
        (
            "text-of-a-cut-turn-short",
            "Of a stream that broke the last piece may be missing.",
            [alter(Assistant, 1, text="Ye"), cut(1), end_as(Failure("stream", "cut"))],
        ),
        (
            "text-of-a-cut-turn-other",
            "Of a stream that broke nothing else is reported.",
            [alter(Assistant, 1, text="No"), cut(1), end_as(Failure("stream", "cut"))],
        ),
        (
            "text-in-pieces",
            "Two pieces of one text.",
            [alter(Assistant, 0, text="Let me "), emit(Assistant, 0, Assistant("look.", "text-1"), behind=True)],
        ),
        (
            "text-in-pieces-swapped",
            "Two pieces in the wrong order.",
            [alter(Assistant, 0, text="look."), emit(Assistant, 0, Assistant("Let me ", "text-1"), behind=True)],
        ),
    ),
    *small_runs(
        "stream/thinking",
        _TEXTS,
        ("thinking-missing", "The thinking of a turn is not reported.", [drop(Thinking, 0)]),
        ("thinking-never-told", "A loop that emits no thinking.", [drop(Thinking, 0), drop(Thinking, 0)]),
        (
            "thinking-as-text",
            "Thinking is reported as text.",
            [drop(Thinking, 0), alter(Assistant, 0, text="Hm.Let me look.")],
        ),
    ),
    SmallRun(
        "refusal-told",
        "stream/text",
        "The words of a refusal may be reported as text.",
        _REFUSES,
        (emit(Assistant, 0, Assistant("I cannot.", "text-1"), behind=True),),
        ("openai-chat", "openai-responses"),
    ),
    SmallRun(
        "refusal-untold", "stream/text", "They need not be reported.", _REFUSES, (), ("openai-chat", "openai-responses")
    ),
    SmallRun(
        "refusal-told-otherwise",
        "stream/text",
        "Other words than those of the refusal.",
        _REFUSES,
        (emit(Assistant, 0, Assistant("No.", "text-1"), behind=True),),
        ("openai-chat", "openai-responses"),
    ),
    *small_runs(
        "preview/half-character",
        _ONE,
        ("half-in-text", "Half a character in a text.", [alter(Assistant, 0, text="Let me look.\ud83e")]),
        (
            "half-in-output",
            "Half a character deep in an output.",
            [alter(ToolResult, 0, output={"a": [1, {"b": "\ud83e"}]})],
        ),
        ("half-in-name", "Half a character in the name of a member.", [alter(ToolResult, 0, output={"\ud83e": 1})]),
        (
            "half-in-code",
            "Half a character in a code, and one in the end.",
            [emit(ToolResult, 0, SetCode("\ud83e", "x")), end_as(Final("\ud83e"))],
        ),
        ("half-in-message", "Half a character in the message of a failure.", [end_as(Failure("http", "\ud83e"))]),
        ("half-in-final-text", "Half a character in what the run returns.", [alter(Final, 0, text="Yes.\ud83e")]),
    ),
)

_ENDS = (
    *small_runs(
        "order/nothing-after-end",
        _ONE,
        ("event-after-end", "An event after the end.", [emit_last(Assistant("Also.", "text-2"))]),
        (
            "events-after-end",
            "Two events after the end: one finding.",
            [emit_last(Assistant("Al", "text-2")), emit_last(Assistant("so.", "text-2"))],
        ),
        (
            "event-after-failure",
            "An event after a failure.",
            [end_as(Failure("http", "500")), emit_last(Assistant("Also.", "text-2"))],
        ),
        ("request-after-end", "A request after the end.", [moved(Final, 0, TurnStart, 1)]),
        (
            "request-after-end-uncounted",
            "A request after the end, where no turns are counted.",
            [moved(Final, 0, TurnStart, 1), drop(TurnStart, 1), drop(TurnStart)],
        ),
        ("request-after-deferral", "After a deferral the run may go on.", [emit(TurnStart, 1, Final("", "deferred"))]),
    ),
    *small_runs(
        "order/one-end",
        _ONE,
        ("no-end", "The run has no end.", [drop(Final)]),
        ("no-end-declared", "A loop that declares final and does not emit it.", [drop(Final), _lost("")]),
        ("no-end-after-one-event", "All that is known is how the run began.", [_began, _lost("")]),
        (
            "no-end-undeclared",
            "A loop that declares neither final nor error.",
            [drop(Final), case(emits=("assistant",))],
        ),
        ("two-ends", "Two finals.", [repeat(Final)]),
        ("three-ends", "Three ends, of two kinds.", [repeat(Final), emit_last(Failure("http", "500"))]),
        ("deferral-behind-end", "A deferral behind the end.", [emit_last(Final("", "deferred"))]),
        ("deferral-before-end", "A deferral before the end.", [emit(TurnStart, 1, Final("", "deferred"))]),
        ("deferral-as-end", "A run that waits has no other end.", [end_as(Final("", "deferred"))]),
        (
            "deferral-then-request",
            "A run that went on after a deferral needs an end.",
            [drop(Final), emit(TurnStart, 1, Final("", "deferred"))],
        ),
    ),
    *small_runs(
        "order/turn-count",
        _TWICE,
        ("turns-from-zero", "The first turn is 0.", [alter(TurnStart, 0, turn=0)]),
        ("turns-skip", "The third turn is 4.", [alter(TurnStart, 2, turn=4)]),
        (
            "turns-twice",
            "Two turns have one number, and the next goes on: one finding.",
            [alter(TurnStart, 1, turn=1), alter(TurnStart, 2, turn=2)],
        ),
        ("turns-untold", "A loop that counts no turns.", [drop(TurnStart), drop(TurnStart), drop(TurnStart)]),
    ),
)

_RETURNS: dict[str, JsonValue] = {"sky": "clear and bright", "celsius": 19, "rain": False, "list": [1, 2]}
_REPORTS = PlainRun(
    (
        Turn((call("depth", basin="north", hour=11, safe=True), call("tide", basin="south", hour=12, safe=False))),
        says("Yes."),
    ),
    outputs={"depth": _RETURNS, "tide": {"metres": 2}},
    case={"returns": {"depth": _RETURNS, "tide": {"metres": 2}}},
)


def _output(name: str, summary: str, output: Any, **members: Any) -> SmallRun:
    edits = [alter(ToolResult, 0, output=output)] + ([case(**members)] if members else [])
    return SmallRun(f"output-{name}", "reported/output", summary, _REPORTS, tuple(edits), CHAT)


_OUTPUTS = (
    _output("same", "What the tool returned.", _RETURNS),
    _output("null", "Nothing, where the tool returned something.", None),
    _output("empty-text", "An empty text.", ""),
    _output("empty-object", "An empty object.", {}),
    _output("empty-list", "An empty list.", []),
    _output("words", "A summary in words.", "Clear."),
    _output("number", "A number says nothing against it.", 3),
    _output("member", "Another number of a member.", {"celsius": 20}),
    _output("truth", "Another truth value of a member.", {"rain": True}),
    _output("truth-as-number", "A number in place of a truth value is another kind.", {"rain": 1}),
    _output("number-as-truth", "A truth value in place of a number, too.", {"celsius": True}),
    _output("float", "19.0 is 19.", {"celsius": 19.0}),
    _output("text-begins", "The beginning of a text.", {"sky": "clear and"}),
    _output("text-dots", "The beginning of a text, with dots.", {"sky": "clear..."}),
    _output("text-ellipsis", "The beginning of a text, with an ellipsis.", {"sky": "clear …"}),
    _output("text-other", "Another text.", {"sky": "grey"}),
    _output("text-end", "The end of a text is no beginning.", {"sky": "bright"}),
    _output("text-as-number", "A number in place of a text.", {"sky": 1}),
    _output("list-other", "Of lists nothing is compared.", {"list": [3]}),
    _output("more", "A member that the tool did not return.", {"wind": 3}),
    _output("of-another", "What another tool of the turn returned.", {"metres": 2}),
    _output(
        "of-another-not-called",
        "What a tool returned that the turn does not call.",
        {"metres": 5},
        returns={"depth": _RETURNS, "enter": {"metres": 5}},
    ),
    _output(
        "of-another-plain",
        "A number that another tool returned, too, says nothing.",
        2,
        returns={"depth": _RETURNS, "tide": 2},
    ),
    _output("null-unknown", "Nothing, where an object went back.", None, returns={}),
    _output("null-of-null", "Nothing, where the tool returned null.", None, returns={"depth": None}),
    _output(
        "null-of-number",
        "Nothing, where the tool returned a number: that is no output worth showing.",
        None,
        returns={"depth": 5},
    ),
)

_REPORTED = (
    *_OUTPUTS,
    *small_runs(
        "reported/output",
        _REPORTS,
        (
            "output-of-a-failure",
            "The output of a call that failed may be anything.",
            [alter(ToolResult, 0, output=None, ok=False), case(raises=("depth",))],
        ),
        (
            "output-under-another-name",
            "An event under another name is another rule's affair.",
            [alter(ToolResult, 0, output=None, name="enter")],
        ),
        (
            "output-told-twice",
            "The last of two results counts.",
            [repeat(ToolResult), alter(ToolResult, 1, output=None)],
        ),
        (
            "output-of-an-output-call",
            "Calls of other kinds report no output.",
            [alter(ToolResult, 0, output=None), case(kinds={"depth": "unapproved"})],
        ),
    ),
    SmallRun(
        "output-null-nothing-sent",
        "reported/output",
        "Nothing, where an object without values went back.",
        PlainRun(_REPORTS.turns, outputs={"depth": {"a": None}}),
        (alter(ToolResult, 0, output=None),),
        CHAT,
    ),
    SmallRun(
        "output-null-null-sent",
        "reported/output",
        "Nothing, where an object with the word null went back.",
        PlainRun(_REPORTS.turns, outputs={"depth": {"a": "null"}}),
        (alter(ToolResult, 0, output=None),),
        CHAT,
    ),
    SmallRun(
        "output-null-text-sent",
        "reported/output",
        "Nothing, where a text went back: it may be the loop's own.",
        PlainRun(_REPORTS.turns, outputs={"depth": "done"}),
        (alter(ToolResult, 0, output=None),),
        CHAT,
    ),
    *small_runs(
        "reported/ok",
        PlainRun(_REPORTS.turns, failing=frozenset({"depth"}), case={"raises": ("depth",)}),
        ("failure-told", "A tool that raises is reported as failed.", []),
        ("failure-told-as-ok", "It is reported as ok.", [alter(ToolResult, 0, ok=True)]),
        ("ok-told-as-failure", "A tool that does not raise is reported as failed.", [alter(ToolResult, 1, ok=False)]),
    ),
    *small_runs(
        "reported/input",
        _REPORTS,
        ("input-same", "The arguments.", []),
        ("input-part", "A part of the arguments.", [alter(ToolStart, 0, input={"hour": 11})]),
        ("input-more", "Members that the model did not write.", [alter(ToolStart, 0, input={"unit": 1})]),
        ("input-number", "Another number.", [alter(ToolStart, 0, input={"basin": "north", "hour": 12})]),
        ("input-truth", "Another truth value.", [alter(ToolStart, 0, input={"safe": False})]),
        ("input-text", "A text is another rule's affair.", [alter(ToolStart, 0, input={"hour": "12"})]),
        (
            "input-of-another",
            "The arguments of another call.",
            [alter(ToolStart, 0, input={"basin": "south", "hour": 12, "safe": False})],
        ),
        ("input-none", "No input.", [alter(ToolStart, 0, input=None)]),
        ("input-empty", "An empty input.", [alter(ToolStart, 0, input={})]),
        ("input-words", "An input in words.", [alter(ToolStart, 0, input="south, 12")]),
        (
            "input-under-another-name",
            "A start of another tool.",
            [alter(ToolStart, 0, input={"hour": 12}, name="enter")],
        ),
        (
            "input-of-second-start",
            "The first of two starts counts.",
            [repeat(ToolStart), alter(ToolStart, 1, input={"hour": 13})],
        ),
    ),
    SmallRun(
        "input-of-a-twin",
        "reported/input",
        "Two calls with the same arguments.",
        PlainRun((Turn((call("depth", hour=1), call("tide", hour=1))), says("Yes."))),
        (),
        CHAT,
    ),
)

SMALL_RUNS = (*_TOOLS, *_STREAM, *_ENDS, *_REPORTED)
