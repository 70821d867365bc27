"""Tools: their names, their schemas, and which of them is forced."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from harness.finding import Finding
from harness.wire.anthropic_messages.rules.book import SETTINGS_RULES
from harness.wire.anthropic_messages.rules.content import ANT_TAG
from harness.wire.anthropic_messages.rules.history import Settings
from harness.wire.anthropic_messages.rules.places import tools
from harness.wire.anthropic_messages.rules.server_tools import ANT_33
from harness.wire.anthropic_messages.rules.shape import shown
from harness.wire.base import Json
from harness.wire.lenient import entries, objects
from harness.wire.posted import Posted, Wrong, add, drop, put
from harness.wire.rule import ErrorTemplate, WireRule, verbatim

_CLAUDE_CODE: Final = "https://github.com/anthropics/claude-code/issues"

_TAGS = (
    *("bash_20250124", "code_execution_20250522", "code_execution_20250825", "code_execution_20260120", "custom"),
    *("memory_20250818", "text_editor_20250124", "text_editor_20250429", "text_editor_20250728"),
    *("tool_search_tool_bm25", "tool_search_tool_bm25_20251119", "tool_search_tool_regex"),
    *("tool_search_tool_regex_20251119", "web_fetch_20250910", "web_fetch_20260209"),
)
"""The types of tools that a refusal named."""

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_UNIONS = ("oneOf", "allOf", "anyOf")


@SETTINGS_RULES.check("members", ANT_TAG)
def tags(settings: Settings) -> Iterator[Finding]:
    """ANT-TAG: no tools in another provider's format."""
    for index, tool in enumerate(entries(settings.body.get("tools"))):
        if isinstance(tool, dict) and tool.get("type") == "function":
            listed = ", ".join(f"'{name}'" for name in _TAGS)
            at, kind = f"tools.{index}", "function"
            yield ANT_TAG.broken(at, expected="a tool of this API", got=kind, template="tool", tag=kind, tags=listed)


ANT_21: Final = WireRule(
    "ANT-21",
    "Tools have names of their own, of 1 to 128 letters, digits, _ and -.",
    "Tools of several servers meet in one request with the same name, or with dots and slashes in it.",
    "certain",
    (
        "quoted word for word in public code; the place is tools.N.custom.name as in recorded refusals of schemas",
        "the SDK has a code for it, tool_name_conflict, which is about tools that messages add",
    ),
    (
        verbatim("tools: Tool names must be unique.", name="twice"),
        ErrorTemplate(
            "{at}: String should match pattern '{wanted}'",
            seen="tools.…: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
            name="pattern",
        ),
    ),
    wrong=(
        Wrong(
            "ant-tool-twice",
            "A tool is declared twice.",
            lambda it: tools(it) and add([it.body], "tools", tools(it)[0]),
            "one-call thread",
        ),
        Wrong(
            "ant-tool-name-with-dots",
            "A tool's name has dots.",
            lambda it: put(tools(it)[:1], name="files.list"),
            "one-call manual-thinking foreign",
            says="pattern",
        ),
    ),
)


@SETTINGS_RULES.check("tools", ANT_21)
def names(settings: Settings) -> Iterator[Finding]:
    """ANT-21: tool names are unique."""
    seen: set[str] = set()
    for name in _names(settings):
        if name in seen:
            expected, got = "one declaration for a name", f"{name} declared twice"
            yield ANT_21.broken("tools", expected=expected, got=got)
        seen.add(name)


ANT_22: Final = WireRule(
    "ANT-22",
    "The input_schema of a tool is a JSON Schema of draft 2020-12 that says type object, without oneOf, allOf or anyOf "
    "at its top.",
    "One bad schema among a hundred tools fails every request, whether the tool is called or not.",
    "likely",
    (
        "recordings scalar_root_schema_is_rejected_for_tool_input, boolean_root_schema_is_rejected_for_tool_input and "
        "external_root_ref_is_rejected",
        f"{_CLAUDE_CODE}/63673",
        f"{_CLAUDE_CODE}/9605",
        f"{_CLAUDE_CODE}/27337",
        f"{_CLAUDE_CODE}/40075",
    ),
    (
        ErrorTemplate(
            "{at}: Input should be {choices}",
            certainty="certain",
            seen="tools.0.custom.input_schema.type: Input should be 'object'",
            name="const",
        ),
        ErrorTemplate(
            "{at}: Field required",
            certainty="certain",
            seen="tools.0.custom.input_schema.type: Field required",
            name="required",
        ),
        ErrorTemplate(
            "{at}: Input does not match the expected shape.",
            certainty="certain",
            seen="tools.0.custom.input_schema: Input does not match the expected shape.",
            name="shape",
        ),
        ErrorTemplate(
            "{at}: JSON schema is invalid. It must match JSON Schema draft 2020-12 "
            "(https://json-schema.org/draft/2020-12). Learn more about tool use at "
            "https://docs.claude.com/en/docs/tool-use.",
            seen="tools.21.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 "
            "(https://json-schema.org/draft/2020-12). Learn more about tool use at "
            "https://docs.claude.com/en/docs/tool-use.",
            name="invalid",
        ),
        ErrorTemplate(
            "{at}: input_schema does not support oneOf, allOf, or anyOf at the top level",
            certainty="certain",
            seen="tools.202.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level",
            name="union",
        ),
    ),
    wrong=(
        Wrong(
            "ant-schema-of-text",
            "A tool takes a text and no object.",
            lambda it: put(tools(it)[:1], input_schema={"type": "string"}),
            "one-call manual-thinking foreign",
        ),
        Wrong(
            "ant-schema-without-type",
            "A schema is empty.",
            lambda it: put(tools(it)[:1], input_schema={}),
            "one-call manual-thinking foreign",
            says="required",
        ),
        Wrong(
            "ant-schema-of-anything",
            "A schema is true.",
            lambda it: put(tools(it)[:1], input_schema=True),
            "one-call manual-thinking foreign",
            says="shape",
        ),
        Wrong(
            "ant-schema-invalid",
            "A property has the name of its type where its schema should be.",
            lambda it: put(tools(it)[:1], input_schema={"type": "object", "properties": {"path": "string"}}),
            "one-call manual-thinking foreign",
            says="invalid",
        ),
        Wrong(
            "ant-schema-union",
            "A schema is a union.",
            lambda it: put(
                tools(it)[:1], input_schema={"type": "object", "anyOf": [{"required": ["path"]}, {"required": ["url"]}]}
            ),
            "one-call manual-thinking foreign",
            says="union",
        ),
    ),
)


@SETTINGS_RULES.check("tools", ANT_22)
def schemas(settings: Settings) -> Iterator[Finding]:
    """ANT-22: a schema fits draft 2020-12, without a union at its top. ``shape`` checks that it is an object's."""
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


@SETTINGS_RULES.check("use of tools", ANT_33)
def deferred(settings: Settings) -> Iterator[Finding]:
    """ANT-33: the model knows one of the tools from the start."""
    tools = objects(settings.body.get("tools"))
    if tools and all(tool.get("defer_loading") is True for tool in tools):
        expected, got = "a tool without defer_loading", f"defer_loading in all {len(tools)}"
        yield ANT_33.broken("tools", expected=expected, got=got, template="all-deferred")


def _choose_without_tools(posted: Posted) -> bool:
    return (
        "thread" not in posted.body
        and drop([posted.body], "tools")
        and put([posted.body], tool_choice={"type": "auto"})
    )


ANT_CHOICE: Final = WireRule(
    "ANT-CHOICE",
    "tool_choice comes with tools, and names one of them.",
    "A loop that takes a tool away in the last turn still forces it.",
    "likely",
    ("remembered texts; no recording of either",),
    (
        ErrorTemplate("Tool '{name}' not found in provided tools", name="undeclared"),
        ErrorTemplate("tool_choice may only be specified while providing tools", name="no-tools"),
        ErrorTemplate("{at}: Input should be {choices}", certainty="inferred", name="enum"),
        ErrorTemplate("{at}: Field required", name="required"),
    ),
    wrong=(
        Wrong(
            "ant-choice-undeclared",
            "A tool is chosen that is not declared.",
            lambda it: put([it.body], tool_choice={"type": "tool", "name": "delete_file"}),
            "one-call foreign",
        ),
        Wrong(
            "ant-choice-without-tools",
            "There is a choice and no tools.",
            _choose_without_tools,
            "one-call",
            says="no-tools",
        ),
        Wrong(
            "ant-choice-of-another-provider",
            "The choice is required, as other providers call it.",
            lambda it: put([it.body], tool_choice={"type": "required"}),
            "one-call manual-thinking foreign",
            says="enum",
        ),
        Wrong(
            "ant-choice-without-a-name",
            "A tool is chosen without its name.",
            lambda it: put([it.body], tool_choice={"type": "tool"}),
            "one-call",
            says="required",
        ),
    ),
)


@SETTINGS_RULES.check("use of tools", ANT_CHOICE)
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


def _names(settings: Settings) -> list[str]:
    return [tool["name"] for tool in objects(settings.body.get("tools")) if isinstance(tool.get("name"), str)]
