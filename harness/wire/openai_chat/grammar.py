"""How requests and responses of Chat are built."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from harness.wire.grammar import Grammar, by_type
from harness.wire.lenient import Json, objects


def _itself(kind: str) -> str:
    return kind


def _chunk(data: Any) -> str:
    """The kind of a chunk, by its members that are neither null nor empty."""
    if not isinstance(data, dict):
        return str(data)[:20]
    if "error" in data:
        return "error"
    choices = objects(data.get("choices"))
    words = [word for choice in choices for word in _words(choice)]
    if data.get("usage") and not choices:
        words.append("usage")
    return "+".join(dict.fromkeys(words)) or "nothing"


def _words(choice: Json) -> Iterator[str]:
    delta = choice.get("delta")
    for name, value in (delta if isinstance(delta, dict) else {}).items():
        if name == "tool_calls":
            yield from ("call" if "id" in call or "type" in call else "arguments" for call in objects(value))
        elif value:
            yield name
    if choice.get("finish_reason"):
        yield "finish"


GRAMMAR: Final = Grammar(_chunk, _itself, by_type, frozenset({"metadata"}))
