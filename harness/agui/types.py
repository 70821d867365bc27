"""The events of AG-UI, and what each must have: the shapes of version 1.0 of its packages (``ag-ui-protocol``).

Older emitters send ``THINKING_...`` in the place of ``REASONING_...``; both are read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

Check = Callable[[Any], bool]


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _is_content(value: Any) -> bool:
    """Whether this may be the content of a tool message: text, or parts with text or media."""
    return isinstance(value, str | list)


def _is_anything(value: Any) -> bool:  # noqa: ARG001 - it is enough that it is there
    return True


_KINDS: Final[Mapping[str, tuple[str, Check]]] = {
    "text": ("a text", _is_text),
    "list": ("a list", _is_list),
    "content": ("a text or a list of parts", _is_content),
    "any": ("any JSON value", _is_anything),
}


@dataclass(frozen=True, slots=True)
class EventShape:
    """The members of an event type. ``needs`` and ``may`` are required and optional members with their kinds. ``id`` is
    the member that identifies its object; empty if there is none. A null member counts as missing."""

    needs: Mapping[str, str]
    may: Mapping[str, str]
    id: str = ""


def _shape(id: str = "", /, may: Mapping[str, str] | None = None, **needs: str) -> EventShape:
    return EventShape({**({id: "text"} if id else {}), **needs}, may or {}, id)


_MESSAGE: Final = "messageId"
_CALL: Final = "toolCallId"
_STEP: Final = "stepName"

TYPES: Final[Mapping[str, EventShape]] = {
    "RUN_STARTED": _shape("runId", threadId="text"),
    "RUN_FINISHED": _shape("runId", threadId="text"),
    "RUN_ERROR": _shape(message="text", may={"code": "text"}),
    "STEP_STARTED": _shape(_STEP),
    "STEP_FINISHED": _shape(_STEP),
    "TEXT_MESSAGE_START": _shape(_MESSAGE, may={"role": "text"}),
    "TEXT_MESSAGE_CONTENT": _shape(_MESSAGE, delta="text"),
    "TEXT_MESSAGE_END": _shape(_MESSAGE),
    "TEXT_MESSAGE_CHUNK": EventShape({}, {_MESSAGE: "text", "role": "text", "delta": "text"}, _MESSAGE),
    "TOOL_CALL_START": _shape(_CALL, toolCallName="text", may={"parentMessageId": "text"}),
    "TOOL_CALL_ARGS": _shape(_CALL, delta="text"),
    "TOOL_CALL_END": _shape(_CALL),
    "TOOL_CALL_CHUNK": EventShape({}, {_CALL: "text", "toolCallName": "text", "delta": "text"}, _CALL),
    "TOOL_CALL_RESULT": _shape(_CALL, messageId="text", content="content"),
    "REASONING_START": _shape(_MESSAGE),
    "REASONING_MESSAGE_START": _shape(_MESSAGE),
    "REASONING_MESSAGE_CONTENT": _shape(_MESSAGE, delta="text"),
    "REASONING_MESSAGE_END": _shape(_MESSAGE),
    "REASONING_MESSAGE_CHUNK": EventShape({}, {_MESSAGE: "text", "delta": "text"}, _MESSAGE),
    "REASONING_END": _shape(_MESSAGE),
    "REASONING_ENCRYPTED_VALUE": _shape("entityId", subtype="text", encryptedValue="text"),
    "THINKING_START": _shape(may={"title": "text"}),
    "THINKING_END": _shape(),
    "THINKING_TEXT_MESSAGE_START": _shape(),
    "THINKING_TEXT_MESSAGE_CONTENT": _shape(delta="text"),
    "THINKING_TEXT_MESSAGE_END": _shape(),
    "STATE_SNAPSHOT": _shape(snapshot="any"),
    "STATE_DELTA": _shape(delta="list"),
    "MESSAGES_SNAPSHOT": _shape(messages="list"),
    "ACTIVITY_SNAPSHOT": _shape(_MESSAGE, activityType="text", content="any"),
    "ACTIVITY_DELTA": _shape(_MESSAGE, activityType="text", patch="list"),
    "RAW": _shape(event="any"),
    "CUSTOM": _shape(name="text", value="any"),
    "SUBAGENT_STARTED": _shape("subagentRunId", name="text"),
    "SUBAGENT_FINISHED": _shape("subagentRunId"),
    "SUBAGENT_ERROR": _shape("subagentRunId", message="text"),
}
"""Every type of event that is known here."""


def fault_of(type: str, members: Mapping[str, Any]) -> str:
    """What is wrong with the members of an event, in words; empty if nothing is, and for an unknown type."""
    shape = TYPES.get(type)
    if shape is None:
        return ""
    for name, kind in shape.needs.items():
        words, fits = _KINDS[kind]
        if name not in members:
            return f"{type} needs {name!r} ({words}), and has none"
        if not fits(members[name]):
            return f"{name!r} of {type} must be {words}, got {_shown(members[name])}"
    for name, kind in shape.may.items():
        words, fits = _KINDS[kind]
        if members.get(name) is not None and not fits(members[name]):
            return f"{name!r} of {type} must be {words}, got {_shown(members[name])}"
    return ""


def _shown(value: Any) -> str:
    names = {bool: "a truth value", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return "null" if value is None else names.get(type(value), "a text")
