"""The built-in model: it answers what no script answers, such as a request for a title."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from harness.gateway.source import Question
from harness.scenario import TurnStep
from harness.wire import Text, Turn
from harness.wire.output_format import demanded_schema

__all__ = ["BuiltInModel"]

_ANSWER: Final = "All right."
_DEEPEST: Final = 8
"""How deep a JSON answer goes into its schema, which may refer to itself."""


class BuiltInModel:
    """Answers every request with a short text, in JSON of the demanded schema where there is one, and calls nothing."""

    def next(self, question: Question) -> TurnStep:
        schema = demanded_schema(question.conversation.body)
        text = _ANSWER if schema is None else json.dumps(_example(schema, schema, 0))
        return TurnStep(Turn((Text(text),)))

    def left(self) -> Sequence[str]:
        return ()


def _example(schema: Any, root: Mapping[str, Any], depth: int) -> Any:
    """A small value that fits ``schema``, as far as its types, names and choices go."""
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return _ANSWER
    if isinstance(reference := schema.get("$ref"), str):
        return _example(_resolved(reference, root), root, depth + 1)
    if "const" in schema:
        return schema["const"]
    if choices := schema.get("enum"):
        return choices[0] if isinstance(choices, list) else _ANSWER
    for word in ("anyOf", "oneOf", "allOf"):
        if isinstance(some := schema.get(word), list) and some:
            return _example(some[0], root, depth + 1)
    return _of_type(schema, root, depth)


def _resolved(reference: str, root: Mapping[str, Any]) -> Any:
    found: Any = root
    for key in reference.removeprefix("#").strip("/").split("/"):
        found = found.get(key) if isinstance(found, dict) else None
    return found


def _of_type(schema: dict[str, Any], root: Mapping[str, Any], depth: int) -> Any:
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    properties = schema.get("properties")
    match str(kind).lower():
        case "string":
            return _ANSWER
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return True
        case "null":
            return None
        case "array":
            return [_example(schema.get("items", {}), root, depth + 1)] * max(1, _count(schema.get("minItems")))
        case _:
            members = properties if isinstance(properties, dict) else {"answer": {"type": "string"}}
            return {name: _example(each, root, depth + 1) for name, each in members.items()}


def _count(value: Any) -> int:
    return min(value, 10) if isinstance(value, int) else 0
