"""What a request demands of its answer, on any wire: JSON, perhaps with a schema, and a limit of tokens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_SCHEMAS = (
    ("response_format", "json_schema", "schema"),  # openai-chat
    ("text", "format", "schema"),  # openai-responses
    ("output_config", "format", "schema"),  # anthropic-messages
    ("output_format", "schema"),  # anthropic-messages, before output_config
    ("generationConfig", "responseJsonSchema"),  # gemini-generate
    ("generationConfig", "responseSchema"),
)
"""The places of the answer's schema in a body."""

_KINDS = (("response_format", "type"), ("text", "format", "type"), ("generationConfig", "responseMimeType"))
_ANY_JSON = frozenset({"json_object", "application/json"})


def demanded_schema(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The JSON Schema that the answer to a request with this body must fit.

    An empty schema if any JSON is right; None if the answer may be any text.
    """
    schemas = (_at(body, path) for path in _SCHEMAS)
    found = next((schema for schema in schemas if isinstance(schema, dict)), None)
    if found is not None:
        return found
    return {} if any(_at(body, path) in _ANY_JSON for path in _KINDS if isinstance(_at(body, path), str)) else None


_LIMITS = (
    ("max_tokens",),  # openai-chat, anthropic-messages
    ("max_completion_tokens",),  # openai-chat
    ("max_output_tokens",),  # openai-responses
    ("generationConfig", "maxOutputTokens"),  # gemini-generate
    ("generation_config", "max_output_tokens"),  # gemini-interactions
    ("inferenceConfig", "maxTokens"),  # bedrock-converse
)


def output_limit(body: Mapping[str, Any]) -> int | None:
    """The most tokens that the answer to a request with this body may have; None if it sets no limit."""
    limits = [limit for path in _LIMITS if type(limit := _at(body, path)) is int]
    return min(limits, default=None)


def _at(body: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        body = body.get(key) if isinstance(body, Mapping) else None
    return body
