"""The shape of a request: what the provider is known to check (``harness.wire.shape``).

Item, part and tool types that are not named here pass: the provider adds more every year, and for most nobody knows
what it refuses. Members of known types pass, too, except where all accepted members are known (OAI-05). ``rule`` is set
if a keyword is about another rule than usual for its kind (``faults``).
"""

from __future__ import annotations

from typing import Any, Final

from harness.wire.base import Json
from harness.wire.shape import Fault, RequestShape

ID_PREFIXES: Final = {"message": "msg", "reasoning": "rs", "function_call": "fc", "custom_tool_call": "ctc"}
"""The prefix of the ids of each item type."""

CHAT_PARTS: Final = ("text", "image_url", "file", "image", "tool_result", "tool_use")
"""Other APIs' names for their parts: the commonest mistake. The refusal lists all types."""

INPUT_PARTS: Final = ("input_text", "input_image", "input_file", "input_audio")
_OUTPUT_PARTS: Final = ("output_text", "refusal")

_LONGEST: Final = 64
"""The longest id, and the longest name."""

_TEXT: Final[Json] = {"type": "string"}
_TEXT_OR_NULL: Final[Json] = {"type": ["string", "null"]}
_FLAG: Final[Json] = {"type": ["boolean", "null"]}
_OBJECT: Final[Json] = {"type": ["object", "null"]}
_LIST: Final[Json] = {"type": ["array", "null"]}
_ANY: Final[Json] = {}


def _is(kind: str) -> Json:
    return {"properties": {"type": {"const": kind}}, "required": ["type"]}


def _when(condition: Json, then: Json) -> Json:
    return {"if": condition, "then": then}


def _number(kind: str, least: int | None = None, most: int | None = None) -> Json:
    bounds = {"minimum": least, "maximum": most}
    return {
        "type": [kind, "null"],
        "rule": "OAI-22",
        **{name: bound for name, bound in bounds.items() if bound is not None},
    }


# --- content parts ----------------------------------------------------------------------------------------------

_PART: Final[Json] = {
    "type": "object",
    "properties": {
        "type": _TEXT,
        "text": _TEXT,
        "refusal": _TEXT,
        "file_data": _TEXT_OR_NULL,
        "file_url": _TEXT_OR_NULL,
    },
    "required": ["type"],
    "allOf": [
        _when(
            {"properties": {"type": {"enum": ["input_text", "output_text"]}}, "required": ["type"]},
            {"required": ["text"]},
        ),
        _when(_is("refusal"), {"required": ["refusal"]}),
    ],
}


def _parts(*misplaced: str) -> Json:
    """A text, or a list of parts without the ``misplaced`` ones."""
    kind = {"type": "string", "rule": "OAI-20", "not": {"enum": [*misplaced, *CHAT_PARTS]}}
    return {
        "type": ["string", "array"],
        "items": {**_PART, "properties": {**_PART["properties"], "type": kind}},
    }


_INPUT_CONTENT: Final = _parts(*_OUTPUT_PARTS)
_ASSISTANT_CONTENT: Final = _parts(*INPUT_PARTS)


# --- input items ------------------------------------------------------------------------------------------------


def _id(kind: str) -> Json:
    pattern = f"^{ID_PREFIXES[kind]}[A-Za-z0-9_-]*$"
    return {"type": ["string", "null"], "rule": "OAI-07", "maxLength": _LONGEST, "pattern": pattern}


_CALL_ID: Final[Json] = {"type": "string", "rule": "OAI-08", "minLength": 1, "maxLength": _LONGEST}
_TOOL_NAME: Final[Json] = {
    "type": "string",
    "rule": "OAI-25",
    "minLength": 1,
    "maxLength": _LONGEST,
    "pattern": "^[a-zA-Z0-9_-]*$",
}

_MESSAGE: Final[Json] = {
    "properties": {
        "role": {"type": "string", "rule": "OAI-20", "enum": ["assistant", "system", "developer", "user"]},
        "id": _id("message"),
    },
    "required": ["role", "content"],
    "if": {"properties": {"role": {"const": "assistant"}}, "required": ["role"]},
    "then": {"properties": {"content": _ASSISTANT_CONTENT}},
    "else": {"properties": {"content": _INPUT_CONTENT}},
}

_REASONING: Final[Json] = {
    "properties": {
        "type": _TEXT,
        "id": _id("reasoning"),
        "summary": {"type": "array", "items": {"type": "object"}},
        "content": _LIST,
        "encrypted_content": _TEXT_OR_NULL,
    },
    "required": ["summary"],
    "additionalProperties": False,  # 46 recorded requests with reasoning have no other member, and status is refused
}

_MADE: Final[Json] = {  # members that calls and outputs share: recorded, or in the SDK's types
    "type": _TEXT,
    "call_id": _CALL_ID,
    "status": _TEXT_OR_NULL,
    "namespace": _TEXT_OR_NULL,
    "caller": _OBJECT,
    "created_by": _ANY,
}


def _call(kind: str, arguments: str) -> Json:
    return {
        "properties": {**_MADE, "id": _id(kind), "name": _TOOL_NAME, arguments: _TEXT, "async": _ANY},
        "required": ["call_id", "name", arguments],
        "additionalProperties": False,
    }


_OUTPUT: Final[Json] = {
    "properties": {**_MADE, "id": _TEXT_OR_NULL, "name": _TEXT_OR_NULL, "output": _INPUT_CONTENT},
    "required": ["call_id", "output"],
    "additionalProperties": False,
}

_OUTPUTS: Final = {"enum": ["function_call_output", "custom_tool_call_output"]}

_ITEM: Final[Json] = {
    "type": "object",
    "properties": {"type": _TEXT},
    "allOf": [
        _when(
            {
                "properties": {"type": {"const": "message"}},
                "anyOf": [{"required": ["type"]}, {"required": ["role"]}],
            },
            _MESSAGE,
        ),
        _when({"not": {"required": ["type"]}}, {"rule": "OAI-20", "required": ["role"]}),
        _when(_is("reasoning"), _REASONING),
        _when(_is("function_call"), _call("function_call", "arguments")),
        _when(_is("custom_tool_call"), _call("custom_tool_call", "input")),
        _when({"properties": {"type": _OUTPUTS}, "required": ["type"]}, _OUTPUT),
        _when(_is("item_reference"), {"properties": {"id": _TEXT}, "required": ["id"]}),
    ],
}


# --- the request ------------------------------------------------------------------------------------------------

_TOOL: Final[Json] = {
    "type": "object",
    "required": ["type"],
    "if": {"properties": {"type": {"enum": ["function", "custom"]}}, "required": ["type"]},
    "then": {
        "properties": {
            "name": _TOOL_NAME,
            "description": _TEXT_OR_NULL,
            "parameters": _OBJECT,
            "strict": _FLAG,
        },
        "required": ["name"],  # what tools in Chat's shape lack (stanfordnlp/dspy pull request 9984)
    },
}

_TOOL_CHOICE: Final[Json] = {
    "type": ["string", "object", "null"],
    "if": _TEXT,
    "then": {"rule": "OAI-24", "enum": ["none", "auto", "required"]},
}

MEMBERS: Final[Json] = {  # openai.types.responses.ResponseCreateParams of the SDK, 3.54.0, and client_metadata
    "access_programs": _ANY,
    "background": _FLAG,
    "background_options": _ANY,
    "client_metadata": _OBJECT,  # not in the SDK; Codex sends it with every request, and the API accepts it
    "context_management": _ANY,
    "conversation": {"type": ["string", "object", "null"]},
    "image": _ANY,
    "include": _LIST,
    "input": {"type": ["string", "array", "null"], "items": _ITEM},
    "instructions": _TEXT_OR_NULL,
    "max_output_tokens": _number("integer", 16),
    "max_tool_calls": _number("integer"),
    "metadata": _OBJECT,
    "model": _TEXT_OR_NULL,
    "moderation": _ANY,
    "parallel_tool_calls": _FLAG,
    "previous_response_id": _TEXT_OR_NULL,
    "prompt": _OBJECT,
    "prompt_cache_key": _TEXT_OR_NULL,
    "prompt_cache_options": _ANY,
    "prompt_cache_retention": _TEXT_OR_NULL,
    "reasoning": _OBJECT,
    "safety_identifier": _TEXT_OR_NULL,
    "service_tier": _TEXT_OR_NULL,
    "store": _FLAG,
    "stream": _FLAG,
    "stream_options": _OBJECT,
    "temperature": _number("number", 0, 2),
    "text": _OBJECT,
    "tool_choice": _TOOL_CHOICE,
    "tools": {"type": ["array", "null"], "items": _TOOL},
    "top_logprobs": _number("integer", 0, 20),
    "top_p": _number("number", 0, 1),
    "truncation": _TEXT_OR_NULL,
    "user": _TEXT_OR_NULL,
}

SHAPE: Final = RequestShape({"type": "object", "properties": MEMBERS, "additionalProperties": False})
"""The shape of a Responses request."""

_OF_KEYWORD: Final = {"required": "OAI-04", "additionalProperties": "OAI-05"}
"""The rule of each keyword, unless the schema names another."""


def faults_of(body: Json) -> dict[str, list[Fault]]:
    """What the shape forbids in a request, by the id of the rule, from front to back; one fault per place and rule."""
    found: dict[str, dict[tuple[Any, ...], Fault]] = {}
    for fault in SHAPE.faults(body):
        rule = "OAI-06" if fault.keyword == "type" else fault.rule or _OF_KEYWORD[fault.keyword]
        found.setdefault(rule, {}).setdefault((*fault.path, fault.member), fault)
    return {rule: list(faults.values()) for rule, faults in found.items()}
