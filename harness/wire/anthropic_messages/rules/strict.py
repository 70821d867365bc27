"""ANT-36: the limits for compiling the schemas of strict tools."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from harness.finding import Finding
from harness.wire.anthropic_messages.rules.book import SETTINGS_RULES
from harness.wire.anthropic_messages.rules.history import Settings
from harness.wire.anthropic_messages.rules.places import tools
from harness.wire.base import Certainty, Json
from harness.wire.lenient import entries
from harness.wire.posted import Posted, Right, Wrong, put
from harness.wire.rule import ErrorTemplate, WireRule

_MOST_TOOLS: Final = 20
_MOST_OPTIONAL: Final = 24
_MOST_UNIONS: Final = 16


def _declare(posted: Posted, *schemas: Any) -> bool:
    """Declare a strict tool for each of these schemas."""
    added = [{"name": f"strict_{at}", "strict": True, "input_schema": schema} for at, schema in enumerate(schemas)]
    return put([posted.body], tools=[*tools(posted), *added])


def _closed_object(properties: Json, **members: Any) -> Json:
    return {"type": "object", "properties": properties, "additionalProperties": False, **members}


def _parameters(count: int, of: Json) -> Json:
    return {f"parameter_{at}": of for at in range(count)}


_TEXT: Final[Json] = {"type": "string"}
_MAYBE: Final[Json] = {"type": ["string", "null"]}
_EITHER: Final[Json] = {"anyOf": [{"type": "string"}, {"type": "null"}]}
_NODE: Final = _closed_object({"next": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]}}, required=["next"])


ANT_36: Final = WireRule(
    "ANT-36",
    "At most 20 tools are strict, and all their schemas together have at most 24 optional parameters and 16 with a "
    "union of types; none is recursive, and no property has a schema of true or false.",
    "A strict schema is compiled to a grammar. A loop that marks all its tools as strict is refused with one more.",
    "certain",
    (
        "recordings twenty_one_strict_tools_are_rejected, twenty_five_optional_parameters_are_rejected, "
        "seventeen_union_parameters_are_rejected, recursive_ref_is_rejected_by_strict_compiler and "
        "boolean_true_subschema_is_rejected_by_strict_compiler",
        "https://platform.claude.com/docs/en/build-with-claude/structured-outputs",
        "parameters of objects in objects count, too: likely",
    ),
    (
        ErrorTemplate(
            "Too many strict tools ({count}). The maximum number of strict tools supported is {most}. Try reducing "
            "the number of tools marked as strict.",
            seen="Too many strict tools (21). The maximum number of strict tools supported is 20. Try reducing the "
            "number of tools marked as strict.",
            name="tools",
        ),
        ErrorTemplate(
            "Schemas contains too many optional parameters ({count}), which would make grammar compilation "
            "inefficient. Reduce the number of optional parameters in your tool schemas (limit: {most}).",
            seen="Schemas contains too many optional parameters (25), which would make grammar compilation "
            "inefficient. Reduce the number of optional parameters in your tool schemas (limit: 24).",
            name="optional",
        ),
        ErrorTemplate(
            "Schemas contains too many parameters with union types ({count} parameters with type arrays or anyOf). "
            "This causes exponential compilation cost. Reduce the number of nullable or union-typed parameters "
            "(limit: {most} parameters with unions).",
            seen="Schemas contains too many parameters with union types (17 parameters with type arrays or anyOf). "
            "This causes exponential compilation cost. Reduce the number of nullable or union-typed parameters "
            "(limit: 16 parameters with unions).",
            name="unions",
        ),
        ErrorTemplate(
            "{at}: For 'object' type, property 'properties' is not supported",
            seen="tools.0.custom: For 'object' type, property 'properties' is not supported",
            name="boolean",
        ),
        ErrorTemplate(
            "{at}: Invalid schema: Circular reference detected in schema definitions: {circle}. Self-referencing "
            "or mutually-referencing definitions are not supported.",
            seen="tools.0.custom: Invalid schema: Circular reference detected in schema definitions: Node -> Node. "
            "Self-referencing or mutually-referencing definitions are not supported.",
            name="recursive",
        ),
    ),
    applies="tools with strict: true",
    wrong=(
        Wrong(
            "ant-strict-tools",
            "One tool too many is strict.",
            lambda it: _declare(it, *[_closed_object({})] * 21),
            "one-call two-calls manual-thinking",
        ),
        Wrong(
            "ant-strict-optional",
            "One parameter too many is optional.",
            lambda it: _declare(it, _closed_object(_parameters(13, _TEXT)), _closed_object(_parameters(12, _TEXT))),
            "one-call two-calls manual-thinking",
            says="optional",
        ),
        Wrong(
            "ant-strict-optional-inside",
            "One parameter too many is optional in an object of a schema.",
            lambda it: _declare(
                it, _closed_object({"more": _closed_object(_parameters(25, _TEXT))}, required=["more"])
            ),
            "one-call two-calls manual-thinking",
            says="optional",
        ),
        Wrong(
            "ant-strict-unions",
            "One parameter too many has several types.",
            lambda it: _declare(it, _closed_object(_parameters(17, _MAYBE), required=list(_parameters(17, _MAYBE)))),
            "one-call two-calls manual-thinking",
            says="unions",
        ),
        Wrong(
            "ant-strict-anything",
            "A strict parameter may be anything.",
            lambda it: _declare(it, _closed_object({"value": True}, required=["value"])),
            "one-call two-calls manual-thinking",
            says="boolean",
        ),
        Wrong(
            "ant-strict-recursive",
            "A strict schema contains itself.",
            lambda it: _declare(it, {**_NODE, "$defs": {"Node": _NODE}}),
            "one-call two-calls manual-thinking",
            says="recursive",
        ),
    ),
    right=(
        Right(
            "ant-strict-as-allowed",
            "As many strict tools, optional parameters and unions as are allowed.",
            lambda it: _declare(
                it,
                _closed_object(_parameters(24, _TEXT)),
                _closed_object(_parameters(16, _EITHER), required=list(_parameters(16, _EITHER))),
                *[_closed_object({})] * 18,
            ),
            "one-call two-calls",
        ),
    ),
)


@SETTINGS_RULES.check("use of tools", ANT_36)
def schemas(settings: Settings) -> Iterator[Finding]:
    """ANT-36: how many tools are strict, how much they leave open, and what no grammar can say."""
    strict = settings.strict_tools
    if not strict:
        return
    if len(strict) > _MOST_TOOLS:
        words: dict[str, Any] = {"count": len(strict), "most": _MOST_TOOLS}
        yield ANT_36.broken("tools", expected=f"{_MOST_TOOLS} or fewer", got=str(len(strict)), **words)
    for index, tool in strict:
        yield from _uncompilable(f"tools.{index}.custom", tool.get("input_schema"))
    yield from _excess_finding("optional", _MOST_OPTIONAL, [_optional(tool.get("input_schema")) for _, tool in strict])
    yield from _excess_finding("unions", _MOST_UNIONS, [_unions(tool.get("input_schema")) for _, tool in strict])


def _excess_finding(template: str, most: int, counts: list[tuple[int, int]]) -> Iterator[Finding]:
    """Checks the counts at the top of each schema, which have a recorded refusal, and in all of it."""
    top, whole = sum(top for top, _ in counts), sum(whole for _, whole in counts)
    if whole > most:
        certainty: Certainty = "certain" if top == whole else "likely"
        words: dict[str, Any] = {"count": whole, "most": most}
        got = f"{whole} {template}"
        yield ANT_36.broken(
            "tools", expected=f"{most} or fewer", got=got, template=template, certainty=certainty, **words
        )


def _optional(schema: Any) -> tuple[int, int]:
    return _parameter_counts(schema, lambda holder, name, _: name not in entries(holder.get("required")))


def _unions(schema: Any) -> tuple[int, int]:
    return _parameter_counts(
        schema, lambda _, __, of: isinstance(of, dict) and ("anyOf" in of or isinstance(of.get("type"), list))
    )


def _parameter_counts(schema: Any, counts: Any) -> tuple[int, int]:
    """How many parameters count at the top of a schema, and in all of it."""
    found = [
        (holder is schema, counts(holder, name, of)) for holder in _objects(schema) for name, of in _properties(holder)
    ]
    return sum(top and one for top, one in found), sum(one for _, one in found)


def _properties(schema: Json) -> list[tuple[str, Any]]:
    properties = schema.get("properties")
    return list(properties.items()) if isinstance(properties, dict) else []


def _objects(schema: Any) -> Iterator[Json]:
    """A schema and those in it, each definition once."""
    left = [schema]
    while left:
        each = left.pop()
        if isinstance(each, dict):
            yield each
            left += [each.get("items"), *entries(each.get("anyOf")), *entries(each.get("allOf"))]
            left += [of for _, of in _properties(each)]
            left += _definitions(each).values()


def _definitions(schema: Json) -> Json:
    found = [schema.get(name) for name in ("$defs", "definitions")]
    return {name: of for each in found if isinstance(each, dict) for name, of in each.items()}


# --- what no grammar can say ----------------------------------------------------------------------------------


def _uncompilable(at: str, schema: Any) -> Iterator[Finding]:
    if not isinstance(schema, dict):
        return
    if any(isinstance(of, bool) for holder in _objects(schema) for _, of in _properties(holder)):
        expected, got = "a schema for each property", "true or false in place of a schema"
        yield ANT_36.broken(at, expected=expected, got=got, template="boolean")
    circle = _circle(_definitions(schema))
    if circle:
        expected, got = "no definition that leads to itself", " -> ".join(circle)
        yield ANT_36.broken(at, expected=expected, got=got, template="recursive", circle=got)


def _circle(definitions: Json) -> list[str]:
    """The names of definitions in a circle: each refers to the next, and the last to the first."""
    leads = {name: [to for to in _referenced_names(of) if to in definitions] for name, of in definitions.items()}
    done: set[str] = set()
    for start in leads:
        path = [start]
        left = [iter(leads[start])] if start not in done else []
        while left:
            to = next(left[-1], None)
            if to is None:
                left.pop()
                done.add(path.pop())
            elif to in path:
                return [*path[path.index(to) :], to]
            elif to not in done:
                path.append(to)
                left.append(iter(leads[to]))
    return []


def _referenced_names(schema: Any) -> list[str]:
    """The names of the definitions that a schema refers to."""
    references = (each.get("$ref") for each in _objects(schema))
    return [named.rpartition("/")[2] for named in references if isinstance(named, str) and named.startswith("#/")]
