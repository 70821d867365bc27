"""What a request lets the model decide about tools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ToolChoice:
    """What the model may call.

    ``names``: only these tools, None for all; ``required``: it must call one; ``forbidden``: it must call none;
    ``alone``: one call per turn.
    """

    names: frozenset[str] | None = None
    required: bool = False
    forbidden: bool = False
    alone: bool = False


def tool_choice(word: object, names: Sequence[object] = (), *, alone: bool = False) -> ToolChoice:
    """The choice that a provider's ``word`` means."""
    mode = word.lower() if isinstance(word, str) else ""
    named = frozenset(name for name in names if isinstance(name, str)) or None
    return ToolChoice(named, mode in ("required", "any", "tool", "function"), mode == "none", alone)


def choice_by_name(body: dict[str, Any]) -> ToolChoice:
    """The choice in ``tool_choice``, as the APIs of OpenAI and Anthropic have it."""
    choice = body.get("tool_choice")
    alone = body.get("parallel_tool_calls") is False or _member(choice, "disable_parallel_tool_use") is True
    if not isinstance(choice, dict):
        return tool_choice(choice, alone=alone)
    name = choice.get("name") or _member(choice.get("function"), "name")
    return tool_choice(choice.get("type"), [name], alone=alone)


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None
