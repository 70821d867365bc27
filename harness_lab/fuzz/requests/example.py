"""One example: a loop on a specimen's terms, and what becomes of its last request."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from harness.wire import WIRES, Turn, WireName
from harness_lab.fuzz.strategies.damage import Damage, damaged
from harness_lab.mutants.requests import (
    Played,
    Posted,
    RequestMutant,
    RequestVariant,
    Specimen,
    mutants,
    specimens,
    variants,
)

__all__ = ["RequestExample", "change_of", "changes", "fits", "last_request", "specimen_of", "specimens_by_name"]


@dataclass(frozen=True, slots=True)
class RequestExample:
    """A loop as ``specimen`` has it (its model, its settings, its way to go on), in which the model says ``turns``.

    ``change`` is the mutant or the variant that is made in its last request, and ``damage`` what happens to that
    besides. ``seed`` is of the ids and signatures that the endpoint issues.
    """

    wire: WireName
    specimen: str
    turns: tuple[Turn, ...]
    change: str = ""
    damage: tuple[Damage, ...] = ()
    seed: int = 0


@cache
def specimens_by_name() -> dict[str, Specimen]:
    """The specimens of all wires."""
    return {each.name: each for name in WIRES for each in specimens(name)}


@cache
def changes(name: WireName) -> dict[str, RequestMutant | RequestVariant]:
    """All that can be made of the requests of a wire: its mutants, then its variants."""
    every: tuple[RequestMutant | RequestVariant, ...] = (*mutants(name), *variants(name))
    return {each.name: each for each in every}


def change_of(example: RequestExample) -> RequestMutant | RequestVariant | None:
    """What is made in the last request."""
    return changes(example.wire)[example.change] if example.change else None


def fits(change: RequestMutant | RequestVariant, specimen: Specimen) -> bool:
    """Whether a change may be made on a specimen: a mistake is one anywhere, what breaks nothing only where it is said
    to. What was altered in a foreign history, nobody can know."""
    named = any(each.name == specimen.name for each in change.specimens)
    return named or (isinstance(change, RequestMutant) and not specimen.foreign)


def specimen_of(example: RequestExample) -> Specimen:
    """The loop of the example. Its ids are those of the specimen, or, with a seed, others."""
    base = specimens_by_name()[example.specimen]
    return replace(base, name=f"{base.name} {example.seed}" if example.seed else base.name, turns=example.turns)


def last_request(example: RequestExample, loop: Played) -> Posted | None:
    """The last request with what is made of it; None where the change cannot be made in it."""
    posted = loop.last
    change = change_of(example)
    if change is not None and not change.edit(posted):
        return None
    if example.damage:
        posted.raw = damaged(posted.body, example.damage)
    return posted
