"""How requests and responses of Gemini are built."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from harness.wire.grammar import Grammar, by_type
from harness.wire.lenient import Json, objects


def _chunk_or_error(kind: str) -> str:
    return kind if kind == "error" else "response"


def _response(data: Any) -> str:
    """The kind of a response, by its parts and whether it ends."""
    if not isinstance(data, dict):
        return str(data)[:20]
    if "error" in data:
        return "error"
    words = [word for candidate in objects(data.get("candidates")) for word in _spoken(candidate)]
    return "+".join(dict.fromkeys(words)) or "nothing"


def _spoken(candidate: Json) -> Iterator[str]:
    content = candidate.get("content")
    for part in objects(content.get("parts") if isinstance(content, dict) else None):
        yield _part(part)
    if candidate.get("finishReason"):
        yield "finish"


_BESIDE = ("thought", "thoughtSignature", "partMetadata", "videoMetadata")
"""Members of a part beside its content."""


def _part(part: Json) -> str:
    if part.get("thought"):
        return "thought"
    return next((name for name in part if name not in _BESIDE), "nothing")


def _by_part(name: str, value: Json) -> str:
    return f"<{_part(value)}>" if name == "parts[]" else by_type(name, value)


GRAMMAR: Final = Grammar(
    _response,
    _chunk_or_error,
    _by_part,
    frozenset({"args", "response", "metadata"}),
    free_in_requests=frozenset({"response"}),
)
