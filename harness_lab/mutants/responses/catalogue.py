"""The edits of every wire, found by the wire's name."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from harness.wire import Call, Turn, WireName
from harness_lab.mutants.responses.answers import ANSWERS
from harness_lab.mutants.responses.mutant import ResponseMutant


def response_mutants(name: WireName) -> tuple[ResponseMutant, ...]:
    """The edits of one wire; none where it has no module of them."""
    found = _module(name)
    return () if found is None else tuple(found.MUTANTS)


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
