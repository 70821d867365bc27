"""What the schema forbids, reported in the provider's words and with its places.

A place goes through the types of the objects on its way (``messages.1.content.0.tool_use.input``): the provider's
validator names the branch that it has chosen.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.finding import Finding
from harness.wire.anthropic_messages.rules.history import AnthropicHistory, Settings
from harness.wire.anthropic_messages.rules.table import BY_ID
from harness.wire.anthropic_messages.schema import HISTORY, SETTINGS
from harness.wire.base import Json
from harness.wire.shape import Fault

_TYPES: Mapping[str, str] = {"object": "dictionary", "array": "list"}
"""What the provider calls a type of JSON, where it has a word of its own."""

_TAGGED_LISTS = ("content", "tools")
_TAGGED = ("source", "thinking", "tool_choice")
_UNTYPED = {"tools": "custom"}

_LONGEST = 60


def of_settings(settings: Settings) -> Iterator[Finding]:
    """ANT-09, ANT-10, ANT-21, ANT-22, ANT-25, ANT-29 and more: the members of the body beside its messages."""
    for fault in SETTINGS.faults(settings.body):
        yield _finding(fault, _place(fault, settings.body))


def of_history(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-07 to ANT-10, ANT-12, ANT-27, ANT-IMAGE: messages, blocks and what is in them."""
    start, body = history.prefix.length, history.conversation.body
    judged: Json = {"messages": body["messages"][start:] if start else body["messages"]} if "messages" in body else {}
    for fault in HISTORY.faults(judged):
        at = _place(fault, judged)
        if len(fault.path) > 1:
            number = int(fault.path[1])
            at = history.place(start + number) + at.removeprefix(f"messages.{number}")
        yield _finding(fault, at)


def shown(value: Any) -> str:
    """A value as JSON, shortened."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _finding(fault: Fault, at: str) -> Finding:
    rule, _, template = fault.rule.partition("/")
    words = {"wanted": fault.wanted, "type": _type(fault.wanted), "choices": _choices(fault.wanted)}
    expected, got = _contrast(fault, words)
    holder = at.rpartition(".")[0]
    return BY_ID[rule].broken(
        at,
        expected=expected,
        got=got,
        template=template or fault.keyword,
        bound=() if fault.is_bound else None,
        holder=holder,
        **words,
    )


def _contrast(fault: Fault, words: Mapping[str, Any]) -> tuple[str, str]:
    match fault.keyword:
        case "required":
            return f"the member {fault.member}", "no such member"
        case "additionalProperties":
            return "no such member", fault.member
        case "type":
            return str(words["type"]), shown(fault.value)
        case "enum" | "const":
            return str(words["choices"]), shown(fault.value)
        case keyword:
            return f"{keyword} {fault.wanted}", shown(fault.value)


def _type(wanted: Any) -> str:
    """The type that a message asks for; of several the one with more in it."""
    names = wanted if isinstance(wanted, list) else [wanted]
    name = "array" if "array" in names else str(names[0])
    return _TYPES.get(name, name)


def _choices(wanted: Any) -> str:
    values = [f"'{value}'" for value in (wanted if isinstance(wanted, list) else [wanted]) if value is not None]
    return f"{', '.join(values[:-1])} or {values[-1]}" if len(values) > 1 else "".join(values)


# --- places ---------------------------------------------------------------------------------------------------


def _place(fault: Fault, body: Json) -> str:
    path: Sequence[str | int] = (*fault.path, fault.member) if fault.member else fault.path
    words: list[str] = []
    here: Any = body
    for depth, step in enumerate(path):
        if step != "type" and (tag := _tag(path[:depth], here)):
            words.append(tag)
        words.append(str(step))
        here = here[step] if depth < len(fault.path) else None
    return ".".join(words)


def _tag(path: Sequence[str | int], here: Any) -> str:
    """The branch that an object was taken for, if it is one of several kinds."""
    if not path or not isinstance(here, dict):
        return ""
    inside = path[-2] if isinstance(path[-1], int) and len(path) > 1 else ""
    if path[-1] not in _TAGGED and inside not in _TAGGED_LISTS:
        return ""
    return str(here.get("type") or _UNTYPED.get(str(inside), ""))
