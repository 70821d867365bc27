"""Converts messages of all tracers to neutral ones, with one table of synonyms."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from harness.wire import Call, FinishReason, Message, Opaque, Part, Refusal, Result, Text, ThinkingPart
from harness.wire.base import Role
from harness.wire.lenient import entries, objects

_ROLES: Final[Mapping[str, Role]] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
}

_TEXT: Final = frozenset(["text", "input_text", "output_text"])
_THINKING: Final = frozenset(["reasoning", "thinking", "redacted_thinking"])
_CALL: Final = frozenset(["tool_call", "tool_use", "function_call", "function"])
_RESULT: Final = frozenset(["tool_call_response", "tool_result", "function_response", "function_call_output"])

_FINISHES: Final[Mapping[str, FinishReason]] = {
    "length": FinishReason.MAX_TOKENS,
    "max_tokens": FinishReason.MAX_TOKENS,
    "max_output_tokens": FinishReason.MAX_TOKENS,
    "incomplete": FinishReason.MAX_TOKENS,
    "content_filter": FinishReason.CONTENT_FILTER,
    "safety": FinishReason.CONTENT_FILTER,
    "refusal": FinishReason.REFUSAL,
    "pause_turn": FinishReason.PAUSE,
    "tool_calls": FinishReason.TOOL_CALLS,
    "tool_call": FinishReason.TOOL_CALLS,
    "tool_use": FinishReason.TOOL_CALLS,
    "stop": FinishReason.END,
    "end_turn": FinishReason.END,
    "completed": FinishReason.END,
}
"""The words for why a model stopped; if a response has several, the first in this order counts."""

_NEUTRAL: Final = (FinishReason.END, FinishReason.TOOL_CALLS)


def finish_of(words: Sequence[Any], calls: bool) -> FinishReason | None:
    """Why the model stopped, by the words of a span; None without a known word."""
    found = {str(word).rpartition(".")[2].lower() for word in words}
    reason = next((reason for word, reason in _FINISHES.items() if word in found), None)
    if reason in _NEUTRAL:
        return FinishReason.TOOL_CALLS if calls else FinishReason.END
    return reason


def messages_of(raw: Any) -> tuple[Message, ...]:
    """The messages of a history. Neighbours with the same role are joined: some sources write one for each part."""
    found: list[Message] = []
    for each in raw if isinstance(raw, list) else [raw]:
        role, parts = _message(each)
        if not parts:
            continue
        if found and found[-1].role == role and role in ("assistant", "tool"):
            found[-1] = Message(role, (*found[-1].parts, *parts), found[-1].at)
        else:
            found.append(Message(role, parts, f"[{len(found)}]"))
    return tuple(found)


def parts_of(raw: Any) -> tuple[Part, ...]:
    """The parts of the model's output, from the message or the messages of a response."""
    parts = [part for message in messages_of(raw) for part in message.parts]
    return tuple([part for part in parts if not isinstance(part, Result | Opaque)])


def nested(attributes: Mapping[str, Any], name: str) -> list[Any]:
    """A list whose entries are separate attributes: ``NAME.0.message.role``, ``NAME.1. ...``.

    A source may skip numbers. If the attribute is a list already, that is returned.
    """
    whole = attributes.get(name)
    if isinstance(whole, list):
        return whole
    tree: dict[str, Any] = {}
    beginning = f"{name}."
    for key, value in attributes.items():
        if key.startswith(beginning):
            _put(tree, key[len(beginning) :].split("."), value)
    found = _with_lists(tree)
    return found if isinstance(found, list) else []


def _levels(flat: Mapping[str, Any]) -> dict[str, Any]:
    """The tree of dotted names: ``message.role`` becomes ``role`` in ``message``, and so on."""
    tree: dict[str, Any] = {}
    for key, value in flat.items():
        inside = (
            [_levels(each) if isinstance(each, dict) else each for each in value] if isinstance(value, list) else value
        )
        _put(tree, key.split("."), inside)
    return tree


def _put(tree: dict[str, Any], path: Sequence[str], value: Any) -> None:
    for step in path[:-1]:
        below = tree.setdefault(step, {})
        if not isinstance(below, dict):
            return
        tree = below
    tree[path[-1]] = value


def _with_lists(tree: Any) -> Any:
    """The tree; objects whose member names are numbers become lists."""
    if not isinstance(tree, dict):
        return tree
    if tree and all(key.isdigit() for key in tree):
        return [_with_lists(tree[key]) for key in sorted(tree, key=int)]
    return {key: _with_lists(value) for key, value in tree.items()}


# --- one message --------------------------------------------------------------------------------------------


def _message(raw: Any) -> tuple[Role, tuple[Part | Result | Opaque, ...]]:
    if isinstance(raw, dict) and "role" not in raw and any(key.startswith("message.") for key in raw):
        raw = _levels(raw)  # a row of Phoenix's table
    if isinstance(raw, dict) and isinstance(raw.get("message"), dict):  # as OpenInference writes it
        raw = raw["message"]
    if isinstance(raw, str):
        return "user", (Text(raw),) if raw else ()
    if not isinstance(raw, dict):
        return "user", ()
    role = _ROLES.get(str(raw.get("role") or raw.get("type") or "user").lower(), "user")
    parts = list(_content(raw, role))
    for call in entries(raw.get("tool_calls")):
        parts += _part(call, "tool_call")
    if any(isinstance(part, Result) for part in parts):
        role = "tool" if all(isinstance(part, Result) for part in parts) else role
    return role, tuple(parts)


def _content(raw: Mapping[str, Any], role: Role) -> Iterator[Part | Result | Opaque]:
    if role == "tool" and "parts" not in raw:
        if raw.get("tool_call_id"):  # without it, it is no result: Langfuse lists the tools that are declared
            output = raw.get("content") if raw.get("content") is not None else raw.get("contents")
            yield Result(str(raw["tool_call_id"]), _text(output), str(raw.get("name") or ""))
        return
    calls = {str(call.get("id")) for call in objects(raw.get("tool_calls"))}
    for part in _listed_parts(raw):
        for each in _part(part, ""):
            if not (isinstance(each, Call) and each.id in calls):  # LangChain has them in both places
                yield each


def _listed_parts(raw: Mapping[str, Any]) -> list[Any]:
    for name in ("parts", "contents", "content"):
        value = raw.get(name)
        if isinstance(value, list):
            return value
        if isinstance(value, str):
            return _json_list(value) or ([value] if value else [])
    return []


def _json_list(text: str) -> list[Any] | None:
    """The parts in a text that is a JSON list."""
    if not text.startswith("[{"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if all(isinstance(each, dict) and "type" in each for each in value) else None


def _part(part: Any, kind: str) -> list[Part | Result | Opaque]:
    if isinstance(part, str):
        return [Text(part)] if part else []
    if not isinstance(part, dict):
        return []
    for name in ("message_content", "tool_call"):  # as OpenInference writes them
        if isinstance(part.get(name), dict):
            part, kind = part[name], kind or ("tool_call" if name == "tool_call" else "")
    kind = kind or str(part.get("type") or ("text" if "text" in part else ""))
    if kind in _TEXT:
        text = _first(part, "content", "text")
        return [Text(text)] if isinstance(text, str) and text else []
    if kind in _THINKING:
        return [_thinking(part)]
    if kind in _CALL:
        return [_call(part)]
    if kind in _RESULT:
        output = _first(part, "response", "result", "content", "output")
        id = _first(part, "id", "tool_use_id", "tool_call_id", "call_id")
        return [Result(str(id or ""), _text(output), str(part.get("name") or ""))]
    if kind == "refusal":
        return [Refusal(_text(_first(part, "refusal", "content")))]
    return [Opaque(kind or "unknown", part)]


def _thinking(part: Mapping[str, Any]) -> ThinkingPart:
    text = _first(part, "content", "thinking", "text", "reasoning")
    signature = part.get("signature")
    return ThinkingPart(text if isinstance(text, str) else "", signature=str(signature or ""))


def _call(part: Mapping[str, Any]) -> Call:
    function = part.get("function")
    inner = function if isinstance(function, dict) else part
    arguments = _first(inner, "arguments", "input", "args")
    text = arguments if isinstance(arguments, str) else json.dumps(arguments if arguments is not None else {})
    name = inner.get("name") or part.get("name")
    return Call(str(name or ""), text, str(_first(part, "id", "call_id", "tool_call_id") or ""))


def _first(part: Mapping[str, Any], *names: str) -> Any:
    return next((part[name] for name in names if part.get(name) is not None), None)


def _text(value: Any) -> str:
    """A result as text: sources write the text itself, or the object that the tool returned."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(each, dict) and "text" in each for each in value):
        return "".join(str(each["text"]) for each in value)
    return "" if value is None else json.dumps(value, ensure_ascii=False)
