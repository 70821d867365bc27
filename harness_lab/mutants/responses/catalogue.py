"""The edits of every wire, in the file with its name, and what else a wire has of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from harness.ground.data_files import Lined, read_data
from harness.wire import Call, Turn, WireName
from harness_lab.mutants.responses.answers import ANSWERS
from harness_lab.mutants.responses.mutant import PLAIN_ERROR, ResponseMutant, mutant_of


@cache
def response_mutants(name: WireName) -> tuple[ResponseMutant, ...]:
    """The edits of one wire; none where it has no file of them. Raises ``BadInput`` for a row that is none."""
    path = Path(__file__).parent / f"{name}.yaml"
    return tuple(_rows(read_data(path))) if path.is_file() else ()


def _rows(rows: Lined) -> Iterator[ResponseMutant]:
    for each in rows:
        with rows.at(each):
            yield mutant_of(each, rows[each])
    if PLAIN_ERROR.name not in rows:
        yield PLAIN_ERROR


def answers_of(name: WireName) -> Mapping[str, Turn]:
    """The answers that are broken on one wire: those of all, and its own."""
    found = _module(name)
    return {**ANSWERS, **getattr(found, "OWN_ANSWERS", {})}


def carried(name: WireName, call: Call) -> Call:
    """A call as a sound gateway sends it on: with its signature, where servers of the wire have a member for that."""
    found = _module(name)
    change = getattr(found, "with_signature", None)
    return call if change is None else change(call)


def _module(name: WireName) -> Any:
    place = f"{__package__}.{name.replace('-', '_')}"
    return import_module(place) if find_spec(place) is not None else None
