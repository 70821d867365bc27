"""The shape of a request, by hand: only what the provider is known to check.

There are two schemas, because a history grows and settings do not: ``SETTINGS`` is the body without ``messages``,
``HISTORY`` an object with only ``messages``, all of them or the last. ``rule`` names the rule of a subschema and, after
a slash, its wording if that differs from the wording of the schema keyword. Types of blocks, tools and settings that
are not named here pass: the provider adds new ones. Members are judged only in objects whose members are all known
(anthropic 2.12).
"""

from __future__ import annotations

from typing import Any, Final

from harness.wire.base import Json
from harness.wire.shape import RequestShape

_ANY: Final[Json] = {}
_TEXT: Final[Json] = {"type": "string"}
_LIST: Final[Json] = {"type": "array"}
_OBJECT: Final[Json] = {"type": "object"}
_TYPED: Final[Json] = {"type": "object", "required": ["type"]}


def _closed_object(required: tuple[str, ...], optional: tuple[str, ...] = (), **members: Json) -> Json:
    """An object with ``required`` and perhaps ``optional`` members and no others; ``members`` has their schemas."""
    known = dict.fromkeys(("type", *required, *optional), _ANY)
    return {
        "rule": "ANT-10",
        "additionalProperties": False,
        "properties": known,
        "allOf": [{"rule": "ANT-09", "required": list(required), "properties": members}],
    }


def _is(kind: str) -> Json:
    """An object with this JSON type."""
    return {"required": ["type"], "properties": {"type": {"const": kind}}}


def _of_type(kinds: dict[str, Json]) -> Json:
    """An object with a ``type``; ``kinds`` has the schemas for the known types."""
    return {
        **_TYPED,
        "allOf": [{"if": _is(kind), "then": then} for kind, then in kinds.items()],
    }


# --- blocks: ANT-07 to ANT-10, ANT-27, ANT-IMAGE ----------------------------------------------------------------

_ID_PATTERN: Final = "^[a-zA-Z0-9_-]+$"
_SERVER_ID_PATTERN: Final = "^srvtoolu_[a-zA-Z0-9_]+$"
_MEDIA_TYPES: Final = ["image/jpeg", "image/png", "image/gif", "image/webp"]

_IMAGE: Final[Json] = {
    "rule": "ANT-09",
    "required": ["source"],
    "properties": {
        "source": _of_type(
            {
                "base64": {
                    "required": ["media_type", "data"],
                    "properties": {
                        "media_type": {"rule": "ANT-IMAGE", "enum": _MEDIA_TYPES},
                        "data": {"rule": "ANT-IMAGE", "minLength": 1},
                    },
                },
                "url": {"required": ["url"], "properties": {"url": _TEXT}},
                "file": {"required": ["file_id"], "properties": {"file_id": _TEXT}},
            }
        )
    },
}
_RESULT_CONTENT: Final[Json] = {
    "type": ["string", "array"],
    "rule": "ANT-09",
    "items": _of_type({"image": _IMAGE, "text": {"required": ["text"], "properties": {"text": _TEXT}}}),
    "allOf": [{"rule": "ANT-27", "minItems": 1}],
}

_BLOCK: Final[Json] = _of_type(
    {
        "text": _closed_object(("text",), ("cache_control", "citations"), text=_TEXT),
        "thinking": _closed_object(("thinking", "signature"), thinking=_TEXT, signature=_TEXT),
        "redacted_thinking": _closed_object(("data",), data=_TEXT),
        "tool_use": _closed_object(
            ("id", "name", "input"),
            ("cache_control", "caller", "toolset_name"),
            id={"type": "string", "allOf": [{"rule": "ANT-08", "pattern": _ID_PATTERN}]},
            name={"type": "string", "allOf": [{"rule": "ANT-07", "minLength": 1}]},
            input={"rule": "ANT-07", "type": "object"},
        ),
        "server_tool_use": {"properties": {"id": {"rule": "ANT-08/server", "pattern": _SERVER_ID_PATTERN}}},
        "tool_result": _closed_object(
            ("tool_use_id",),
            ("cache_control", "content", "is_error", "toolset_name"),
            tool_use_id={"type": "string", "allOf": [{"rule": "ANT-08/result", "pattern": _ID_PATTERN}]},
            content=_RESULT_CONTENT,
            is_error={"type": "boolean"},
        ),
        "image": _IMAGE,
    }
)

_MESSAGE: Final[Json] = {
    "rule": "ANT-09/shape",
    "type": "object",
    "allOf": [
        {
            "rule": "ANT-09",
            "required": ["role", "content"],
            "properties": {"role": _TEXT, "content": {"type": ["string", "array"], "items": _BLOCK}},
        },
        {"rule": "ANT-10", "additionalProperties": False, "properties": {"role": _ANY, "content": _ANY}},
    ],
}

HISTORY: Final = RequestShape(
    {
        "rule": "ANT-09",
        "type": "object",
        "required": ["messages"],
        "properties": {
            "messages": {"type": "array", "items": _MESSAGE, "allOf": [{"rule": "ANT-12", "minItems": 1}]},
        },
    }
)

# --- tools: ANT-09, ANT-10, ANT-21, ANT-22 ----------------------------------------------------------------------

_TOOL_MEMBERS: Final = (
    *("name", "description", "input_schema", "type", "cache_control", "strict", "eager_input_streaming"),
    *("defer_loading", "input_examples", "allowed_callers"),
)

_TOOL: Final[Json] = {
    "type": "object",
    "if": {"properties": {"type": {"enum": ["custom", None]}}},
    "then": {
        "required": ["name", "input_schema"],
        "properties": {
            "name": {"type": "string", "allOf": [{"rule": "ANT-21", "pattern": "^[a-zA-Z0-9_-]{1,128}$"}]},
            "description": _TEXT,
            "input_schema": {
                "rule": "ANT-22/shape",
                "type": "object",
                "allOf": [{"rule": "ANT-22", "required": ["type"], "properties": {"type": {"const": "object"}}}],
            },
        },
        "allOf": [
            {
                "rule": "ANT-10/tool",
                "additionalProperties": False,
                "properties": dict.fromkeys(_TOOL_MEMBERS, _ANY),
            }
        ],
    },
}

# --- settings ---------------------------------------------------------------------------------------------------

_CHOICE: Final[Json] = {
    "rule": "ANT-CHOICE",
    "if": _OBJECT,
    "then": {
        "required": ["type"],
        "properties": {"type": {"enum": ["auto", "any", "tool", "none"]}},
        "if": _is("tool"),
        "then": {"required": ["name"]},
    },
    "allOf": [{"rule": "ANT-09", "type": ["object", "null"]}],
}

_THINKING: Final[Json] = {
    "rule": "ANT-MODE",
    "if": _OBJECT,
    "then": {
        "required": ["type"],
        "properties": {"type": {"enum": ["enabled", "disabled", "adaptive", "between_tools"]}},
        "if": _is("enabled"),
        "then": {
            "rule": "ANT-25",
            "required": ["budget_tokens"],
            "properties": {
                "budget_tokens": {"minimum": 1024, "allOf": [{"rule": "ANT-09", "type": "integer"}]},
            },
        },
    },
    "allOf": [{"rule": "ANT-09", "type": ["object", "null"]}],
}

_FORMAT: Final[Json] = {"rule": "ANT-FORMAT", "type": ["object", "null"], "required": ["schema"]}

_EFFORTS: Final = ["low", "medium", "high", "xhigh", "max", None]

_OUTPUT_CONFIG: Final[Json] = {
    "type": ["object", "null"],
    "properties": {
        "effort": {"rule": "ANT-29", "enum": _EFFORTS},
        "format": {"type": ["object", "null"], "allOf": [{"rule": "ANT-FORMAT", "if": _OBJECT, "then": _FORMAT}]},
    },
}

_SHARE: Final[Json] = {
    "rule": "ANT-RANGE",
    "type": ["number", "null"],
    "allOf": [{"rule": "ANT-RANGE/range", "minimum": 0, "maximum": 1}],
}

_MEMBERS: Final[dict[str, Any]] = {
    "model": _TEXT,
    "max_tokens": {"type": "integer", "allOf": [{"rule": "ANT-RANGE", "minimum": 0}]},
    "system": {
        "type": ["string", "array"],
        "items": _of_type({"text": _closed_object(("text",), ("cache_control", "citations"), text=_TEXT)}),
    },
    "stream": {"type": ["boolean", "null"]},
    "stop_sequences": {"type": ["array", "null"]},
    "tools": {"type": ["array", "null"], "items": _TOOL},
    "tool_choice": _CHOICE,
    "thinking": _THINKING,
    "output_config": _OUTPUT_CONFIG,
    "output_format": {"type": ["object", "null"], "allOf": [{"if": _OBJECT, "then": _FORMAT}]},
    "temperature": _SHARE,
    "top_p": _SHARE,
    "top_k": {"rule": "ANT-RANGE", "type": ["integer", "null"], "minimum": 0},
}

_OTHER_MEMBERS: Final = (
    *("thread", "metadata", "billing_policy", "cache_control", "compaction", "container", "context_management"),
    *("diagnostics", "fallback_credit_token", "fallbacks", "inference_geo", "mcp_servers", "prefill", "service_tier"),
    *("speed", "user_profile_id", "workspace_id"),
)
"""Members of betas are included: the headers decide which of them a request may use, which is not judged."""

SETTINGS: Final = RequestShape(
    {
        "rule": "ANT-09",
        "type": "object",
        "required": ["model", "max_tokens"],
        "properties": _MEMBERS,
        "allOf": [
            {
                "rule": "ANT-10",
                "additionalProperties": False,
                "properties": dict.fromkeys((*_MEMBERS, *_OTHER_MEMBERS), _ANY),
            }
        ],
    }
)
