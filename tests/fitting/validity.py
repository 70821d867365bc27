"""Whether a value fits a schema, said by another validator than the one that the harness asks.

``jsonschema`` in Python, with its formats as far as its own checkers go, against ``jsonschema-rs`` in the product. Its
patterns are those of the package ``regex``, which knows the properties and named groups of ECMA-262.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import jsonschema
import regex
from jsonschema.validators import extend
from referencing import Registry

D4: Final = "http://json-schema.org/draft-04/schema#"
D6: Final = "http://json-schema.org/draft-06/schema#"
D7: Final = "http://json-schema.org/draft-07/schema#"
D19: Final = "https://json-schema.org/draft/2019-09/schema"
D20: Final = "https://json-schema.org/draft/2020-12/schema"


def _pattern(validator: Any, pattern: str, value: Any, _schema: Any) -> Iterator[jsonschema.ValidationError]:
    if validator.is_type(value, "string") and not regex.search(pattern, value):
        yield jsonschema.ValidationError(f"{value!r} does not match {pattern!r}")


_DRAFTS: Final[Mapping[str, Any]] = {
    draft: extend(kind, {"pattern": _pattern}, format_checker=kind.FORMAT_CHECKER)
    for draft, kind in {
        D4: jsonschema.Draft4Validator,
        D6: jsonschema.Draft6Validator,
        D7: jsonschema.Draft7Validator,
        D19: jsonschema.Draft201909Validator,
        D20: jsonschema.Draft202012Validator,
    }.items()
}


def fits(schema: Any, value: Any, draft: str = "") -> bool:
    """Whether ``value`` fits ``schema`` by this draft, by the one that it names, or by 2020-12. Nothing is fetched."""
    named = schema.get("$schema") if isinstance(schema, dict) else None
    kind = _DRAFTS[draft or (named if named in _DRAFTS else D20)]
    return bool(kind(schema, registry=Registry(), format_checker=kind.FORMAT_CHECKER).is_valid(value))
