"""Tools and their choice."""

from __future__ import annotations

from typing import Final

from harness.wire.rule import ErrorTemplate, WireRule, verbatim

_CLAUDE_CODE: Final = "https://github.com/anthropics/claude-code/issues"
_WHATS_NEW: Final = "https://platform.claude.com/docs/en/models/opus-5-5/whats-new-opus-5-5"

ANT_19: Final = WireRule(
    "ANT-19",
    'tool_choice forces no tool (type "tool" or "any").',
    "A loop that gets structured output by forcing a tool needs another way on models that always think.",
    "certain",
    (
        "https://github.com/can1357/oh-my-pi/issues/12939",
        "https://github.com/vercel/ai/issues/21364",
        _WHATS_NEW,
    ),
    (verbatim('tool_choice: type "tool" and "any" are not supported for this model.', name="forced"),),
    applies="Opus 5.5, Fable 5.1 and later of these, Mythos",
)

ANT_20: Final = WireRule(
    "ANT-20",
    "With manual thinking, tool_choice forces no tool.",
    "A loop that forces its final tool while thinking is enabled is refused in its last turn.",
    "certain",
    ("quoted word for word in public code, ten times", "https://github.com/srtab/daiv/pull/527"),
    (verbatim("Thinking may not be enabled when tool_choice forces tool use.", name="forced"),),
    applies="requests with thinking of type enabled",
)

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
)

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
)

ANT_36: Final = WireRule(
    "ANT-36",
    "At most 20 tools are strict, and all their schemas together have at most 24 optional parameters and 16 with a "
    "union of types; none is recursive, and no property has a schema of true or false.",
    "A strict schema is compiled to a grammar. A loop that marks all its tools as strict is refused with one more.",
    "certain",
    (
        "recordings twenty_one_strict_tools_are_rejected, twenty_five_optional_parameters_are_rejected, "
        "seventeen_union_parameters_are_rejected, recursive_ref_is_rejected_by_strict_compiler and "
        "boolean_true_subschema_is_rejected_by_strict_compiler",
        "https://platform.claude.com/docs/en/build-with-claude/structured-outputs",
        "parameters of objects in objects count, too: likely",
    ),
    (
        ErrorTemplate(
            "Too many strict tools ({count}). The maximum number of strict tools supported is {most}. Try reducing "
            "the number of tools marked as strict.",
            seen="Too many strict tools (21). The maximum number of strict tools supported is 20. Try reducing the "
            "number of tools marked as strict.",
            name="tools",
        ),
        ErrorTemplate(
            "Schemas contains too many optional parameters ({count}), which would make grammar compilation "
            "inefficient. Reduce the number of optional parameters in your tool schemas (limit: {most}).",
            seen="Schemas contains too many optional parameters (25), which would make grammar compilation "
            "inefficient. Reduce the number of optional parameters in your tool schemas (limit: 24).",
            name="optional",
        ),
        ErrorTemplate(
            "Schemas contains too many parameters with union types ({count} parameters with type arrays or anyOf). "
            "This causes exponential compilation cost. Reduce the number of nullable or union-typed parameters "
            "(limit: {most} parameters with unions).",
            seen="Schemas contains too many parameters with union types (17 parameters with type arrays or anyOf). "
            "This causes exponential compilation cost. Reduce the number of nullable or union-typed parameters "
            "(limit: 16 parameters with unions).",
            name="unions",
        ),
        ErrorTemplate(
            "{at}: For 'object' type, property 'properties' is not supported",
            seen="tools.0.custom: For 'object' type, property 'properties' is not supported",
            name="boolean",
        ),
        ErrorTemplate(
            "{at}: Invalid schema: Circular reference detected in schema definitions: {circle}. Self-referencing "
            "or mutually-referencing definitions are not supported.",
            seen="tools.0.custom: Invalid schema: Circular reference detected in schema definitions: Node -> Node. "
            "Self-referencing or mutually-referencing definitions are not supported.",
            name="recursive",
        ),
    ),
    applies="tools with strict: true",
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
)
