"""Tools: their names, their schemas, and which of them is forced."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.finding import Finding
from harness.wire.anthropic_messages.models import MODELS
from harness.wire.anthropic_messages.rules.history import Settings
from harness.wire.anthropic_messages.rules.shape import shown
from harness.wire.anthropic_messages.rules.table.body import ANT_TAG
from harness.wire.anthropic_messages.rules.table.server_tools import ANT_33
from harness.wire.anthropic_messages.rules.table.tools import ANT_19, ANT_20, ANT_21, ANT_22, ANT_CHOICE
from harness.wire.base import Json
from harness.wire.lenient import entries, objects

_TAGS = (
    *("bash_20250124", "code_execution_20250522", "code_execution_20250825", "code_execution_20260120", "custom"),
    *("memory_20250818", "text_editor_20250124", "text_editor_20250429", "text_editor_20250728"),
    *("tool_search_tool_bm25", "tool_search_tool_bm25_20251119", "tool_search_tool_regex"),
    *("tool_search_tool_regex_20251119", "web_fetch_20250910", "web_fetch_20260209"),
)
"""Types of tools, as far as a refusal named them."""

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_UNIONS = ("oneOf", "allOf", "anyOf")


def tags(settings: Settings) -> Iterator[Finding]:
    """ANT-TAG: no tools in another provider's format."""
    for index, tool in enumerate(entries(settings.body.get("tools"))):
        if isinstance(tool, dict) and tool.get("type") == "function":
            listed = ", ".join(f"'{name}'" for name in _TAGS)
            at, kind = f"tools.{index}", "function"
            yield ANT_TAG.broken(at, expected="a tool of this API", got=kind, template="tool", tag=kind, tags=listed)


def names(settings: Settings) -> Iterator[Finding]:
    """ANT-21: tool names are unique."""
    seen: set[str] = set()
    for name in _names(settings):
        if name in seen:
            expected, got = "one declaration for a name", f"{name} declared twice"
            yield ANT_21.broken("tools", expected=expected, got=got)
        seen.add(name)


def schemas(settings: Settings) -> Iterator[Finding]:
    """ANT-22: a schema is one of draft 2020-12, without a union at its top. The shape says that it is of an object."""
    for index, tool in settings.custom_tools:
        schema, at = tool.get("input_schema"), f"tools.{index}.custom.input_schema"
        if not isinstance(schema, dict):
            continue
        unions = [name for name in _UNIONS if name in schema]
        if unions:
            yield ANT_22.broken(at, expected="no union at the top", got=", ".join(unions), template="union")
        elif not _is_schema(schema):
            yield ANT_22.broken(at, expected="a schema of draft 2020-12", got=shown(schema), template="invalid")


def _is_schema(schema: Json) -> bool:
    import jsonschema_rs  # takes 30 ms, which nobody should wait for who does not judge a request

    return jsonschema_rs.meta.is_valid({**schema, "$schema": _DRAFT})


def deferred(settings: Settings) -> Iterator[Finding]:
    """ANT-33: the model knows one of the tools from the start."""
    tools = objects(settings.body.get("tools"))
    if tools and all(tool.get("defer_loading") is True for tool in tools):
        expected, got = "a tool without defer_loading", f"defer_loading in all {len(tools)}"
        yield ANT_33.broken("tools", expected=expected, got=got, template="all-deferred")


def chosen_tool(settings: Settings) -> Iterator[Finding]:
    """ANT-CHOICE: a choice comes with tools, and a chosen tool is one of them."""
    choice = settings.body.get("tool_choice")
    if not isinstance(choice, dict) or choice.get("type") in (None, "none"):
        return
    if not settings.body.get("tools"):
        expected, got = "tools, or no tool_choice", f"type {shown(choice.get('type'))} without tools"
        yield ANT_CHOICE.broken("tool_choice", expected=expected, got=got, template="no-tools")
    elif choice.get("type") == "tool" and isinstance(choice.get("name"), str):
        declared = _names(settings)
        if choice["name"] not in declared:
            expected, got = f"one of {', '.join(declared)}", shown(choice["name"])
            at, template = "tool_choice.tool.name", "undeclared"
            yield ANT_CHOICE.broken(at, expected=expected, got=got, template=template, name=choice["name"])


def forced_tool(settings: Settings) -> Iterator[Finding]:
    """ANT-19, ANT-20: no forced tool on models that always think, nor with manual thinking."""
    choice = settings.body.get("tool_choice")
    forced: Any = choice.get("type") if isinstance(choice, dict) else None
    if forced not in ("any", "tool"):
        return
    if MODELS.holds("never-forced", settings.model):
        yield ANT_19.broken("tool_choice", expected='"auto" or "none"', got=shown(forced))
    if settings.manual:
        yield ANT_20.broken("tool_choice", expected='"auto" or "none"', got=shown(forced))


def _names(settings: Settings) -> list[str]:
    return [tool["name"] for tool in objects(settings.body.get("tools")) if isinstance(tool.get("name"), str)]
