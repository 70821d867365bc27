"""How each wire tells its events and objects apart, and where the keys of an object are not its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from harness.wire.base import NativeWireName
from harness.wire.lenient import objects

__all__ = ["GRAMMARS", "Grammar"]

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Grammar:
    """The words of one wire for what its requests and responses are made of.

    ``kind`` names an event by its data, for what may follow what; ``place`` names it for the members that it has.
    ``variant`` tells the kinds of objects that stand in one place apart: what is put behind the path of a member,
    ``<tool_use>``, or nothing. ``free`` are members whose value is the request's or the model's own (arguments,
    schemas, metadata): nothing below them is compared.
    """

    kind: Callable[[Any], str]
    place: Callable[[str], str]
    variant: Callable[[str, Json], str]
    free: frozenset[str]


_UNIONS = frozenset({"item", "part", "content_block", "delta", "annotation", "action"})
"""Members, beside the elements of lists, of which ``type`` says what else they have."""


def _by_type(name: str, value: Json) -> str:
    kind = value.get("@type", value.get("type")) if name.endswith("[]") or name in _UNIONS else None
    return f"<{kind.rpartition('/')[2]}>" if isinstance(kind, str) else ""


def _named(data: Any) -> str:
    """An event that says its own type, with the type of what it opens or continues.

    What ends is not named: which item comes after which is the model's to say, and no matter of form.
    """
    if not isinstance(data, dict):
        return str(data)[:20]
    kind = str(data.get("type"))
    carried = next((data[name] for name in ("content_block", "delta", "item", "part") if name in data), None)
    inner = carried.get("type") if isinstance(carried, dict) else None
    return f"{kind} {inner}" if isinstance(inner, str) and not kind.endswith(".done") else kind


_ENDS = ("response.completed", "response.incomplete", "response.failed")


def _place(kind: str) -> str:
    """The three ends of a response carry one and the same object."""
    return "|".join(_ENDS) if kind in _ENDS else kind.partition(" ")[0]


def _itself(kind: str) -> str:
    return kind


def _chunk_or_error(kind: str) -> str:
    return kind if kind == "error" else "response"


def _chunk(data: Any) -> str:
    """A chunk of Chat, by what it says: members that are null or empty say nothing."""
    if not isinstance(data, dict):
        return str(data)[:20]
    if "error" in data:
        return "error"
    choices = objects(data.get("choices"))
    said = [word for choice in choices for word in _said(choice)]
    if data.get("usage") and not choices:
        said.append("usage")
    return "+".join(dict.fromkeys(said)) or "nothing"


def _said(choice: Json) -> Iterator[str]:
    delta = choice.get("delta")
    for name, value in (delta if isinstance(delta, dict) else {}).items():
        if name == "tool_calls":
            yield from ("call" if "id" in call or "type" in call else "arguments" for call in objects(value))
        elif value:
            yield name
    if choice.get("finish_reason"):
        yield "finish"


def _response(data: Any) -> str:
    """A response of Gemini, by the parts that it has and whether it ends."""
    if not isinstance(data, dict):
        return str(data)[:20]
    if "error" in data:
        return "error"
    said = [word for candidate in objects(data.get("candidates")) for word in _spoken(candidate)]
    return "+".join(dict.fromkeys(said)) or "nothing"


def _spoken(candidate: Json) -> Iterator[str]:
    content = candidate.get("content")
    for part in objects(content.get("parts") if isinstance(content, dict) else None):
        yield _part(part)
    if candidate.get("finishReason"):
        yield "finish"


_BESIDE = ("thought", "thoughtSignature", "partMetadata", "videoMetadata")
"""Members that a part has beside what it is."""


def _part(part: Json) -> str:
    if part.get("thought"):
        return "thought"
    return next((name for name in part if name not in _BESIDE), "nothing")


def _by_part(name: str, value: Json) -> str:
    return f"<{_part(value)}>" if name == "parts[]" else _by_type(name, value)


GRAMMARS: Mapping[NativeWireName, Grammar] = {
    "openai-responses": Grammar(
        _named,
        _place,
        _by_type,
        frozenset({"metadata", "tools", "tool_choice", "schema", "instructions", "prompt"}),
    ),
    "openai-chat": Grammar(_chunk, _itself, _by_type, frozenset({"metadata"})),
    "anthropic-messages": Grammar(_named, _place, _by_type, frozenset({"input"})),
    "gemini-generate": Grammar(_response, _chunk_or_error, _by_part, frozenset({"args", "response", "metadata"})),
}
