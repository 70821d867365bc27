"""What tools declare: their schemas as they are offered, what is shown of a call, and what a tool ran on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from harness.trace import (
    EventRecord,
    ToolStart,
)
from harness.wire import Call, FinishReason, ToolDeclaration, Turn
from harness_lab.mutants.traces.draft import TraceDraft, requests
from harness_lab.mutants.traces.edits import alter
from harness_lab.mutants.traces.mutant import Edit
from harness_lab.mutants.traces.plain import PlainRun, call, says
from harness_lab.mutants.traces.small_run import SmallRun
from harness_lab.mutants.traces.small_runs.acting import acting
from harness_lab.mutants.traces.small_runs.changes import (
    CHAT,
    GEMINI,
    beside,
    case,
    declared,
    emit,
)

# --- schemas, as they were declared and as they are offered -------------------------------------------------------

_TEXT, _NUMBER = {"type": "string"}, {"type": "integer"}


def schema_of_object(**properties: Any) -> dict[str, Any]:
    """The JSON Schema of an object with these properties."""
    return {"type": "object", "properties": properties}


def _nested(depth: int, leaf: Any) -> Any:
    return schema_of_object(a=_nested(depth - 1, leaf)) if depth else leaf


def _combined(depth: int, leaf: Any) -> Any:
    """Schemas in each other, in ``allOf`` and in ``anyOf`` by turns."""
    return {("allOf", "anyOf")[depth % 2]: [_combined(depth - 1, leaf)]} if depth else leaf


_B, _C = schema_of_object(b=_TEXT), schema_of_object(c=_TEXT)
_SCHEMAS: tuple[tuple[str, str, Any, Any], ...] = (
    ("items-other", "A list's items are others, and it has no type.", {"items": _TEXT}, {"items": _NUMBER}),
    ("items-of-anything", "A list of anything may be anything.", {"items": {}}, {}),
    (
        "typed-at-last",
        "What has no type gets one, and its property another.",
        {"properties": {"b": _TEXT}},
        schema_of_object(b=_NUMBER),
    ),
    ("untyped-values", "Of a text with these values the values are left.", {**_TEXT, "enum": ["x"]}, {"enum": ["x"]}),
    ("deep-enough", "A text is offered as a number, as deep as is read.", _nested(22, _TEXT), _nested(22, _NUMBER)),
    ("too-deep", "The same one step deeper.", _nested(23, _TEXT), _nested(23, _NUMBER)),
    ("combined", "The same in 22 schemas of one schema.", _combined(22, _TEXT), _combined(22, _NUMBER)),
    ("combined-too-deep", "The same in one more.", _combined(23, _TEXT), _combined(23, _NUMBER)),
    ("inside-itself-by-all-of", "A part is the whole.", {"allOf": [{"$ref": "#"}]}, {}),
    ("inside-itself-by-any-of", "A part is the whole, or null.", {"anyOf": [{"$ref": "#"}, {"type": "null"}]}, {}),
    ("required-as-tuple", "What is required is a tuple.", {**_B, "required": ("b",)}, _B),
    ("types-as-tuple", "The types are a tuple.", {"type": ("string",)}, _TEXT),
    ("required-of-objects", "What is required is no name.", {**_B, "required": [{"b": 1}, "b"]}, _B),
    ("value-other", "The only value is another.", {"const": "x"}, {"const": "y"}),
    ("value-of-a-list", "The only value is a list.", {"const": ["x", "y"]}, {"enum": ["x", "y"]}),
    ("values-no-json", "A value is a date, which is no JSON.", {"enum": [date(2026, 1, 1)]}, {"enum": ["2026-01-01"]}),
    ("own-property-gone", "A property beside allOf is gone.", {"properties": {"b": _TEXT}, "allOf": [_C]}, _C),
    ("own-items-first", "Items beside allOf.", {"items": _TEXT, "allOf": [{"items": _NUMBER}]}, {"items": _NUMBER}),
    ("items-of-all-of", "Items in allOf are others.", {"allOf": [{"items": _TEXT}]}, {"items": _NUMBER}),
    (
        "own-items-alone",
        "Items beside an allOf without any.",
        {"items": _TEXT, "allOf": [_C]},
        {**_C, "items": _NUMBER},
    ),
    ("own-values-first", "Values beside allOf.", {"enum": ["x"], "allOf": [{"enum": ["y"]}]}, {"enum": ["y"]}),
    (
        "alternatives-of-all-of-first",
        "Alternatives in allOf, and others beside it.",
        {"allOf": [{"anyOf": [_B, _C]}], "anyOf": [schema_of_object(d=_TEXT), schema_of_object(e=_TEXT)]},
        {"anyOf": [schema_of_object(d=_TEXT), schema_of_object(e=_TEXT)]},
    ),
    ("own-type-first", "A type beside a single alternative.", {**_TEXT, "anyOf": [_NUMBER]}, _NUMBER),
    (
        "alternative-types",
        "Alternatives of types are types.",
        {"anyOf": [_TEXT, _NUMBER]},
        {"type": ["string", "integer"]},
    ),
    (
        "alternative-types-described",
        "The same with a description of one.",
        {"anyOf": [{**_TEXT, "description": "A name."}, _NUMBER]},
        {"type": ["string", "integer"]},
    ),
    (
        "alternative-of-a-type",
        "One alternative is a type alone.",
        {"anyOf": [_TEXT, _C]},
        {"type": ["string", "object"]},
    ),
    ("alternative-of-words", "One alternative is no schema.", {"anyOf": ["text", _B, _C]}, {"anyOf": [_B, _C]}),
    (
        "alternatives-with-more",
        "An alternative has a property more.",
        {"anyOf": [_B, _C]},
        {"anyOf": [schema_of_object(b=_TEXT, x=_TEXT), _C]},
    ),
    (
        "required-six-gone",
        "Six required properties are optional.",
        {**schema_of_object(**dict.fromkeys("fbdeca", _TEXT)), "required": list("fbdeca")},
        schema_of_object(**dict.fromkeys("fbdeca", _TEXT)),
    ),
    (
        "required-undeclared",
        "One is offered that was only required.",
        {**_B, "required": ["z"]},
        schema_of_object(b=_TEXT, z=_TEXT),
    ),
)


def _offers(rule: str, name: str, summary: str, wanted: Any, offered: Any) -> SmallRun:
    tool = ToolDeclaration("chart", "A tool.", schema_of_object(a=offered, more=_TEXT))
    tools = {"chart": declared(schema_of_object(a=wanted, more=_TEXT))}
    return SmallRun(
        f"schema-{name}", rule, summary, PlainRun((says("Yes."),), tools=(tool,), case={"tools": tools}), (), CHAT
    )


_OFFERED = (
    *(_offers("offered/schema", *row) for row in _SCHEMAS),
    _offers(
        "offered/description",
        "own-description-first",
        "A description beside allOf, which has another.",
        {"description": "The name.", "allOf": [{"description": "A ship's."}]},
        {"description": "A ship's."},
    ),
)

# --- what is shown of a call when it begins -----------------------------------------------------------------------

_TWICE_NAMED = PlainRun((Turn((Call("depth", '{"basin": "north", "basin": "south"}', "call_1"),)), says("Yes.")))
ENDLESS = PlainRun((Turn((Call("depth", '{"basin": ' + "[" * 100_000, "call_1"),), deltas="whole"), says("Yes.")))

_BEGUN = (
    *acting(
        "preview/start-input",
        _TWICE_NAMED,
        (
            "begun-with-the-first",
            "An argument comes twice, and its first value is shown.",
            [alter(ToolStart, 0, input={"basin": "nor"})],
        ),
        (
            "begun-with-neither",
            "An argument comes twice, and neither is shown.",
            [alter(ToolStart, 0, input={"basin": "east"})],
        ),
        (
            "begun-with-dots",
            "Dots replace the rest of a value.",
            [alter(ToolStart, 0, input={"basin": "sou..."})],
        ),
        (
            "begun-twice-otherwise",
            "A call begins with another value, and once more with its own.",
            [
                alter(ToolStart, 0, input={"basin": "east"}),
                emit(ToolStart, 0, ToolStart("call_1", "depth", {"basin": "south"}), behind=True),
            ],
        ),
        wires=CHAT,
    ),
    *acting(
        "preview/start-input",
        ENDLESS,
        ("begun-too-deep", "The arguments are too deep to be read.", [alter(ToolStart, 0, input={"basin": "n"})]),
        wires=CHAT,
    ),
)

# --- what a tool ran on -----------------------------------------------------------------------------------------------

_SCHEMA = schema_of_object(city=_TEXT, days=_NUMBER, tags={"type": "array"})
_CHART = (ToolDeclaration("chart", "A chart.", _SCHEMA), ToolDeclaration("other", "Another.", _SCHEMA))
_ULM: dict[str, Any] = {"city": "Ulm"}
_BONN: dict[str, Any] = {"city": "Bonn"}
_CHARTS = (call("chart", "call_1", **_ULM), call("chart", "call_2", **_ULM))
_UNTOLD: dict[str, Any] = {"emits": ("final", "assistant")}


def _begun_beside(draft: TraceDraft) -> None:
    """The harness says that the call of the other conversation has begun."""
    at = requests(draft.records)[1]
    draft.records.insert(at, EventRecord(ToolStart("call_1", "chart", _BONN), 0, conversation=1))


def _ran(name: str, summary: str, made: Sequence[Call], *edits: Edit, **members: Any) -> SmallRun:
    run = PlainRun((Turn(tuple(made)), says("Yes.")), tools=_CHART, case=members)
    return SmallRun(f"chart-{name}", "execution/model-arguments", summary, run, edits, CHAT)


_RAN_ON = (
    _ran(
        "elsewhere-and-here",
        "The first call is run by somebody else, and the second one here on something else.",
        (call("other", "call_1", **_ULM), _CHARTS[1]),
        case(kinds={"other": "external"}, inputs={"call_1": _BONN, "call_2": _BONN}),
    ),
    _ran(
        "on-nothing-and-on-another",
        "A call is run on a list, and once more on something else.",
        _CHARTS[:1],
        alter(ToolStart, 0, input=[1]),
        emit(ToolStart, 0, ToolStart("call_1", "chart", _BONN), behind=True),
        **_UNTOLD,
    ),
    _ran(
        "begun-twice",
        "A call that is run on something else begins twice.",
        _CHARTS[:1],
        emit(ToolStart, 0, ToolStart("call_1", "chart"), behind=True),
        inputs={"call_1": _BONN},
    ),
    _ran(
        "under-the-id-of-another",
        "Under the id of the call another tool is run, too.",
        _CHARTS[:1],
        emit(ToolStart, 0, ToolStart("call_1", "other", _BONN), behind=True),
        **_UNTOLD,
    ),
    _ran(
        "beside",
        "A call of another conversation has the id of an input.",
        _CHARTS[1:],
        beside(PlainRun((Turn(_CHARTS[:1]), says("Yes.")), tools=_CHART)),
        _begun_beside,
        inputs={"call_1": _BONN},
    ),
    SmallRun(
        "chart-of-a-stopped-turn",
        "execution/model-arguments",
        "A call is run on what a call of a stopped turn has; that one is not judged.",
        PlainRun(
            (
                Turn((call("chart", "call_1", **_BONN),), stop=FinishReason.MAX_TOKENS),
                Turn(_CHARTS[1:]),
                says("Yes."),
            ),
            tools=_CHART,
            case={"inputs": {"call_1": {"city": "Kiel"}, "call_2": _BONN}},
        ),
        (),
        CHAT,
    ),
    SmallRun(
        "chart-without-an-id",
        "execution/model-arguments",
        "What a call without an id ran on is not known by its id.",
        PlainRun((Turn((call("chart", "", **_ULM),)), says("Yes.")), tools=_CHART, case={"inputs": {"": _BONN}}),
        (),
        GEMINI,
    ),
    SmallRun(
        "charts-without-ids",
        "execution/model-arguments",
        "Two calls have no ids, and one is run on something else.",
        PlainRun(
            (Turn((call("chart", "", **_ULM), call("other", "", **_ULM))), says("Yes.")), tools=_CHART, case=_UNTOLD
        ),
        (alter(ToolStart, 0, input=_BONN),),
        GEMINI,
    ),
    _ran(
        "on-a-number-too-large",
        "A word is converted to a number beyond those of JavaScript.",
        (call("chart", "call_1", days="many"),),
        alter(ToolStart, 0, input=None),
        inputs={"call_1": {"days": 10**400}},
    ),
    SmallRun(
        "chart-on-a-text-too-deep",
        "execution/model-arguments",
        "A text that is too deep to be read is converted to a list.",
        PlainRun(
            (Turn((call("chart", "call_1", tags="[" * 100_000),), deltas="whole"), says("Yes.")),
            tools=_CHART,
            case={"inputs": {"call_1": {"tags": ["a"]}}},
        ),
        (alter(ToolStart, 0, input=None),),
        CHAT,
    ),
)

DECLARATIONS: tuple[SmallRun, ...] = (*_OFFERED, *_BEGUN, *_RAN_ON)
