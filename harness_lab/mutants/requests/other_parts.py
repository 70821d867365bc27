"""Tools and messages that no base request has: schemas of every shape, names, and the parts and blocks of each kind.

They take the place of the tools of a request, or of its history, so that nothing else is in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from harness.ground.data_files import read_data
from harness.wire import WireName
from harness.wire.base import Json
from harness_lab.mutants.requests.asked_for import AskedFor
from harness_lab.mutants.requests.templates import filled

_TABLE: Final = read_data(Path(__file__).with_suffix(".yaml"))


def other_parts(name: WireName) -> Iterator[AskedFor]:
    """The tools, and the histories of one or two messages, of a wire."""
    for place, values in _TABLE.get(name, {}).items():
        yield from (AskedFor(place, value) for value in _values(values))


def _values(values: Any) -> Iterator[Any]:
    """The values of a place, in front of which there may be a function with each of some schemas."""
    if isinstance(values, dict):
        yield from ([{"functionDeclarations": [each]}] for each in _functions(filled(values["functions of"], {})))
        values = values["then"]
    yield from filled(values, {})


def _functions(schemas: Iterable[Json]) -> Iterator[Json]:
    """A function with each schema as it is, with the members that Gemini has, and with those alone however deep."""
    for schema in schemas:
        known = {name: value for name, value in schema.items() if name not in ("additionalProperties", "$defs")}
        yield from ({"name": "read_file", "parameters": each} for each in (schema, known, _opened(known)))


def _opened(schema: Any) -> Any:
    """The schema without what Gemini has no word for, however deep."""
    if isinstance(schema, dict):
        return {name: _opened(each) for name, each in schema.items() if name != "additionalProperties"}
    return [_opened(each) for each in schema] if isinstance(schema, list) else schema
