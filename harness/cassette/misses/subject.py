"""What a difference between two requests is about, in words that the author of an agent loop uses."""

from __future__ import annotations

from typing import Any, Final, Literal

from harness.cassette.misses.differences import NOTHING, Difference
from harness.wire import history_members

Subject = Literal[
    "endpoint", "model", "tools", "system", "prompt", "result", "id", "turn", "order", "more", "less", "setting", "body"
]

SUBJECTS: Final[dict[Subject, str]] = {
    "endpoint": "it goes to another endpoint",
    "model": "another model is asked",
    "tools": "the tools differ",
    "system": "the system prompt differs",
    "prompt": "the prompt differs",
    "result": "a tool result differs",
    "id": "an id differs",
    "turn": "what the model had said differs",
    "order": "the history is in another order",
    "more": "the history has an entry that was not recorded",
    "less": "the history lacks an entry that was recorded",
    "setting": "a setting differs",
    "body": "the body differs",
}

_MEMBERS: Final[dict[str, Subject]] = {
    "model": "model",
    "tools": "tools",
    "tool_choice": "tools",
    "toolConfig": "tools",
    "functions": "tools",
    "system": "system",
    "instructions": "system",
    "systemInstruction": "system",
    "previous_response_id": "id",
}
_ROLES: Final[dict[str, Subject]] = {
    "tool": "result",
    "function": "result",
    "assistant": "turn",
    "model": "turn",
    "system": "system",
    "developer": "system",
    "user": "prompt",
}
_IDS: Final = frozenset({"id", "call_id", "tool_call_id", "tool_use_id"})
_TURNS: Final = frozenset({"function_call", "custom_tool_call", "reasoning", "item_reference"})


def subject(difference: Difference, asked: Any) -> Subject:
    """What a difference between a recorded body and the one that was ``asked`` is about."""
    match difference.at:
        case (str(member), int(_), *_) if member in history_members():
            return _of_history(difference, asked)
        case (str(member), *_):
            return "prompt" if member in history_members() else _MEMBERS.get(member, "setting")
        case _:
            return "body"


def _of_history(difference: Difference, asked: Any) -> Subject:
    if difference.moved:
        return "order"
    if len(difference.at) == 2 and difference.asked is NOTHING:
        return "less"
    if len(difference.at) == 2 and difference.recorded is NOTHING:
        return "more"
    if difference.at[-1] in _IDS:
        return "id"
    if "functionResponse" in difference.at:
        return "result"
    found: Subject = "prompt"
    value = asked
    for step in difference.at[:-1]:
        value = value[step]
        found = _of_holder(value) or found
    block = difference.asked if isinstance(difference.asked, dict) else difference.recorded
    return _of_holder(block) or found


def _of_holder(holder: Any) -> Subject | None:
    """The subject of everything in an object of a history, if the object determines it."""
    if not isinstance(holder, dict):
        return None
    kind = holder.get("type")
    if isinstance(kind, str) and (kind == "tool_result" or kind.endswith("_output")):
        return "result"
    if kind in _TURNS:
        return "turn"
    role = holder.get("role")
    return _ROLES.get(role) if isinstance(role, str) else None
