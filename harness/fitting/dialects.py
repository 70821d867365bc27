"""The older draft of a schema that names none, and schemas of other dialects, translated.

A schema names its draft in ``$schema`` (``harness.scenario.drafts``). Without it, providers and MCP read draft 2020-12.
A tool's validator may use draft-07, so a value should fit that reading, too, if possible. If draft 2020-12 refuses a
keyword of an older draft, such as a list as ``items``, the schema is read by that draft.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from harness.scenario.drafts import DRAFT_04, DRAFT_07

OLDER: Final[Mapping[str, str]] = {
    "items": DRAFT_07,
    "$id": DRAFT_07,
    "exclusiveMinimum": DRAFT_04,
    "exclusiveMaximum": DRAFT_04,
}
"""The draft of a schema that names none, by the keyword at which the newest draft refuses it."""

_PROTO_TYPES: Final = ("", "string", "number", "integer", "boolean", "array", "object", "null")
"""The types of Google's schemas by their numbers, which some clients send."""

_COUNTS: Final = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")
_VALUES: Final = frozenset({"const", "default", "enum", "example", "examples"})
"""Keywords below which there are no schemas."""


def in_json_schema(schema: Any) -> Any:
    """A schema of OpenAPI in Google's form, translated: it has types in upper case or as numbers, and counts as texts.

    ``nullable`` is kept and ignored: a value that is not null fits with it and without.
    """
    if isinstance(schema, list):
        return [in_json_schema(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {word: _read(word, value) for word, value in schema.items() if not _is_unspecified(word, value)}


def _is_unspecified(word: str, value: Any) -> bool:
    return word == "type" and value in ("TYPE_UNSPECIFIED", 0)


def _read(word: str, value: Any) -> Any:
    if word in _VALUES:
        return value
    if word == "type" and isinstance(value, str):
        return value.lower()
    if word == "type" and isinstance(value, int) and value < len(_PROTO_TYPES):
        return _PROTO_TYPES[value]
    if word in _COUNTS and isinstance(value, str) and value.isdecimal():
        return int(value)
    return in_json_schema(value)
