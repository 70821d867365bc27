"""The canonical form of a request: spellings that Gemini reads alike become equal."""

from __future__ import annotations

from typing import Any, Final

from harness.wire.gemini_generate.parts import camel_keys

_FREE: Final = frozenset(
    {
        "args",
        "default",
        "example",
        "labels",
        "parametersJsonSchema",
        "partMetadata",
        "response",
        "responseJsonSchema",
    }
)
"""Members of messages below which all names are the user's own."""

_BYTES: Final = frozenset({"data", "thoughtSignature"})


def canonical(value: Any) -> Any:
    """A message with its own keys in camelCase and its bytes in the standard alphabet without padding."""
    if isinstance(value, list):
        return [canonical(item) for item in value]
    if not isinstance(value, dict):
        return value
    camel = camel_keys(value)
    if len(camel) < len(value):  # a member in both spellings: which of the two counts is for the provider to say
        camel = value
    return {name: _member(name, member) for name, member in camel.items()}


def _member(name: str, member: Any) -> Any:
    if name in _FREE:
        return member
    if name in _BYTES and isinstance(member, str):
        return member.replace("-", "+").replace("_", "/").rstrip("=")
    if name == "properties" and isinstance(member, dict):  # of a schema: the names are the user's, what is below is not
        return {own: canonical(schema) for own, schema in member.items()}
    return canonical(member)
