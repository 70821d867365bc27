"""The values for schemas. They are cached, because a schema comes again with each request.

The search is imported when the first value is asked for: a process that needs no value starts without it.
"""

from __future__ import annotations

import json
import marshal
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from harness.ground.bounded_json import SHALLOW, is_deeper

if TYPE_CHECKING:
    from harness.fitting.by_draft import SchemaByDraft

_MOST_READ: Final = 16
"""Schemas that are kept compiled, because two calls of a tool are often made one after another."""

_MOST_KEPT: Final = 1024
"""Values that are kept for when their schema comes again, which it does with each request."""


@dataclass(frozen=True, slots=True)
class Fit:
    """A value that fits a schema, as JSON text; None if none was found, with the reason in ``why``.

    ``passed_over``: places in a schema that is not strictly valid; the value may break what is meant there.
    """

    text: str | None
    why: str = ""
    passed_over: tuple[str, ...] = ()


def fitting(schema: Any, *, text: str = "example", number: int = 0, arguments: bool = False) -> Fit:
    """A value that fits ``schema`` by its own dialect: the same one every time.

    A string is ``text`` if the schema demands nothing more, and an object has all of its members. ``arguments``: the
    value is an object, whatever else the schema allows, for the call of this ``number``; call 0 has the required
    members only, call 1 all of them, and later calls have some.
    """
    try:
        digest = _digest(schema)
    except ValueError:
        return Fit(None, f"its schema is nested more than {SHALLOW} deep")
    key = (digest, text, number, arguments)
    if key not in _KEPT:
        if len(_KEPT) >= _MOST_KEPT:
            _KEPT.clear()
        _KEPT[key] = _fitting(schema, digest, text, number, arguments)
    return _KEPT[key]


def fits(schema: Any, text: str) -> bool:
    """Whether a value, as JSON text, fits ``schema``. ``fitting`` must have found a value for the schema before."""
    return _read(schema, _digest(schema))[0].accepts(json.loads(text))


def _digest(schema: Any) -> bytes:
    # Faster than JSON, and as much the same for the same schema: version 2 has no references to shared objects.
    return blake2b(marshal.dumps(schema, 2)).digest()


_KEPT: Final[dict[tuple[bytes, str, int, bool], Fit]] = {}
_READ: Final[dict[bytes, list[SchemaByDraft]]] = {}


def _fitting(schema: Any, digest: bytes, text: str, number: int, arguments: bool) -> Fit:
    from harness.fitting.by_draft import Unreadable
    from harness.fitting.search import Search

    try:
        read = _read(schema, digest)
    except Unreadable as error:
        return Fit(None, str(error))
    search = Search(read, text, number, arguments=arguments)
    found = search.value()
    left_out = read[0].left_out
    return Fit(None, search.why, left_out) if found is None else Fit(json.dumps(found[0]), passed_over=left_out)


def _read(schema: Any, digest: bytes) -> list[SchemaByDraft]:
    from harness.fitting.by_draft import Unreadable, by_each_draft

    if digest not in _READ:
        if is_deeper(schema, SHALLOW):
            raise Unreadable(f"its schema is nested more than {SHALLOW} deep")
        found = by_each_draft(schema)
        if len(_READ) >= _MOST_READ:
            _READ.clear()
        _READ[digest] = found
    return _READ[digest]
