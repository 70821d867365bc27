"""All base requests, mutants and equivalent mutants, by wire and by the rule that they prove."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from harness.wire import OWN_WIRES, WireName, wire
from harness.wire.played import BaseRequest, bases_of, right_module
from harness.wire.played import base_requests as bases_by_name
from harness.wire.posted import Right, Wrong
from harness_lab.mutants.requests.mutant import EquivalentRequest, RequestMutant


def base_requests(name: WireName) -> tuple[BaseRequest, ...]:
    """Every base request of a wire."""
    found: tuple[BaseRequest, ...]
    found = _module(name).BASE_REQUESTS if _is_of_the_lab(name) else tuple(bases_by_name(name).values())
    return found


@cache
def mutants(name: WireName) -> tuple[RequestMutant, ...]:
    """Every mutant of a wire: the wrong requests that its rules state."""
    if _is_of_the_lab(name):
        found: tuple[RequestMutant, ...] = _module(name).MUTANTS
        return found
    return tuple(_mutant(name, rule.id, wrong) for rule in wire(name).rules for wrong in rule.wrong)


@cache
def equivalents(name: WireName) -> tuple[EquivalentRequest, ...]:
    """Every harmless change of a wire: the right requests that its rules state, and those that no rule is about."""
    if _is_of_the_lab(name):
        found: tuple[EquivalentRequest, ...] = _module(name).EQUIVALENTS
        return found
    stated = [_equivalent(name, (rule.id, *right.also), right) for rule in wire(name).rules for right in rule.right]
    return (*stated, *(_equivalent(name, (), right) for right in right_module(name).HARMLESS))


def _mutant(name: WireName, rule: str, wrong: Wrong) -> RequestMutant:
    return RequestMutant(wrong.name, wrong.summary, (rule, *wrong.also), wrong.edit, bases_of(name, wrong), wrong.says)


def _equivalent(name: WireName, allows: tuple[str, ...], right: Right) -> EquivalentRequest:
    return EquivalentRequest(right.name, right.summary, allows, right.edit, bases_of(name, right), right.remembered)


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


def _is_of_the_lab(name: WireName) -> bool:
    """Whether the mutants of a wire are still here, and not beside its rules."""
    return find_spec(f"harness_lab.mutants.requests.{name.replace('-', '_')}") is not None


def _module(name: WireName) -> Any:
    return import_module(f"harness_lab.mutants.requests.{name.replace('-', '_')}")
