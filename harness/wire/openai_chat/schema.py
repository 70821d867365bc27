"""The shape of a Chat request: the minimal JSON Schema of what the API is known to check.

Members that are not here pass, and so do parts, tools and calls of an unknown type: other makers have more of them, and
providers add new ones. null counts as absent where clients of the official SDK send it so. Each subschema names its
rule, and that rule has a wording for each keyword that can forbid something.
"""

from __future__ import annotations

from typing import Final

from harness.wire.base import Json
from harness.wire.shape import RequestShape

_ID_LIMIT: Final = 40
_NAME_LIMIT: Final = 64
_TOOL_LIMIT: Final = 128

_ROLES: Final = ("system", "assistant", "user", "function", "tool", "developer")
"""In the order in which the API lists them."""

NAME_PATTERN: Final = "^[a-zA-Z0-9_-]+$"
"""The form of a function's name that the API demands."""

_NEWEST_PATTERN: Final = "^[a-zA-Z0-9_.-]+$"
"""Some newer models take dots (https://github.com/danishjsheikh/swagger-mcp/issues/13): ``rules.tools`` has a check."""


def _type(*kinds: str) -> Json:
    return {"rule": "OAC-TYPE", "type": list(kinds) if len(kinds) > 1 else kinds[0]}


def _number(kind: str, least: int, most: int | None = None) -> Json:
    bounds: Json = {"minimum": least} if most is None else {"minimum": least, "maximum": most}
    return {**_type(kind, "null"), "allOf": [{"rule": "OAC-NUMBER", **bounds}]}


def _of_type(kind: str, then: Json) -> Json:
    """The schema of an object with this type."""
    return {"if": {"properties": {"type": {"const": kind}}, "required": ["type"]}, "then": then}


_NAME: Final[Json] = {
    **_type("string"),
    "allOf": [{"rule": "OAC-NAME", "pattern": _NEWEST_PATTERN, "maxLength": _NAME_LIMIT}],
}

_PART: Final[Json] = {
    "rule": "OAC-PART",
    "type": "object",
    "required": ["type"],  # recording test_custom_llm_within_crew
    "allOf": [
        _of_type("text", {"required": ["text"], "properties": {"text": {"type": "string"}}}),
        _of_type(
            "image_url",
            {
                "required": ["image_url"],
                "properties": {
                    "image_url": {
                        "type": "object",
                        "required": ["url"],
                        "properties": {"url": {"type": "string"}},
                    }
                },
            },
        ),
    ],
}

_CALL: Final[Json] = {
    **_type("object"),
    "allOf": [
        {"rule": "OAC-07", "required": ["id"]},
        {"rule": "OAC-11", "required": ["type"]},
        _of_type("function", {"rule": "OAC-11", "required": ["function"]}),
    ],
    "properties": {
        "id": {**_type("string"), "allOf": [{"rule": "OAC-07", "minLength": 1, "maxLength": _ID_LIMIT}]},
        "function": {
            "rule": "OAC-11",
            "type": "object",
            "required": ["arguments"],
            "properties": {"name": _NAME, "arguments": {"type": "string"}},
        },
    },
}

_MESSAGE: Final[Json] = {
    **_type("object"),
    "allOf": [{"rule": "OAC-ROLE", "required": ["role"]}],
    "properties": {
        "role": {"rule": "OAC-ROLE", "enum": list(_ROLES)},
        # That it may be null in an assistant message with calls only is for OAC-09, which the schema cannot say well.
        "content": {
            **_type("string", "array", "null"),
            "allOf": [{"rule": "OAC-09", "if": {"type": "array"}, "then": {"minItems": 1}}],
            "items": {"if": {"type": "object"}, "then": _PART},  # Mistral has texts there, too
        },
        "tool_calls": {
            **_type("array", "null"),
            "allOf": [{"rule": "OAC-08", "minItems": 1}],
            "items": _CALL,
        },
        "tool_call_id": {**_type("string", "null"), "allOf": [{"rule": "OAC-07", "maxLength": _ID_LIMIT}]},
    },
}

_TOOL: Final[Json] = {
    **_type("object"),
    "allOf": [
        {"rule": "OAC-15", "required": ["type"]},
        _of_type(
            "function",
            {
                "rule": "OAC-15",
                "required": ["function"],
                "properties": {
                    "function": {
                        **_type("object"),
                        "allOf": [{"rule": "OAC-15", "required": ["name"]}],
                        "properties": {
                            "name": _NAME,
                            "description": _type("string", "null"),
                            "parameters": _type("object", "null"),
                            "strict": _type("boolean", "null"),
                        },
                    }
                },
            },
        ),
    ],
}

_CHOICE: Final[Json] = {
    **_type("string", "object", "null"),
    "allOf": [{"rule": "OAC-15", "if": {"type": "string"}, "then": {"enum": ["none", "auto", "required"]}}],
}

SCHEMA: Final[Json] = {
    "rule": "OAC-01",
    "type": "object",
    "required": ["messages"],
    "properties": {
        "model": _type("string", "null"),
        "messages": {**_type("array"), "allOf": [{"rule": "OAC-01", "minItems": 1}], "items": _MESSAGE},
        "tools": {
            **_type("array", "null"),
            "allOf": [{"rule": "OAC-18", "minItems": 1, "maxItems": _TOOL_LIMIT}],
            "items": _TOOL,
        },
        "tool_choice": _CHOICE,
        "parallel_tool_calls": _type("boolean", "null"),
        "stream": _type("boolean", "null"),
        "stream_options": _type("object", "null"),
        "response_format": _type("object", "null"),
        "reasoning_effort": _type("string", "null"),
        "prompt_cache_key": {"rule": "OAC-CACHE", "maxLength": 64},
        "max_tokens": _number("integer", 1),
        "max_completion_tokens": _number("integer", 1),
        "n": _number("integer", 1, 128),
        "top_logprobs": _number("integer", 0, 20),
        "temperature": _number("number", 0, 2),  # recording chat_completions_validation_error_carries_identity
        "top_p": _number("number", 0, 1),
        "presence_penalty": _number("number", -2, 2),
        "frequency_penalty": _number("number", -2, 2),
        "seed": _type("integer", "null"),
        "logprobs": _type("boolean", "null"),
    },
}

SHAPE: Final = RequestShape(SCHEMA)
"""The shape of a request's body."""
