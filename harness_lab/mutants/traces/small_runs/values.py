"""The value that goes back as the result of a call, and what a tool ran on."""

from __future__ import annotations

import json
from typing import Any

from harness.trace import JsonValue, ToolResult, ToolStart
from harness.wire import Call, Result, Text, ToolDeclaration, Turn
from harness_lab.mutants.traces import conversations
from harness_lab.mutants.traces.edits import alter, drop
from harness_lab.mutants.traces.plain import PlainRun, call, says
from harness_lab.mutants.traces.small_run import SmallRun, small_runs
from harness_lab.mutants.traces.small_runs.changes import (
    CHAT,
    case,
    cut,
    having,
    part,
)

_TWO = PlainRun((Turn((Text("Let me look."), call("depth", basin="n"), call("tide", basin="s"))), says("Yes.")))
_VALUE: dict[str, JsonValue] = {"sky": "clear", "celsius": 19, "rain": False, "wind": None}
_KNOWN = PlainRun(
    _TWO.turns,
    outputs={"depth": _VALUE, "tide": {"metres": 2}},
    case={"returns": {"depth": _VALUE, "tide": {"metres": 2}}},
)
_TEXT = "The basin is nine metres deep in the north, and seven in the south."
_TEXTUAL = PlainRun(_TWO.turns, outputs={"depth": _TEXT}, case={"returns": {"depth": _TEXT}})


def _result(name: str, summary: str, output: str, *edits: Any, run: PlainRun = _KNOWN) -> SmallRun:
    return SmallRun(
        f"value-{name}", "history/result-value", summary, run, (part(Result, having(output=output), 0), *edits), CHAT
    )


_VALUES = (
    _result("spelled", "The value in another spelling.", '{"celsius":19.0,"sky":"clear","rain":false,"wind":null}'),
    _result("wrapped", "The value wrapped.", json.dumps({"status": "ok", "value": _VALUE})),
    _result("in-words", "Words around the value.", f"depth says {json.dumps(_VALUE)}."),
    _result("in-text", "The value as a JSON text.", json.dumps(json.dumps(_VALUE))),
    _result("without-null", "Members that are null may be left out.", '{"sky": "clear", "celsius": 19, "rain": false}'),
    _result("printed", "The value as Python prints it.", str(_VALUE)),
    _result("printed-inside", "The same inside an object.", json.dumps({"output": str(_VALUE)})),
    _result("other", "Another value of a member.", '{"sky": "clear", "celsius": 20, "rain": false}'),
    _result("member-gone", "A member is missing.", '{"sky": "clear", "rain": false}'),
    _result("cut", "Only the beginning of the value.", '{"sky": "clear", "celsi'),
    _result("cut-with-dots", "Only the beginning, with dots.", '{"sky": "clear", "celsi...'),
    _result("short", "A beginning of eight characters is not known to be one.", '{"sky": '),
    _result("of-another", "The result of another tool is another rule's affair.", '{"metres": 2}'),
    _result("other-failed", "The call failed, so it is not its value.", '"closed"', alter(ToolResult, 0, ok=False)),
    _result(
        "other-untold", "How the call ended is not reported.", '"closed"', drop(ToolResult, 0), drop(ToolResult, 0)
    ),
    _result(
        "cut-untold",
        "A beginning is no refusal to run the call.",
        '{"sky": "clear", "celsi',
        drop(ToolResult, 0),
        drop(ToolResult, 0),
    ),
    _result("other-raises", "The tool raises.", '"closed"', case(raises=("depth",))),
    _result("other-output", "An output call has no result of its own.", '"closed"', case(kinds={"depth": "output"})),
    _result("other-unapproved", "A call that was approved has one.", '"closed"', case(kinds={"depth": "unapproved"})),
    _result(
        "unknown-printed",
        "Of a tool whose value is not known: what Python prints is no JSON.",
        "{'a': None}",
        case(returns={}, tools={"depth": {}}),
    ),
    _result("unknown-printed-own", "Of a tool of the loop's own nothing is known.", "{'a': None}", case(returns={})),
    _result(
        "unknown-json", "JSON of a tool whose value is not known.", '{"a": null}', case(returns={}, tools={"depth": {}})
    ),
    _result(
        "cut-foreign",
        "The beginning of a value with other letters than those of ASCII.",
        '{"sky": "größer als gr',
        run=PlainRun(
            _TWO.turns,
            outputs={"depth": {"sky": "größer als groß"}},
            case={"returns": {"depth": {"sky": "größer als groß"}}},
        ),
    ),
    _result("text-whole", "A text.", _TEXT, run=_TEXTUAL),
    _result("text-cut", "The beginning of a text.", _TEXT[:20], run=_TEXTUAL),
    _result("text-short", "Eight characters of a text.", _TEXT[:8], run=_TEXTUAL),
    _result("text-nine", "Nine characters of a text.", _TEXT[:9], run=_TEXTUAL),
    _result("text-ellipsis", "The beginning of a text and an ellipsis.", f"{_TEXT[:20]}…", run=_TEXTUAL),
    _result("text-in-object", "A text in an object.", json.dumps({"output": _TEXT}), run=_TEXTUAL),
    _result("text-other", "Another text.", "Nine metres.", run=_TEXTUAL),
    _result(
        "text-of-python",
        "A text that Python could have printed is a text.",
        "{'a': None}",
        run=PlainRun(_TWO.turns, outputs={"depth": "{'a': None}"}, case={"returns": {"depth": "{'a': None}"}}),
    ),
    _result(
        "true-printed",
        "A truth value as Python prints it.",
        "True",
        run=PlainRun(_TWO.turns, outputs={"depth": True}, case={"returns": {"depth": True}}),
    ),
    _result(
        "null-as-ok",
        "null goes back as a word.",
        "OK",
        run=PlainRun(_TWO.turns, outputs={"depth": None}, case={"returns": {"depth": None}}),
    ),
    *small_runs(
        "history/own-result",
        _KNOWN,
        ("results-of-each-other", "Each call gets the result of the other.", [conversations.exchange_results]),
        (
            "result-of-the-other",
            "Both calls get the result of the second.",
            [part(Result, having(output='{"metres": 2}'), 0)],
        ),
        (
            "result-of-the-other-wrapped",
            "The same in an object.",
            [part(Result, having(output='{"output": {"metres": 2}}'), 0)],
        ),
        (
            "result-of-the-other-edited",
            "The caller has edited the turn.",
            [part(Result, having(output='{"metres": 2}'), 0), case(edits=(1,))],
        ),
    ),
    SmallRun(
        "results-alike",
        "history/own-result",
        "Two tools return the same.",
        PlainRun(
            _TWO.turns,
            outputs={"depth": {"m": 2}, "tide": {"m": 2}},
            case={"returns": {"depth": {"m": 2}, "tide": {"m": 2}}},
        ),
        (),
        CHAT,
    ),
    SmallRun(
        "results-plain",
        "history/own-result",
        "A number is no sign of another tool.",
        PlainRun(_TWO.turns, outputs={"depth": 2, "tide": 2}, case={"returns": {"depth": 3, "tide": 2}}),
        (),
        CHAT,
    ),
    SmallRun(
        "results-of-one-tool",
        "history/own-result",
        "Two calls of one tool.",
        PlainRun(
            (Turn((call("depth", basin="n"), call("depth", basin="s"))), says("Yes.")),
            outputs={"depth": {"m": 2}},
            case={"returns": {"depth": {"m": 2}}},
        ),
        (),
        CHAT,
    ),
)

# --- what a tool ran on -------------------------------------------------------------------------------------------

_SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer", "default": 3},
        "share": {"type": "number"},
        "exact": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "area": {"type": "object", "properties": {"name": {"type": "string"}, "size": {"type": "number"}}},
        "list": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
    },
}
_CHART = (ToolDeclaration("chart", "A chart.", _SCHEMA), ToolDeclaration("other", "Another.", _SCHEMA))


def _input(name: str, summary: str, wrote: Any, received: Any, *edits: Any, **members: Any) -> SmallRun:
    text = wrote if isinstance(wrote, str) else json.dumps(wrote)
    run = PlainRun(
        (Turn((Call("chart", text, "call_1"),)), says("Yes.")),
        tools=_CHART,
        case={"inputs": {"call_1": received}, **members},
    )
    return SmallRun(
        f"ran-{name}", "execution/model-arguments", summary, run, (alter(ToolStart, 0, input=None), *edits), CHAT
    )


_RAN = (
    _input("same", "What the model wrote.", {"city": "Ulm", "days": 2}, {"city": "Ulm", "days": 2}),
    _input("none", "Nothing where something was written.", {"city": "Ulm"}, {}),
    _input("null", "No input at all.", {"city": "Ulm"}, None),
    _input("null-member", "null where something was written.", {"city": "Ulm"}, {"city": None}),
    _input("written-null", "null need not be given.", {"city": None}, {}),
    _input("null-then-other", "null first, and then another value.", {"city": None, "days": 2}, {"days": 3}),
    *(
        _input(f"truth-of-{word}", "A word for a truth value.", {"exact": word}, {"exact": truth})
        for truth, words in ((True, ("true", "1", "on", "TRUE")), (False, ("false", "0", "no")))
        for word in words
    ),
    _input("undeclared-as-text", "What is not declared, of another type.", {"more": 1}, {"more": "x"}),
    _input("null-in-list", "null in a list may be anything.", {"tags": [None]}, {"tags": ["a"]}),
    _input("default-out", "A default need not be given.", {"days": 3}, {}),
    _input("default-other", "What is not the default must be given.", {"days": 4}, {}),
    _input("undeclared-out", "What is not declared may be left out.", {"more": 1}, {}),
    _input("undeclared-other", "What is not declared may not be another value.", {"more": 1}, {"more": 2}),
    _input("added", "A loop may add members.", {"city": "Ulm"}, {"city": "Ulm", "days": 3}),
    _input("text-other", "Another text.", {"city": "Ulm"}, {"city": "Ulmen"}),
    _input("text-other-far-in", "A long text that is another at its end.", {"city": "U" * 300}, {"city": "U" * 299}),
    _input("text-for-a-number", "A text that is the number.", {"days": "05"}, {"days": 5}),
    _input("number-other", "Another number.", {"days": 2}, {"days": 3}),
    _input("number-as-float", "2.0 is 2.", {"days": 2}, {"days": 2.0}),
    _input(
        "number-rounded",
        "A whole number that a parser of doubles has rounded.",
        {"days": 9007199254740993},
        {"days": 9007199254740992},
    ),
    _input("number-far", "A number beyond them.", {"days": 10**400}, {"days": 2 * 10**400}),
    _input("number-far-same", "The same number beyond them.", {"days": 10**400}, {"days": 10**400}),
    _input("list-as-text", "A list as the text of its items.", {"tags": ["a", "b"]}, {"tags": "ab"}),
    _input("text-as-list-of-letters", "A text as the list of its letters.", {"city": "ab"}, {"city": ["a", "b"]}),
    _input("object-as-list", "An object as the list of its names.", {"area": {"name": "n"}}, {"area": ["name"]}),
    _input("list-as-object", "A list as an object.", {"tags": ["name"]}, {"tags": {"name": "name"}}),
    _input("number-nan", "NaN is NaN.", '{"share": NaN}', {"share": float("nan")}),
    _input("number-as-nan", "NaN for a number.", {"share": 2}, {"share": float("nan")}),
    _input("nan-as-number", "A number for NaN.", '{"share": NaN}', {"share": 2}),
    _input("truth-other", "Another truth value.", {"exact": True}, {"exact": False}),
    _input("truth-as-number", "1 for true.", {"exact": True}, {"exact": 1}),
    _input("number-as-truth", "True for 1.", {"days": 1}, {"days": True}),
    _input("number-as-other-truth", "False for 1.", {"days": 1}, {"days": False}),
    _input("truth-as-other-number", "2 for true.", {"exact": True}, {"exact": 2}),
    _input("number-as-text", "5 as a text.", {"days": 5}, {"days": "5"}),
    _input("text-as-number", "A text as 5.", {"days": "5"}, {"days": 5}),
    _input("text-as-other-number", "A text as another number.", {"days": "5"}, {"days": 6}),
    _input("word-as-number", "A word as a number.", {"days": "five"}, {"days": 5}),
    _input("text-as-truth", "A text as a truth value.", {"exact": "Yes "}, {"exact": True}),
    _input("text-as-false", "A text as false.", {"exact": "off"}, {"exact": False}),
    _input("text-as-other-truth", "A text as the other truth value.", {"exact": "no"}, {"exact": True}),
    _input("text-as-list", "A JSON text as a list.", {"tags": '["a"]'}, {"tags": ["a"]}),
    _input("text-as-other-list", "A JSON text as another list.", {"tags": '["a"]'}, {"tags": ["b", "c"]}),
    _input("words-as-object", "A text that is no JSON as an object.", {"area": "north"}, {"area": {"name": "north"}}),
    _input("single-as-list", "A value as a list of it.", {"tags": "a"}, {"tags": ["a"]}),
    _input("list-as-single", "A list of one as its value.", {"tags": ["a"]}, {"tags": "a"}),
    _input("list-as-other-single", "A list of two as one value.", {"tags": ["a", "b"]}, {"tags": "a"}),
    _input("list-other", "Another item of a list.", {"tags": ["a", "b"]}, {"tags": ["a", "c"]}),
    _input("list-shorter", "A list without its last item.", {"tags": ["a", "b"]}, {"tags": ["a"]}),
    _input(
        "object-member-gone",
        "A member of an object is missing.",
        {"area": {"name": "n", "size": 2}},
        {"area": {"name": "n"}},
    ),
    _input(
        "object-member-other",
        "A member of an object is another.",
        {"area": {"name": "n", "size": 2}},
        {"area": {"name": "n", "size": 3}},
    ),
    _input(
        "object-in-list-other",
        "A member of an object in a list is another.",
        {"list": [{"name": "a"}, {"name": "b"}]},
        {"list": [{"name": "a"}, {"name": "c"}]},
    ),
    _input(
        "object-in-list-gone", "A member of an object in a list is missing.", {"list": [{"name": "a"}]}, {"list": [{}]}
    ),
    _input("object-as-number", "A number for an object.", {"area": {"name": "n"}}, {"area": 1}),
    _input(
        "two-other",
        "The first of two differences is reported.",
        {"city": "Ulm", "days": 2},
        {"city": "Bonn", "days": 3},
    ),
    _input("text", "The arguments as text.", {"city": "Ulm"}, '{"city": "Ulm"}'),
    _input("text-other-member", "Other arguments as text.", {"city": "Ulm"}, '{"city": "Bonn"}'),
    _input("text-no-json", "A text that is no JSON, which the tool refuses.", {"city": "Ulm"}, "Ulm"),
    _input("list-of-arguments", "A list, which the tool refuses.", {"city": "Ulm"}, ["Ulm"]),
    _input("cut-arguments", "Arguments that were cut mean nothing.", '{"city": "Ul', {"city": "Bonn"}),
    _input("half-character", "Half a character and its replacement.", '{"city": "Ulm\\ud83e"}', {"city": "Ulm\ufffd"}),
    _input("edited", "The caller has edited the turn.", {"city": "Ulm"}, {"city": "Bonn"}, case(edits=(1,))),
    _input("output", "An output call is not run.", {"city": "Ulm"}, {"city": "Bonn"}, case(kinds={"chart": "output"})),
    _input(
        "unstarted",
        "No start is reported: the answer's line shows the run.",
        {"city": "Ulm"},
        {"city": "Bonn"},
        drop(ToolStart, 0),
    ),
    _input("cut-turn", "A turn that broke.", {"city": "Ulm"}, {"city": "Bonn"}, cut(0)),
    SmallRun(
        "ran-on-the-start",
        "execution/model-arguments",
        "A loop that reports no starts: those of the harness say what the tool ran on.",
        PlainRun(
            (Turn((Call("chart", '{"city": "Ulm"}'),)), says("Yes.")),
            tools=_CHART,
            case={"emits": ("final", "assistant")},
        ),
        (alter(ToolStart, 0, input={"city": "Bonn"}),),
    ),
    SmallRun(
        "ran-on-a-summary",
        "execution/model-arguments",
        "What a loop itself reports of a start may be a summary.",
        PlainRun(
            (Turn((Call("chart", '{"city": "Ulm"}'),)), says("Yes.")),
            tools=_CHART,
            case={"emits": ("toolStart", "toolResult", "final", "assistant", "turnStart")},
        ),
        (alter(ToolStart, 0, input={"days": "2"}),),
    ),
    SmallRun(
        "ran-for-its-twin",
        "execution/model-arguments",
        "Two calls of one tool: a loop need not say for which it runs.",
        PlainRun(
            (
                Turn((Call("chart", '{"city": "Ulm"}', "call_1"), Call("chart", '{"city": "Bonn"}', "call_2"))),
                says("Yes."),
            ),
            tools=_CHART,
            case={"inputs": {"call_1": {"city": "Bonn"}, "call_2": {"city": "Ulm"}}},
        ),
        (),
        CHAT,
    ),
    SmallRun(
        "ran-for-nobody",
        "execution/model-arguments",
        "Two calls of one tool, and what it ran on is that of neither.",
        PlainRun(
            (
                Turn((Call("chart", '{"city": "Ulm"}', "call_1"), Call("chart", '{"city": "Bonn"}', "call_2"))),
                says("Yes."),
            ),
            tools=_CHART,
            case={"inputs": {"call_1": {"city": "Kiel"}, "call_2": {"city": "Bonn"}}},
        ),
        (),
        CHAT,
    ),
    SmallRun(
        "ran-for-an-empty-twin",
        "execution/model-arguments",
        "A call without arguments is no twin of every other.",
        PlainRun(
            (Turn((Call("chart", '{"city": "Ulm"}', "call_1"), Call("chart", "{}", "call_2"))), says("Yes.")),
            tools=_CHART,
            case={"inputs": {"call_1": {"city": "Kiel"}}},
        ),
        (),
        CHAT,
    ),
    SmallRun(
        "ran-as-another-tool",
        "execution/model-arguments",
        "Another tool's call is no twin.",
        PlainRun(
            (
                Turn((Call("chart", '{"city": "Ulm"}', "call_1"), Call("other", '{"city": "Bonn"}', "call_2"))),
                says("Yes."),
            ),
            tools=_CHART,
            case={"inputs": {"call_1": {"city": "Bonn"}}},
        ),
        (),
        CHAT,
    ),
    SmallRun(
        "ran-undeclared",
        "execution/model-arguments",
        "Of a tool that is not declared nothing is known.",
        PlainRun(
            (Turn((Call("chart", '{"city": "Ulm"}', "call_1"),)), says("Yes.")),
            tools=_CHART[1:],
            case={"inputs": {"call_1": {"city": "Bonn"}}},
        ),
        (),
        CHAT,
    ),
)

SMALL_RUNS = (*_VALUES, *_RAN)
