"""Selects the draft of JSON Schema for a schema, and translates schemas of other dialects.

A schema names its draft in ``$schema``. Without it, providers and MCP read draft 2020-12. A tool's validator may use
draft-07, so a value should fit that reading, too, if possible. If draft 2020-12 refuses a keyword of an older draft,
such as a list as ``items``, the schema is read by that draft.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

NEWEST: Final = "https://json-schema.org/draft/2020-12/schema"

_OF_2019: Final = "https://json-schema.org/draft/2019-09/schema"
OFTEN: Final = "http://json-schema.org/draft-07/schema#"
_OF_06: Final = "http://json-schema.org/draft-06/schema#"
_OF_04: Final = "http://json-schema.org/draft-04/schema#"

_DRAFTS: Final[Mapping[str, str]] = {
    address.rstrip("#").partition("://")[2]: address for address in (NEWEST, _OF_2019, OFTEN, _OF_06, _OF_04)
}
"""The address of each draft, by the part that all spellings of it share."""

OLDER: Final[Mapping[str, str]] = {
    "items": OFTEN,
    "$id": OFTEN,
    "exclusiveMinimum": _OF_04,
    "exclusiveMaximum": _OF_04,
}
"""The draft of a schema that names none, by the keyword at which the newest draft refuses it."""

WITH_SIBLINGS: Final = frozenset({NEWEST, _OF_2019})
"""The drafts in which keywords beside a ``$ref`` count."""

_PROTO_TYPES: Final = ("", "string", "number", "integer", "boolean", "array", "object", "null")
"""The types of Google's schemas by their numbers, which some clients send."""

_COUNTS: Final = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")
_VALUES: Final = frozenset({"const", "default", "enum", "example", "examples"})
"""Keywords below which there are no schemas."""


def draft_of(schema: Mapping[str, Any]) -> str | None:
    """The draft that a schema names; None if it names none, or an unknown one."""
    named = schema.get("$schema")
    return _DRAFTS.get(named.rstrip("#").partition("://")[2]) if isinstance(named, str) else None


def in_json_schema(schema: Any) -> Any:
    """A schema of OpenAPI in Google's form, translated: it has types in upper case or as numbers, and counts as texts.

    ``nullable`` is kept and ignored: a value that is not null fits with it and without.
    """
    if isinstance(schema, list):
        return [in_json_schema(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {word: _read(word, value) for word, value in schema.items() if not _unspecified(word, value)}


def _unspecified(word: str, value: Any) -> bool:
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
