"""All base requests, mutants and equivalent mutants, by wire, as its rules state them."""

from __future__ import annotations

from functools import cache

from harness.wire import WireName, wire
from harness.wire.played import BaseRequest, bases_of, right_module
from harness.wire.played import base_requests as bases_by_name
from harness.wire.posted import Right, Wrong
from harness_lab.mutants.requests.mutant import EquivalentRequest, RequestMutant


def base_requests(name: WireName) -> tuple[BaseRequest, ...]:
    """Every base request of a wire."""
    return tuple(bases_by_name(name).values())


@cache
def mutants(name: WireName) -> tuple[RequestMutant, ...]:
    """Every mutant of a wire: the wrong requests that its rules state."""
    return tuple(_mutant(name, rule.id, wrong) for rule in wire(name).rules for wrong in rule.wrong)


@cache
def equivalents(name: WireName) -> tuple[EquivalentRequest, ...]:
    """Every harmless change of a wire: the right requests that its rules state, and those that no rule is about."""
    stated = [_equivalent(name, (rule.id, *right.also), right) for rule in wire(name).rules for right in rule.right]
    return (*stated, *(_equivalent(name, (), right) for right in right_module(name).HARMLESS))


def _mutant(name: WireName, rule: str, wrong: Wrong) -> RequestMutant:
    return RequestMutant(wrong.name, wrong.summary, (rule, *wrong.also), wrong.edit, bases_of(name, wrong))


def _equivalent(name: WireName, allows: tuple[str, ...], right: Right) -> EquivalentRequest:
    return EquivalentRequest(right.name, right.summary, allows, right.edit, bases_of(name, right), right.remembered)
