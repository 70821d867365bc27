"""Words that ``schemas.yaml`` needs besides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from harness.trace import EventRecord, ToolStart
from harness.wire import Call, Text, ToolDeclaration, Turn
from harness_lab.mutants.traces.draft import TraceDraft, requests
from harness_lab.mutants.traces.plain import PlainRun, says
from harness_lab.mutants.traces.small_runs.changes import declared

_TEXT = {"type": "string"}


def offers(offered: Any, wanted: Any) -> PlainRun:
    """A tool is offered with one schema, and was given with another."""
    tool = ToolDeclaration("chart", "A tool.", offered)
    return PlainRun((says("Yes."),), tools=(tool,), case={"tools": {"chart": declared(wanted)}})


def describes(offered: Mapping[str, str], wanted: Mapping[str, str], tool: str = "A tool.") -> PlainRun:
    """A tool is offered whose arguments, texts all, have some descriptions, and was given with others."""
    schemas = [
        schema_of_object(**{key: {**_TEXT, "description": text} for key, text in each.items()})
        for each in (offered, wanted)
    ]
    run = offers(*schemas)
    return replace(run, tools=(replace(run.tools[0], description=tool),))


def retried(tool: ToolDeclaration, *made: Call, failing: bool = True, times: int = 2) -> PlainRun:
    """A turn with these calls comes so many times; ``failing``: each of its calls fails."""
    turns = tuple(Turn((Text("Let me look."), *made)) for _ in range(times))
    names = frozenset(each.name for each in made) if failing else frozenset()
    return PlainRun((*turns, says("Yes.")), tools=(tool,), failing=names, case={"profile": "pydantic-ai"})


def refuses(arguments: str, schema: Any) -> PlainRun:
    """A call that waits for approval fails, of a tool with this schema."""
    return PlainRun(
        (Turn((Call("weather", arguments),)), says("Yes.")),
        tools=(ToolDeclaration("weather", "The weather.", schema),),
        failing=frozenset({"weather"}),
        case={"kinds": {"weather": "unapproved"}},
    )


def schema_of_object(**properties: Any) -> dict[str, Any]:
    """The JSON Schema of an object with these properties."""
    return {"type": "object", "properties": properties}


def nested(depth: int, leaf: Any) -> Any:
    """A schema in so many objects."""
    return schema_of_object(a=nested(depth - 1, leaf)) if depth else leaf


def combined(depth: int, leaf: Any) -> Any:
    """Schemas in each other, in ``allOf`` and in ``anyOf`` by turns."""
    return {("allOf", "anyOf")[depth % 2]: [combined(depth - 1, leaf)]} if depth else leaf


def offers_one(offered: Any, wanted: Any) -> PlainRun:
    """A tool is offered that has one of its two arguments with one schema, and was given with another."""
    return offers(schema_of_object(a=offered, more=_TEXT), schema_of_object(a=wanted, more=_TEXT))


_BONN: dict[str, Any] = {"city": "Bonn"}


def begun_beside(draft: TraceDraft) -> None:
    """The harness says that the call of the other conversation has begun."""
    at = requests(draft.records)[1]
    draft.records.insert(at, EventRecord(ToolStart("call_1", "chart", _BONN), 0, conversation=1))
