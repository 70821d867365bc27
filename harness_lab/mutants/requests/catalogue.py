"""All specimens, mutants and variants, by wire and by the rule that they prove."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from harness.wire import WIRES, WireName, wire
from harness_lab.mutants.requests.mutant import RequestMutant, RequestVariant
from harness_lab.mutants.requests.specimens import Specimen

__all__ = ["mutants", "mutants_of", "specimens", "variants", "variants_of"]

_MODULES: dict[WireName, str] = {name: f"harness_lab.mutants.requests.{name.replace('-', '_')}" for name in WIRES}


def specimens(name: WireName) -> tuple[Specimen, ...]:
    """Every specimen of a wire."""
    found: tuple[Specimen, ...] = _module(name).SPECIMENS
    return found


def mutants(name: WireName) -> tuple[RequestMutant, ...]:
    """Every mutant of a wire."""
    found: tuple[RequestMutant, ...] = _module(name).MUTANTS
    return found


def variants(name: WireName) -> tuple[RequestVariant, ...]:
    """Every harmless change of a wire."""
    found: tuple[RequestVariant, ...] = _module(name).VARIANTS
    return found


@cache
def mutants_of(rule: str) -> tuple[RequestMutant, ...]:
    """The mutants that this wire rule is proven by: those that name it first."""
    return tuple(mutant for mutant in mutants(_wire_of(rule)) if mutant.rules[0] == rule)


@cache
def variants_of(rule: str) -> tuple[RequestVariant, ...]:
    """The harmless changes by which an allowance is proven."""
    return tuple(variant for variant in variants(_wire_of(rule)) if rule in variant.allows)


def _wire_of(rule: str) -> WireName:
    """The wire whose table has the rule; only its mutants are loaded. Raises ``StopIteration`` for no rule's id."""
    return next(name for name in WIRES if any(each.id == rule for each in wire(name).rules))


def _module(name: WireName) -> Any:
    return import_module(_MODULES[name])
