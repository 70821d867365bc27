"""The draft of JSON Schema that a tool's parameters name in ``$schema``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

NEWEST: Final = "https://json-schema.org/draft/2020-12/schema"
"""The draft of a schema that names none: providers and MCP read it so."""

DRAFT_2019: Final = "https://json-schema.org/draft/2019-09/schema"
DRAFT_07: Final = "http://json-schema.org/draft-07/schema#"
DRAFT_06: Final = "http://json-schema.org/draft-06/schema#"
DRAFT_04: Final = "http://json-schema.org/draft-04/schema#"

WITH_SIBLINGS: Final = frozenset({NEWEST, DRAFT_2019})
"""The drafts in which keywords beside a ``$ref`` count."""

_DRAFTS: Final[Mapping[str, str]] = {
    address.rstrip("#").partition("://")[2]: address for address in (NEWEST, DRAFT_2019, DRAFT_07, DRAFT_06, DRAFT_04)
}
"""The address of each draft, by the part that all spellings of it share."""


def draft_of(schema: Mapping[str, Any]) -> str | None:
    """The draft that a schema names; None if it names none, or an unknown one."""
    named = schema.get("$schema")
    return _DRAFTS.get(named.rstrip("#").partition("://")[2]) if isinstance(named, str) else None
