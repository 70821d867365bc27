"""Declarations: what of a tool's schema must reach the model (``offered``), what a call must fit (``arguments``)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from harness.trace import ToolResult, ToolStart
from harness.wire import Call, Text, ToolDeclaration, Turn
from harness_lab.mutants.traces.draft import rewrite
from harness_lab.mutants.traces.edits import alter, drop
from harness_lab.mutants.traces.mutant import Edit
from harness_lab.mutants.traces.plain import TOOLS, PlainRun, says
from harness_lab.mutants.traces.small_run import SmallRun
from harness_lab.mutants.traces.small_runs.changes import CHAT, declared

_TEXT, _NUMBER = {"type": "string"}, {"type": "integer"}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


# --- what is offered: JSON Schema, and what providers and SDKs make of it -------------------------------------

_OFFERED: tuple[tuple[str, str, Any, Any], ...] = (
    ("any-schema", "A tool that was given without a schema may be offered with any.", {}, _object(a=_TEXT)),
    ("schema-gone", "A declared property is not offered at all.", _object(a=_TEXT), {}),
    ("object-gone", "A declared object is offered as one without properties.", _object(a=_TEXT), {"type": "object"}),
    ("any-object", "An object without properties may be left out.", {"type": "object"}, {}),
    ("property-gone", "The second property is not offered.", _object(a=_TEXT, b=_NUMBER), _object(a=_TEXT)),
    ("property-added", "A loop may offer a property more.", _object(a=_TEXT), _object(a=_TEXT, b=_NUMBER)),
    ("type-other", "A text is offered as a number.", _object(a=_TEXT), _object(a=_NUMBER)),
    ("type-gone", "A text is offered as anything.", _object(a=_TEXT), _object(a={})),
    ("type-any", "What may be anything may be offered with a type.", _object(a={}), _object(a=_TEXT)),
    (
        "types-in-capitals",
        "Gemini writes types in capitals, and null as a type beside.",
        _object(a={"type": ["string", "null"]}),
        {"type": "OBJECT", "properties": {"a": {"type": "STRING", "nullable": True}}},
    ),
    ("types-fewer", "Of two types one is offered.", _object(a={"type": ["string", "number"]}), _object(a=_TEXT)),
    (
        "types-as-alternatives",
        "Two types may be offered as alternatives.",
        _object(a={"type": ["string", "number"]}),
        _object(a={"anyOf": [{"type": "string"}, {"type": "number"}]}),
    ),
    (
        "types-as-described-alternatives",
        "Alternatives may have descriptions, and null is none.",
        _object(a={"type": ["string", "number"]}),
        _object(a={"oneOf": [{"type": "string", "description": "A name."}, {"type": "number"}, {"type": "null"}]}),
    ),
    (
        "required-gone",
        "A required property is offered as an optional one.",
        {**_object(a=_TEXT, b=_TEXT), "required": ["a", "b"]},
        {**_object(a=_TEXT, b=_TEXT), "required": ["b"]},
    ),
    (
        "required-added",
        "Strict decoding requires every property.",
        {**_object(a=_TEXT, b=_TEXT), "required": ["a"]},
        {**_object(a=_TEXT, b=_TEXT), "required": ["a", "b"]},
    ),
    (
        "required-undeclared",
        "What is required without being declared says nothing.",
        {**_object(a=_TEXT), "required": ["z"]},
        _object(a=_TEXT),
    ),
    ("values-other", "Another list of values.", _object(a={"enum": ["x", "y"]}), _object(a={"enum": ["x", "z"]})),
    ("values-gone", "Values of a text are not offered.", _object(a={**_TEXT, "enum": ["x"]}), _object(a=_TEXT)),
    (
        "values-in-order",
        "The order of values says nothing.",
        _object(a={"enum": ["x", 1]}),
        _object(a={"enum": [1, "x"]}),
    ),
    (
        "value-as-list",
        "A constant may be offered as a list.",
        _object(a={"const": "x"}),
        _object(a={"enum": ["x", None]}),
    ),
    (
        "value-is-object",
        "A constant object is one value.",
        _object(a={"const": {"k": 1, "j": 2}}),
        _object(a={"enum": [{"j": 2, "k": 1}]}),
    ),
    (
        "value-is-list",
        "A constant list is one value, and not a list of values.",
        _object(a={"const": ["x"]}),
        _object(a={"enum": ["x"]}),
    ),
    (
        "values-added",
        "Where any value may be, a list may be offered.",
        _object(a=_TEXT),
        _object(a={**_TEXT, "enum": ["x"]}),
    ),
    (
        "items-other",
        "The items of a list have another type.",
        _object(a={"type": "array", "items": _TEXT}),
        _object(a={"type": "array", "items": _NUMBER}),
    ),
    (
        "items-gone",
        "The items of a list are not described.",
        _object(a={"type": "array", "items": _object(b=_TEXT)}),
        _object(a={"type": "array"}),
    ),
    (
        "items-any",
        "Items that may be anything may be left out.",
        _object(a={"type": "array", "items": {}}),
        _object(a={"type": "array"}),
    ),
    (
        "deep-property-gone",
        "A property of an object in a list in an object is not offered.",
        _object(a=_object(b={"type": "array", "items": _object(c=_TEXT, d=_TEXT)})),
        _object(a=_object(b={"type": "array", "items": _object(c=_TEXT)})),
    ),
    (
        "reference-resolved",
        "A reference may be resolved.",
        {**_object(a={"$ref": "#/$defs/b"}), "$defs": {"b": _object(c=_TEXT)}},
        _object(a=_object(c=_TEXT)),
    ),
    (
        "reference-to-another",
        "A reference leads to another schema.",
        {**_object(a={"$ref": "#/$defs/b"}), "$defs": {"b": _object(c=_TEXT)}},
        {**_object(a={"$ref": "#/$defs/b"}), "$defs": {"b": _object(c=_NUMBER)}},
    ),
    (
        "reference-escaped",
        "Names in references have ~1 for a slash and ~0 for a tilde.",
        {**_object(a={"$ref": "#/$defs/x~1y~0z"}), "$defs": {"x/y~z": _object(c=_TEXT)}},
        _object(a=_object(c=_NUMBER)),
    ),
    (
        "reference-elsewhere",
        "What a reference outside the schema says is not known.",
        _object(a={"$ref": "https://a.example/b"}),
        _object(a=_TEXT),
    ),
    (
        "reference-without-a-mark",
        "A reference that does not begin with # is one outside the schema.",
        _object(a={"$ref": "properties/b"}, b=_NUMBER),
        _object(a=_TEXT, b=_NUMBER),
    ),
    (
        "reference-to-nothing",
        "A reference to nothing says nothing.",
        _object(a={"$ref": "#/$defs/b"}),
        _object(a=_TEXT),
    ),
    (
        "reference-to-itself",
        "A tree: its children are trees again, and may be offered as anything.",
        {
            **_object(a={"$ref": "#/$defs/t"}),
            "$defs": {"t": _object(n=_TEXT, c={"type": "array", "items": {"$ref": "#/$defs/t"}})},
        },
        _object(a=_object(n=_TEXT, c={"type": "array"})),
    ),
    (
        "whole-refers-to-itself",
        "The schema inside itself says nothing there.",
        _object(a={"$ref": "#"}, b=_TEXT),
        _object(a={}, b=_TEXT),
    ),
    (
        "reference-with-more",
        "What is beside a reference counts.",
        {**_object(a={"$ref": "#/$defs/b", "required": ["c"]}), "$defs": {"b": _object(c=_TEXT)}},
        _object(a=_object(c=_TEXT)),
    ),
    (
        "all-of-one",
        "A single schema in allOf is that schema.",
        _object(a={"allOf": [_object(b=_TEXT)]}),
        _object(a=_object(b=_TEXT)),
    ),
    (
        "all-of-two",
        "All schemas in allOf count.",
        _object(a={"allOf": [_object(b=_TEXT), {**_object(c=_TEXT), "required": ["c"]}]}),
        _object(a=_object(b=_TEXT, c=_TEXT)),
    ),
    (
        "alternative-gone",
        "One of two alternatives is not offered.",
        _object(a={"anyOf": [_object(b=_TEXT), _object(c=_TEXT)]}),
        _object(a={"anyOf": [_object(b=_TEXT)]}),
    ),
    (
        "alternatives-in-order",
        "The order of alternatives says nothing, nor does the word for them.",
        _object(a={"anyOf": [_object(b=_TEXT), _object(c=_TEXT)]}),
        _object(a={"oneOf": [_object(c=_TEXT), _object(b=_TEXT)]}),
    ),
    (
        "alternatives-snake",
        "Google's SDK writes any_of.",
        _object(a={"anyOf": [_object(b=_TEXT), _object(c=_TEXT)]}),
        _object(a={"any_of": [_object(b=_TEXT), _object(c=_TEXT)]}),
    ),
    (
        "alternatives-gone",
        "Alternatives are offered as anything.",
        _object(a={"anyOf": [_object(b=_TEXT), {"type": "array", "items": _TEXT}]}),
        _object(a={}),
    ),
    (
        "alternative-or-null",
        "A schema or null is that schema, in any spelling.",
        _object(a={"anyOf": [_object(b=_TEXT), {"type": "NULL"}]}),
        _object(a=_object(b=_NUMBER)),
    ),
    (
        "values-of-an-alternative",
        "An alternative with a list of values is not offered.",
        _object(a={"anyOf": [{"enum": ["x", "y"]}, _object(c=_TEXT)]}),
        _object(a={"anyOf": [{"enum": ["x"]}, _object(c=_TEXT)]}),
    ),
    (
        "reference-to-the-whole",
        "A reference to the whole schema is read once.",
        _object(a={"$ref": "#/"}, b=_TEXT),
        _object(a={}, b=_TEXT),
    ),
    (
        "references-in-a-ring",
        "Two schemas inside each other.",
        {
            **_object(a={"$ref": "#/$defs/b"}),
            "$defs": {"b": _object(c={"$ref": "#/$defs/d"}), "d": _object(e={"$ref": "#/$defs/b"}, f=_TEXT)},
        },
        _object(a=_object(c=_object(f=_NUMBER, e={}))),
    ),
    ("no-schema", "A schema that is none says nothing.", "text", _object(a=_TEXT)),
    (
        "properties-no-object",
        "Properties that are no object say nothing.",
        {"type": "object", "properties": [1]},
        {"type": "object"},
    ),
    ("required-no-list", "What is required must be a list.", {**_object(a=_TEXT), "required": "a"}, _object(a=_TEXT)),
    (
        "required-of-numbers",
        "What is required are names.",
        {**_object(a=_TEXT), "required": [1, "a"]},
        _object(a=_TEXT),
    ),
    ("type-unspecified", "Gemini's word for any type.", _object(a={"type": "TYPE_UNSPECIFIED"}), _object(a=_TEXT)),
)


def _offered() -> Iterator[SmallRun]:
    for name, summary, wanted, offered in _OFFERED:
        tool = ToolDeclaration("chart", "A tool.", offered)
        run = PlainRun((says("Yes."),), tools=(tool,), case={"tools": {"chart": declared(wanted)}})
        yield SmallRun(f"offered-{name}", "offered/schema", summary, run, wires=CHAT)


_DESCRIBED: tuple[tuple[str, str, Any, Any, str], ...] = (
    ("same", "The words of all descriptions are offered.", {"a": "The  name."}, {"a": "The name."}, "A tool."),
    (
        "longer",
        "A description may be longer.",
        {"a": "The name."},
        {"a": "In full: The name. As it is."},
        "A tool. Use it.",
    ),
    ("of-tool-gone", "The tool's own description is another.", {"a": "The name."}, {"a": "The name."}, "Some tool."),
    (
        "of-one-gone",
        "The description of one argument is another.",
        {"a": "The name.", "b": "Age."},
        {"a": "The name.", "b": "Years."},
        "A tool.",
    ),
    (
        "of-one-in-docstring",
        "It may be in the description of the tool.",
        {"a": "The name."},
        {"a": ""},
        "A tool. a: The name.",
    ),
    (
        "of-two-gone",
        "Of two that are lost the first is named.",
        {"a": "The name.", "b": "Age."},
        {"a": "", "b": ""},
        "A tool.",
    ),
    (
        "first-in-docstring",
        "The one that is in the tool's description is no loss, the other is.",
        {"a": "The name.", "b": "Age."},
        {"a": "", "b": ""},
        "A tool. The name.",
    ),
    ("of-lost-property", "A property that is not offered is another rule's affair.", {"a": "The name."}, {}, "A tool."),
)


def _described() -> Iterator[SmallRun]:
    for name, summary, wanted, offered, words in _DESCRIBED:
        schemas = [
            _object(**{key: {**_TEXT, "description": text} for key, text in each.items()}) for each in (wanted, offered)
        ]
        tool = ToolDeclaration("chart", words, schemas[1])
        run = PlainRun((says("Yes."),), tools=(tool,), case={"tools": {"chart": declared(schemas[0])}})
        yield SmallRun(f"described-{name}", "offered/description", summary, run, wires=CHAT)
    bare_list = {"type": "array", "description": "Ships."}
    more = ToolDeclaration("chart", "A tool.", _object(ships={**bare_list, "items": _object(name=_TEXT)}))
    run = PlainRun((says("Yes."),), tools=(more,), case={"tools": {"chart": declared(_object(ships=bare_list))}})
    yield SmallRun("described-items-added", "offered/description", "A loop may describe the items.", run, wires=CHAT)
    deep = {"type": "array", "description": "Ships.", "items": _object(name={**_TEXT, "description": "Its name."})}
    bare = {"type": "array", "description": "Ships.", "items": _object(name=_TEXT)}
    tool = ToolDeclaration("chart", "A tool.", _object(ships=bare))
    run = PlainRun((says("Yes."),), tools=(tool,), case={"tools": {"chart": declared(_object(ships=deep))}})
    yield SmallRun(
        "described-deep-gone", "offered/description", "A description inside a list is lost.", run, wires=CHAT
    )


def _tools() -> Iterator[SmallRun]:
    rows: tuple[tuple[str, str, tuple[str, ...], dict[str, Any]], ...] = (
        ("all", "All tools that were given are offered.", ("depth", "tide", "enter"), {}),
        ("one-gone", "One of three is not offered.", ("depth", "enter"), {}),
        ("two-gone", "Two of three are not offered.", ("tide",), {}),
        ("none", "A request without tools.", (), {}),
        ("own-only", "A loop that offers only tools of its own is not judged.", ("own",), {}),
        ("own-beside", "A tool of the loop's own beside the given ones.", ("depth", "tide", "enter", "own"), {}),
        ("none-given", "No tools were given.", ("own",), {"tools": {}}),
    )
    every = {tool.name: tool for tool in (*TOOLS, ToolDeclaration("own", "Mine.", _object()))}
    handed = {tool.name: declared(dict(tool.parameters), tool.description) for tool in TOOLS}
    for name, summary, offered, members in rows:
        run = PlainRun((says("Yes."),), tools=tuple(every[each] for each in offered), case={"tools": handed, **members})
        yield SmallRun(f"tools-{name}", "offered/tools", summary, run)


# --- what fits: the model could mend a call of which no loop can think that it is right ---------------------------

_WEATHER = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "title": "City", "description": "Where.", "default": "Ulm"},
        "days": {"type": "integer"},
        "share": {"type": "number"},
        "exact": {"type": ["boolean", "null"]},
        "tags": {"type": "array"},
        "area": {"type": "object"},
        "where": {"anyOf": [{"type": "string"}]},
        "kind": {"type": "colour"},
        "mixed": {"type": ["colour", "string", 1]},
        "anything": True,
    },
    "required": ["city"],
}

_FAULTS: tuple[tuple[str, str, str], ...] = (
    (
        "right",
        "Every argument as it is declared.",
        '{"city": "Ulm", "days": 3, "share": 0.5, "exact": true, "tags": [], "area": {}}',
    ),
    (
        "whole-number",
        "3.0 is an integer, and null one of two types.",
        '{"city": "Ulm", "days": 3.0, "share": 2, "exact": null}',
    ),
    (
        "undeclared",
        "What is not declared is left to the loop.",
        '{"city": "Ulm", "more": 1, "where": 1, "kind": 2, "anything": 3}',
    ),
    ("missing", "A required argument is missing.", '{"days": 3}'),
    ("empty", "An empty text is an object without arguments.", ""),
    ("blank", "So is a blank one.", "  "),
    ("no-text", "Null is no text.", '{"city": null}'),
    ("fraction", "1.5 is no integer.", '{"city": "Ulm", "days": 1.5}'),
    ("truth-as-integer", "A truth value is no integer.", '{"city": "Ulm", "days": true}'),
    ("truth-as-number", "A truth value is no number.", '{"city": "Ulm", "share": false}'),
    ("text-as-number", "A text is no number.", '{"city": "Ulm", "share": "2"}'),
    ("infinite", "A number without bound is no integer.", '{"city": "Ulm", "days": 1e999}'),
    ("one-of-two-types", "A text is neither of two types.", '{"city": "Ulm", "exact": "yes"}'),
    ("unknown-beside-known-type", "Of types that are not known, the known one decides.", '{"city": "Ulm", "mixed": 1}'),
    ("no-list", "An object is no list.", '{"city": "Ulm", "tags": {}}'),
    ("no-object", "A list is no object.", '{"city": "Ulm", "area": []}'),
    ("cut", "Arguments that are cut.", '{"city": "Ul'),
    ("list", "A list of arguments.", '["Ulm"]'),
    ("null", "Null in place of arguments.", "null"),
    ("text", "A JSON text in place of arguments.", '"Ulm"'),
)


def _retried(tool: ToolDeclaration, *made: Call, failing: bool = True, times: int = 2) -> PlainRun:
    turns = tuple(Turn((Text("Let me look."), *made)) for _ in range(times))
    names = frozenset(each.name for each in made) if failing else frozenset()
    return PlainRun((*turns, says("Yes.")), tools=(tool,), failing=names, case={"profile": "pydantic-ai"})


def _faults() -> Iterator[SmallRun]:
    tool = ToolDeclaration("weather", "The weather.", _WEATHER)
    for name, summary, arguments in _FAULTS:
        run = _retried(tool, Call("weather", arguments))
        yield SmallRun(f"fault-{name}", "retry/tool", f"{summary} Two turns running.", run, wires=CHAT)
    for name, summary, schema in (
        ("required-no-list", "A schema whose required is no list.", {"type": "object", "required": "city"}),
        (
            "properties-no-object",
            "A schema whose properties are no object.",
            {"type": "object", "properties": ["city"]},
        ),
        ("no-types", "A schema without types.", {"properties": {"city": {}, "days": {"type": {}}}}),
    ):
        run = _retried(ToolDeclaration("weather", "The weather.", schema), Call("weather", '{"days": 1}'))
        yield SmallRun(f"fault-{name}", "retry/tool", f"{summary} Nothing is wrong that is known.", run, wires=CHAT)
    other = _retried(tool, Call("whether", '{"city": "Ulm"}'))
    yield SmallRun("fault-no-such-tool", "retry/tool", "A tool that is not offered, in two turns.", other, wires=CHAT)
    once = _retried(tool, Call("weather", "{}"), times=1)
    yield SmallRun("fault-once", "retry/tool", "One retry is allowed.", once, wires=CHAT)
    thrice = _retried(tool, Call("weather", "{}"), times=3)
    yield SmallRun("fault-thrice", "retry/tool", "Only the first request too many is reported.", thrice, wires=CHAT)
    ran = _retried(tool, Call("weather", "{}"), failing=False)
    yield SmallRun("fault-run-all-the-same", "retry/tool", "A tool that ran has not failed.", ran, wires=CHAT)
    alternating = PlainRun(
        (*(Turn((Call("weather", text),)) for text in ("{}", '{"city": "Ulm"}', "{}")), says("Yes.")),
        tools=(tool,),
        failing=frozenset({"weather"}),
        case={"profile": "pydantic-ai"},
    )
    yield SmallRun("fault-mended", "retry/tool", "A right call in between begins anew.", alternating, wires=CHAT)
    two = _retried(tool, Call("weather", "{}"), Call("whether", "{}"))
    yield SmallRun("fault-of-two-tools", "retry/tool", "Two tools fail; one finding.", two, wires=CHAT)
    depth = ToolDeclaration("depth", "The depth.", {"type": "object", "properties": {}})
    last = _retried(tool, Call("depth", "{}"), Call("weather", "{}"))
    last = replace(last, tools=(tool, depth), failing=frozenset({"weather"}))
    yield SmallRun("fault-of-the-last-call", "retry/tool", "Of two calls the second fails.", last, wires=CHAT)
    silent = replace(two, case={**two.case, "emits": ("turnStart", "toolStart", "final")}, silent=True)
    yield SmallRun("fault-unreported", "retry/tool", "A loop that reports no results.", silent, wires=CHAT)
    universal = PlainRun(two.turns, tools=(tool,), failing=two.failing)
    yield SmallRun("fault-without-contract", "retry/tool", "Other contracts know no limit.", universal, wires=CHAT)


_CLOSED = {
    "type": "object",
    "properties": {"city": {"type": "string", "title": "City", "description": "Where.", "default": "Ulm"}},
    "additionalProperties": False,
    "title": "Weather",
    "description": "Where.",
}

_FITS: tuple[tuple[str, str, str, Any], ...] = (
    (
        "declared",
        "Every argument is declared, by its type alone: no loop can refuse the call.",
        '{"city": "Ulm"}',
        _CLOSED,
    ),
    ("none", "No arguments, and none is required.", "{}", _CLOSED),
    ("more", "An argument that is not declared.", '{"city": "Ulm", "more": 1}', _CLOSED),
    ("wrong", "An argument of another type is a fault.", '{"city": 1}', _CLOSED),
    ("cut", "Arguments that are cut are a fault.", '{"city": "Ul', _CLOSED),
    (
        "values",
        "A list of values may be what the call breaks.",
        '{"city": "Ulm"}',
        {"properties": {"city": {"type": "string", "enum": ["Bonn"]}}},
    ),
    ("true", "A property declared as true.", '{"city": "Ulm"}', {"properties": {"city": True}}),
    ("no-properties", "A schema without properties.", '{"city": "Ulm"}', {"type": "object"}),
    ("properties-list", "A schema whose properties are no object.", '{"city": "Ulm"}', {"properties": []}),
    ("bounds", "A bound on the object.", '{"city": "Ulm"}', {**_CLOSED, "minProperties": 2}),
)


def _fits() -> Iterator[SmallRun]:
    for name, summary, arguments, schema in _FITS:
        run = PlainRun(
            (Turn((Call("weather", arguments),)), says("Yes.")),
            tools=(ToolDeclaration("weather", "The weather.", schema),),
            failing=frozenset({"weather"}),
            case={"kinds": {"weather": "unapproved"}},
        )
        words = f"{summary} A call that waits for approval failed, and the loop went on."
        yield SmallRun(f"refused-{name}", "execution/waiting", words, run, wires=CHAT)
        words = f"{summary} Of a call that waits for approval only the start is reported, and the loop went on."
        yield SmallRun(f"begun-{name}", "execution/waiting", words, run, (drop(ToolResult),), CHAT)
    other = PlainRun(
        (Turn((Call("weather", '{"city": "Ulm"}'),)), says("Yes.")),
        tools=(ToolDeclaration("whether", "Nothing.", _CLOSED),),
        failing=frozenset({"weather"}),
        case={"kinds": {"weather": "unapproved"}},
    )
    yield SmallRun(
        "refused-unknown", "execution/waiting", "A tool that is not offered may fail at once.", other, wires=CHAT
    )
    bare = PlainRun(other.turns, tools=(), failing=other.failing, case=other.case)
    yield SmallRun(
        "refused-undeclared", "execution/waiting", "Without declarations a failure is believed.", bare, wires=CHAT
    )
    ran = PlainRun(other.turns, tools=(ToolDeclaration("weather", "The weather.", _CLOSED),), case=other.case)
    yield SmallRun("waiting-run", "execution/waiting", "A call that waits for approval ran.", ran, wires=CHAT)


# --- execution/arguments ---------------------------------------------------------------------------------------

_OBJECTS: tuple[tuple[str, str, str], ...] = (
    ("object", "A JSON object.", '{"basin": "north"}'),
    ("empty", "An empty text is an empty object.", ""),
    ("blank", "A blank text, too.", " \n"),
    ("twice", "A member twice is an object still.", '{"basin": "n", "basin": "s"}'),
    ("not-a-number", "NaN is what many parsers take.", '{"basin": NaN}'),
    ("half-character", "Half a character is for parsers to take.", '{"basin": "\\ud83e"}'),
    ("null", "null is no object.", "null"),
    ("list", "A list is no object.", "[]"),
    ("text", "A text is no object.", '"{}"'),
    ("number", "A number is no object.", "1"),
    ("cut", "An object that is cut.", '{"basin": "b'),
    ("loose", "An object of JavaScript.", "{basin: 1}"),
    ("two", "Two objects.", "{} {}"),
    ("deep", "More brackets than a parser takes.", "[" * 100_000),
)


def _custom(body: Any) -> Edit:
    """The first request declares a custom tool besides."""

    def declare(request: Any) -> None:
        request["tools"].append({"type": "custom", "custom": body})

    return lambda draft: rewrite(draft.records, 0, declare)


def _objects() -> Iterator[SmallRun]:
    for name, summary, arguments in _OBJECTS:
        run = PlainRun((Turn((Call("depth", arguments),)), says("Yes.")))
        yield SmallRun(f"run-on-{name}", "execution/arguments", f"{summary} The tool ran.", run, wires=CHAT)
    broken = Turn((Call("depth", '{"basin": "b'),))
    odd = PlainRun((broken, says("Yes.")))
    for name, custom in (("object", {"name": "depth"}), ("text", "depth"), ("another", {"name": "tide"})):
        yield SmallRun(
            f"custom-{name}-on-cut",
            "execution/arguments",
            "The input of a custom tool of OpenAI's is text, and never JSON.",
            odd,
            (_custom(custom),),
            CHAT,
        )
    elsewhere = PlainRun((broken, says("Yes.")), case={"kinds": {"depth": "external"}})
    yield SmallRun(
        "external-on-cut", "execution/arguments", "What runs elsewhere is not judged.", elsewhere, wires=CHAT
    )
    failed = PlainRun((broken, says("Yes.")), failing=frozenset({"depth"}))
    yield SmallRun("failed-on-cut", "execution/arguments", "A call that failed was not run.", failed, wires=CHAT)
    silent = PlainRun(
        (broken, says("Yes.")), silent=True, outputs={"depth": "7.5"}, case={"returns": {"depth": "7.5 metres"}}
    )
    yield SmallRun("silent-on-cut", "execution/arguments", "A number as the result may be anything.", silent)


_CUT, _GOOD = Call("depth", '{"basin": "b', ""), Call("depth", '{"basin": "n"}', "")
_FIRST, _SECOND = alter(ToolStart, 0, input=None), alter(ToolStart, 1, input=None)
_GUESSED = alter(ToolStart, 0, input={"basin": "b"})
_FAILED = alter(ToolResult, 1, ok=False)
_NAMED = "call_9"
_UNNAMED: tuple[tuple[str, str, tuple[Call, Call], tuple[Edit, ...]], ...] = (
    ("one", "One of two calls ran, perhaps the good one.", (_CUT, _GOOD), (_FIRST, _SECOND, _FAILED)),
    ("both", "Both of two calls ran.", (_CUT, _GOOD), (_FIRST, _SECOND)),
    ("guess", "One of two calls ran on a guess.", (_CUT, _GOOD), (_GUESSED, _SECOND, _FAILED)),
    ("alone", "One of two calls is reported.", (_CUT, _GOOD), (_FIRST, drop(ToolStart, 1), drop(ToolResult, 1))),
    ("beside-a-named", "The other has an id.", (_CUT, replace(_GOOD, id=_NAMED)), (_FIRST, _SECOND, _FAILED)),
    ("beside-none", "This one has an id.", (replace(_CUT, id=_NAMED), _GOOD), (_FIRST, _SECOND, _FAILED)),
    ("of-two-cut", "Both of two calls are cut.", (_CUT, _CUT), (_FIRST, _SECOND, _FAILED)),
    ("another", "The other is of another tool.", (_CUT, replace(_GOOD, name="tide")), (_FIRST, _SECOND, _FAILED)),
)


def _unnamed() -> Iterator[SmallRun]:
    """Which of two calls without ids a tool has run for."""
    for name, summary, calls, edits in _UNNAMED:
        run = PlainRun((Turn(calls), says("Yes.")))
        yield SmallRun(f"unnamed-{name}", "execution/arguments", f"{summary} The first is cut.", run, edits, CHAT)


SMALL_RUNS = (
    *_offered(),
    *_described(),
    *_tools(),
    *_faults(),
    *_fits(),
    *_objects(),
    *_unnamed(),
)
