"""Tools, forced tools and the thinking budget."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from harness.wire.anthropic_messages.rules.history import History, broken
from harness.wire.base import Json, Violation
from harness.wire.lenient import entries

__all__ = ["forced_tools", "thinking_budget", "tools"]

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_NEVER_FORCED = {"opus": (5, 5), "fable": (5, 1), "mythos": (0, 0)}


def tools(history: History) -> Iterator[Violation]:
    """ANT-21, ANT-22: tool names are unique and of the right alphabet; a schema describes an object."""
    seen: set[Any] = set()
    for index, tool in enumerate(entries(history.body.get("tools"))):
        if not isinstance(tool, dict):
            continue
        name = tool.get("name")
        if isinstance(name, str) and name in seen:
            got = f"{name} declared twice"
            yield broken(
                "ANT-21", "tools", "Tool names must be unique.", expected="one declaration for a name", got=got
            )
        seen.add(name if isinstance(name, str) else None)
        if tool.get("type") in (None, "custom"):
            yield from _custom_tool(f"tools.{index}.custom", tool)


def _custom_tool(at: str, tool: Json) -> Iterator[Violation]:
    name, schema = tool.get("name"), tool.get("input_schema")
    if isinstance(name, str) and not _NAME.fullmatch(name):
        problem = "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"
        expected = "1 to 128 letters, digits, _ and -"
        yield broken("ANT-21", f"{at}.name", problem, expected=expected, got=repr(name))
    if not isinstance(schema, dict):
        return
    where = f"{at}.input_schema.type"
    if "type" not in schema:
        yield broken("ANT-22", where, "Field required", expected='"object"', got="no type")
    elif schema["type"] != "object":
        yield broken("ANT-22", where, "Input should be 'object'", expected='"object"', got=repr(schema["type"]))


def thinking_budget(history: History) -> Iterator[Violation]:
    """ANT-25: a manual budget is at least 1024 and below ``max_tokens``."""
    budget = (history.body.get("thinking") or {}).get("budget_tokens") if history.thinking == "enabled" else None
    limit = history.body.get("max_tokens")
    if not isinstance(budget, int):
        return
    if budget < 1024:
        at = "thinking.enabled.budget_tokens"
        problem = "Input should be greater than or equal to 1024"
        yield broken("ANT-25", at, problem, expected="1024 or more", got=str(budget), level="L")
    if isinstance(limit, int) and budget >= limit:
        message = "`max_tokens` must be greater than `thinking.budget_tokens`."
        yield Violation("ANT-25", message, "max_tokens", f"more than {budget}", str(limit), level="L")


def forced_tools(history: History) -> Iterator[Violation]:
    """ANT-19, ANT-20: no forced tool on models that always think, nor with manual thinking."""
    choice = history.body.get("tool_choice")
    forced = choice.get("type") if isinstance(choice, dict) else None
    if forced not in ("any", "tool"):
        return
    if _always_thinks(history):
        problem = 'type "tool" and "any" are not supported for this model.'
        yield broken("ANT-19", "tool_choice", problem, expected='"auto" or "none"', got=str(forced))
    if history.thinking == "enabled":
        message = "Thinking may not be enabled when tool_choice forces tool use."
        yield Violation("ANT-20", message, "tool_choice", '"auto" or "none"', str(forced))


def _always_thinks(history: History) -> bool:
    if history.version is None:
        return False
    family, *version = history.version
    return family in _NEVER_FORCED and tuple(version) >= _NEVER_FORCED[family]
