"""A small value that fits a JSON Schema, as far as types, names, choices and bounds go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

__all__ = ["example"]

_DEEPEST: Final = 8
"""How deep a value goes into its schema, which may refer to itself."""

_LARGEST: Final = 1_000
"""Values in all: lists in lists, and objects that hold themselves several times, would have a hundred million."""

_MOST: Final = 10
"""Items of an array, and the most that a bound of a text or an array makes of it."""

_FORMATS: Final[Mapping[str, str]] = {
    "date": "2026-01-01",
    "date-time": "2026-01-01T00:00:00Z",
    "time": "00:00:00Z",
    "duration": "PT1M",
    "email": "user@example.com",
    "hostname": "example.com",
    "ipv4": "127.0.0.1",
    "ipv6": "::1",
    "uri": "https://example.com/",
    "url": "https://example.com/",
    "uuid": "00000000-0000-4000-8000-000000000000",
}
"""A text of each format; the hosts are those that RFC 2606 sets aside for examples."""


def example(schema: Any, *, text: str, minimal: bool = False) -> Any:
    """A value that fits ``schema``; the same one every time.

    A string is ``text`` where the schema says nothing more. ``minimal``: an object has its required members only, if it
    names any. A ``pattern`` is not honoured.
    """
    root = schema if isinstance(schema, Mapping) else {}
    return _Examples(root, text, minimal).of(schema, 0)


@dataclass(slots=True)
class _Examples:
    root: Mapping[str, Any]
    text: str
    minimal: bool
    made: int = 0

    def of(self, schema: Any, depth: int) -> Any:
        self.made += 1
        if not isinstance(schema, dict) or depth > _DEEPEST or self.made > _LARGEST:
            return self.text
        if isinstance(reference := schema.get("$ref"), str):
            return self.of(self._resolved(reference), depth + 1)
        if "const" in schema:
            return schema["const"]
        if choices := _listed(schema, "enum") or (_listed(schema, "examples") if self.minimal else None):
            return choices[0]
        for word in ("anyOf", "oneOf", "allOf"):
            if some := _listed(schema, word):
                return self.of(some[0], depth + 1)
        return self._of_type(schema, depth)

    def _resolved(self, reference: str) -> Any:
        found: Any = self.root
        for key in reference.removeprefix("#").strip("/").split("/"):
            found = found.get(key) if isinstance(found, dict) else None
        return found

    def _of_type(self, schema: dict[str, Any], depth: int) -> Any:
        kind = schema.get("type")
        kind = kind[0] if isinstance(kind, list) and kind else kind
        match str(kind).lower():
            case "string":
                return self._string(schema)
            case "integer" | "number":
                return _number(schema)
            case "boolean":
                return True
            case "null":
                return None
            case "array":
                items = schema.get("items", {})
                return [self.of(items, depth + 1) for _ in range(max(1, _bound(schema, "minItems")))]
            case _:
                return {name: self.of(each, depth + 1) for name, each in self._members(schema).items()}

    def _string(self, schema: Mapping[str, Any]) -> str:
        text = _FORMATS.get(str(schema.get("format")), self.text)
        text = text.ljust(_bound(schema, "minLength"), "x")
        longest = schema.get("maxLength")
        return text[:longest] if isinstance(longest, int) and longest >= 0 else text

    def _members(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        members = schema.get("properties")
        if not isinstance(members, dict):
            return {} if self.minimal else {"answer": {"type": "string"}}
        required = _listed(schema, "required") if self.minimal else None
        return {name: each for name, each in members.items() if required is None or name in required}


def _number(schema: Mapping[str, Any]) -> Any:
    """The smallest number that the bounds allow, or 1."""
    if "minimum" in schema:
        return schema["minimum"]
    above, most = schema.get("exclusiveMinimum"), schema.get("maximum")
    if isinstance(above, int | float):
        return above + 1
    return most if isinstance(most, int | float) and most < 1 else schema.get("multipleOf", 1)


def _listed(schema: Mapping[str, Any], word: str) -> list[Any] | None:
    found = schema.get(word)
    return found if isinstance(found, list) and found else None


def _bound(schema: Mapping[str, Any], word: str) -> int:
    value = schema.get(word)
    return min(value, _MOST) if isinstance(value, int) else 0
