"""Values in the YAML of scenarios that examples become."""

from __future__ import annotations

import json


def yaml_text(value: object) -> str:
    """A JSON value in one line of YAML: JSON, but for its surrogate pairs and for YAML's idea of what ends a line.

    What cannot be seen is an escape. Texts must hold no half of a surrogate pair, which YAML cannot say.
    """
    written = json.dumps(value, ensure_ascii=False)
    return "".join([mark if mark.isprintable() else f"\\U{ord(mark):08x}" for mark in written])
