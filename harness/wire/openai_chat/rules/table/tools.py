"""Rules about tools: how they are declared, and how one is chosen."""

from __future__ import annotations

from typing import Final

from harness.wire.openai_chat.rules.error_templates import (
    EMPTY_ARRAY,
    LONG_ARRAY,
    LONG_STRING,
    MISSING,
    PATTERN,
    VALUE,
    seen,
)
from harness.wire.rule import ErrorTemplate, WireRule

_OWN: Final = "names of OpenAI's models, and names of no known server"

OAC_15: Final = WireRule(
    "OAC-15",
    "Tools are declared as the API says: each with its type and a function, its parameters an object schema, closed "
    "and complete if it is strict. tool_choice is none, auto, required or a declared tool, and is present, like "
    "parallel_tool_calls, only beside tools.",
    "Schemas that were generated for another provider, or for no strict mode, are refused with the first request. A "
    "last request that takes the tools away but leaves tool_choice is refused, too.",
    "likely",
    (
        "strict: https://github.com/camel-ai/camel/issues/2231, "
        "https://github.com/xemantic/xemantic-ai-tool-schema/issues/37",
        "not all required: public code quotes the text, for the Responses API, too",
        "no properties: https://github.com/spring-projects/spring-ai/issues/4776",
        "a choice without tools: https://github.com/writer/writer-framework/pull/1013, and "
        "https://github.com/vllm-project/vllm/pull/40311 (tried on the API)",
        "parallel_tool_calls without tools: https://github.com/Upsonic/Upsonic/issues/323",
        "texts for an undeclared choice: wire rule OAI-24; others known from memory",
        "other makers' servers are laxer (tools without type, tool_choice any: recordings test_tool_choice_matrix)",
    ),
    (
        ErrorTemplate(
            "Invalid schema for function '{name}': In context={context}, 'additionalProperties' is required to be "
            "supplied and to be false.",
            param="{at}",
            code="invalid_function_parameters",
            certainty="certain",
            seen="Invalid schema for function 'search_documents': In context=('properties', 'body'), "
            "'additionalProperties' is required to be supplied and to be false.",
            name="open",
        ),
        ErrorTemplate(
            "Invalid schema for function '{name}': In context={context}, 'required' is required to be supplied and "
            "to be an array including every key in properties. Missing '{missing}'.",
            param="{at}",
            code="invalid_function_parameters",
            certainty="certain",
            seen="Invalid schema for function 'webContentExtractor': In context=(), 'required' is required to be "
            "supplied and to be an array including every key in properties. Missing 'maxLength'.",
            name="incomplete",
        ),
        ErrorTemplate(
            "Invalid schema for function '{name}': In context=(), object schema missing properties.",
            param="{at}",
            code="invalid_function_parameters",
            seen="Invalid schema for function 'xxx': In context=(), object schema missing properties.",
            name="no properties",
        ),
        ErrorTemplate(
            "Invalid schema for function '{name}': schema must be a JSON Schema of 'type: \"object\"', got 'type: "
            '"{type}"\'.',
            param="{at}",
            code="invalid_function_parameters",
            name="no object",
        ),
        seen(MISSING, name="required"),
        seen(VALUE, certainty="inferred", name="enum"),
        ErrorTemplate("Tool choice '{name}' not found in 'tools' parameter.", param="tool_choice", name="choice"),
        ErrorTemplate(
            "Invalid value for '{at}': '{at}' is only allowed when 'tools' are specified.",
            param="{at}",
            seen="Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
            name="only with tools",
        ),
    ),
    applies=_OWN,
)

OAC_18: Final = WireRule(
    "OAC-18",
    "A request that declares tools declares at least one and at most 128.",
    "Loops that collect the tools of many servers reach the limit; loops that have none must leave the member out.",
    "likely",
    (
        "public code quotes the text for too many",
        "none: https://github.com/vllm-project/vllm/pull/40311 (tried on the API)",
        "accepted by another server: recording test_hf_model_instructions",
    ),
    (
        seen(
            LONG_ARRAY,
            "Invalid 'tools': array too long. Expected an array with maximum length 128, "
            "but got an array with length 129 instead.",
            name="maxItems",
        ),
        seen(EMPTY_ARRAY, name="minItems"),
    ),
    applies=_OWN,
)

OAC_NAME: Final = WireRule(
    "OAC-NAME",
    "The name of a function is made of letters, digits, _ and -, and has 1 to 64 characters: where it is declared and "
    "in every call of the history. Some newer models take dots.",
    "Names that were joined from a server's and a tool's with a slash or a space are refused; a call under an empty or "
    "invented name must be renamed before it goes back.",
    "certain",
    (
        "in a call: https://github.com/mcp-use/mcp-use/issues/90",
        "in a declaration: https://github.com/hackers365/xiaozhi-esp32-server-golang/issues/268",
        "dots are in the pattern of newer models: https://github.com/danishjsheikh/swagger-mcp/issues/13",
        "the length: wire rule OAI-25, likely",
    ),
    (
        seen(
            PATTERN,
            "Invalid 'messages[9].tool_calls[0].function.name': string does not match pattern. Expected a string "
            "that matches the pattern '^[a-zA-Z0-9_-]+$'.",
            name="pattern",
        ),
        seen(PATTERN, certainty="inferred", name="dots"),
        seen(LONG_STRING, certainty="inferred", name="maxLength"),
    ),
    applies=_OWN,
)
