"""Wire rules against requests that are broken on purpose, and against those that are not."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations

from harness.rules.continuation import LEVELS
from harness.wire import Violation, WireName, wire
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
from harness_lab.mutants.together import TAKEN_BACK
from harness_lab.selftest.scope import Scope
from harness_lab.selftest.trial import NOTHING, Family, Found, Trial, drawn

__all__ = ["PAIRS", "requests_of"]

PAIRS = 500
"""How many pairs of mutants are tried per wire at most."""

Edit = Callable[[Posted], bool]

_ALL = "all its requests"


def requests_of(name: WireName, scope: Scope) -> Family:
    """Every mutant of a wire on all specimens, and every harmless change on those that it names.

    A mutant must be found wherever it can be made: on its own specimens, the first of which its first rule must see,
    and on any other whose history was issued: what was altered in a foreign one, nobody can know.
    """
    rules = [rule for rule in wire(name).rules if scope.wants(rule.id)]
    allowances = frozenset(rule.id for rule in rules if rule.allowance)
    wanted = [mutant for mutant in mutants(name) if scope.wants_any(mutant.rules)]
    harmless = [variant for variant in variants(name) if scope.wants_any(variant.allows)]
    bench = _Bench()
    played = specimens(name) if wanted or harmless or scope.rules is None else ()
    accepted = [(variant, _variant(bench, variant, on, allowances)) for variant in harmless for on in variant.specimens]
    return Family(
        name,
        rules=tuple(rule.id for rule in rules if not rule.allowance),
        mutants=tuple(trial for mutant in wanted for trial in _mutant(bench, mutant, specimens(name))),
        clean=(*map(bench.clean, played), *(trial for _, trial in accepted)),
        pairs=tuple(_pairs(bench, wanted)),
        allowances=tuple(rule.id for rule in rules if rule.allowance),
        allowed=tuple((rule, trial) for variant, trial in accepted for rule in variant.allows if rule in allowances),
    )


class _Bench:
    """The specimens of a wire, each played once, and the trials that are made on them."""

    def __init__(self) -> None:
        self._played: dict[Specimen, Played | AssertionError] = {}

    def clean(self, specimen: Specimen) -> Trial:
        """The specimen itself: none of its requests breaks a rule."""
        played = self._play(specimen)
        if isinstance(played, Played):
            return Trial(specimen.name, _ALL)
        return Trial(specimen.name, _ALL, found=(Found("a rule", "", "", "no request that breaks one", str(played)),))

    def tried(
        self, trial: Trial, specimen: Specimen, *edits: Edit, counts: Callable[[Violation], bool] = lambda _: True
    ) -> Trial:
        """``trial`` with what is found in the last request after ``edits``, or why that cannot be said."""
        played = self._play(specimen)
        if isinstance(played, AssertionError):
            return replace(trial, unsound=f"the specimen itself is broken: {played}")
        try:
            posted = played.last
            if not _made(posted, *edits) or _same(posted, played.last):
                return replace(trial, unsound=NOTHING)
            return replace(trial, found=tuple(map(_found, filter(counts, played.judge(posted)))))
        except Exception:  # noqa: BLE001 - a check or an edit that crashes is told as that, and the others go on
            return replace(trial, crash=traceback.format_exc())

    def _play(self, specimen: Specimen) -> Played | AssertionError:
        """The specimen with its requests, or what is wrong with it."""
        if specimen not in self._played:
            try:
                self._played[specimen] = specimen.play()
            except AssertionError as broken:
                self._played[specimen] = broken
        return self._played[specimen]


def _made(posted: Posted, first: Edit, *others: Edit) -> bool:
    """Make all edits. Only the first can rely on a valid request: the others may not know what to do with theirs."""
    if not first(posted):
        return False
    with suppress(LookupError, TypeError, AttributeError, ValueError):
        return all(edit(posted) for edit in others)
    return False


def _same(one: Posted, other: Posted) -> bool:
    """To the byte: the order of an object's members is a difference."""
    return one == other and one.content() == other.content()


# --- mutants ------------------------------------------------------------------------------------------------


def _mutant(bench: _Bench, mutant: RequestMutant, every: Sequence[Specimen]) -> Iterator[Trial]:
    for specimen in mutant.specimens:
        named = mutant.rules[:1] if specimen is mutant.specimens[0] else mutant.rules
        yield bench.tried(Trial(mutant.name, specimen.name, named, summary=mutant.summary), specimen, mutant.edit)
    for specimen in every:
        if specimen not in mutant.specimens and not specimen.foreign:
            trial = Trial(mutant.name, specimen.name, mutant.rules, summary=mutant.summary)
            tried = bench.tried(trial, specimen, mutant.edit)
            if not tried.unsound:
                yield tried


def _pairs(bench: _Bench, wanted: Sequence[RequestMutant]) -> Iterator[Trial]:
    """Two mistakes in one request: at least one of them must still be found, unless one takes the other back."""
    pairs = [
        (Trial(f"{one.name}+{other.name}", specimen.name, (*one.rules, *other.rules)), specimen, one.edit, other.edit)
        for one, other in combinations(wanted, 2)
        if frozenset({one.name, other.name}) not in TAKEN_BACK
        for specimen in one.specimens
        if specimen in other.specimens
    ]
    for trial, specimen, *edits in drawn(pairs, PAIRS):
        tried = bench.tried(trial, specimen, *edits)
        if not tried.unsound:
            yield tried


# --- what is clean ------------------------------------------------------------------------------------------


def _variant(bench: _Bench, variant: RequestVariant, specimen: Specimen, allowances: frozenset[str]) -> Trial:
    """What a provider takes may still be told as INFO: where an allowance is about it, or where nobody refuses it."""

    def counts(violation: Violation) -> bool:
        accepted = violation.status < 400 or not allowances.isdisjoint(variant.allows)
        return violation.level != "I" or not accepted

    trial = Trial(variant.name, specimen.name, summary=variant.summary)
    return bench.tried(trial, specimen, variant.edit, counts=counts)


def _found(violation: Violation) -> Found:
    return Found(violation.rule, LEVELS[violation.level], violation.at, violation.expected, violation.got)
