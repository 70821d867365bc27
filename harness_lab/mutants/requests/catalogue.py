"""All base requests, mutants and equivalent mutants, by wire and by the rule that they prove."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any

from harness.wire import OWN_WIRES, WireName, wire
from harness_lab.mutants.requests.base_requests import BaseRequest
from harness_lab.mutants.requests.mutant import EquivalentRequest, RequestMutant

_MODULES: dict[WireName, str] = {name: f"harness_lab.mutants.requests.{name.replace('-', '_')}" for name in OWN_WIRES}


def base_requests(name: WireName) -> tuple[BaseRequest, ...]:
    """Every base request of a wire."""
    found: tuple[BaseRequest, ...] = _module(name).BASE_REQUESTS
    return found


def mutants(name: WireName) -> tuple[RequestMutant, ...]:
    """Every mutant of a wire."""
    found: tuple[RequestMutant, ...] = _module(name).MUTANTS
    return found


def equivalents(name: WireName) -> tuple[EquivalentRequest, ...]:
    """Every harmless change of a wire."""
    found: tuple[EquivalentRequest, ...] = _module(name).EQUIVALENTS
    return found


@cache
def mutants_of(rule: str) -> tuple[RequestMutant, ...]:
    """The mutants that this wire rule is proven by: those that name it first."""
    return tuple(mutant for name in _wire_of(rule) for mutant in mutants(name) if mutant.rules[0] == rule)


@cache
def equivalents_of(rule: str) -> tuple[EquivalentRequest, ...]:
    """Return the equivalent mutants by which a permission is proven."""
    return tuple(each for name in _wire_of(rule) for each in equivalents(name) if rule in each.allows)


def _wire_of(rule: str) -> Sequence[WireName]:
    """The wire whose table has the rule, of which alone mutants are loaded; none for a rule of another package."""
    return [name for name in OWN_WIRES if any(each.id == rule for each in wire(name).rules)]


def _module(name: WireName) -> Any:
    return import_module(_MODULES[name])
