"""Values in the YAML of scenarios that examples become."""

from __future__ import annotations

import json


def yaml_text(value: object) -> str:
    """A JSON value in one line of YAML: JSON, except for its surrogate pairs and for YAML's line ends.

    Invisible characters become escapes. Texts must have no half of a surrogate pair, which YAML cannot contain.
    """
    written = json.dumps(value, ensure_ascii=False)
    return "".join([mark if mark.isprintable() else f"\\U{ord(mark):08x}" for mark in written])
