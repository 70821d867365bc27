"""Wire rules against requests that are broken on purpose, and against sound ones."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations

from harness.finding import Finding
from harness.wire import WireName, wire
from harness.wire.posted import Edit
from harness_lab.mutants.requests import (
    BaseRequest,
    EquivalentRequest,
    PlayedLoop,
    Posted,
    RequestMutant,
    base_requests,
    equivalents,
    mutants,
)
from harness_lab.mutants.together import TAKEN_BACK
from harness_lab.selftest.evidence import unclear
from harness_lab.selftest.mutant_run import NOTHING, Family, Found, MutantRun, drawn
from harness_lab.selftest.scope import Scope
from harness_lab.selftest.stated_requests import as_stated

PAIRS = 500
"""How many pairs of mutants are tried per wire at most."""

_ALL = "all its requests"


def requests_of(name: WireName, scope: Scope, *, stated: bool = True) -> Family:
    """Every mutant of a wire on all base requests, and every harmless change on the base requests that it names.

    A mutant must be found wherever it can be made. On its own base requests it must be found by its rules, on the first
    of them by its first rule. It must also be found on any other whose history was issued by the endpoint: in a foreign
    history, nobody can know what was altered. Without ``stated``, the statements about all small changes are left out,
    which take most of the time.
    """
    rules = [rule for rule in wire(name).rules if scope.wants(rule.id)]
    permitted = frozenset(rule.id for rule in rules if rule.permits)
    wanted = [mutant for mutant in mutants(name) if scope.wants_any(mutant.rules)]
    harmless = [equivalent for equivalent in equivalents(name) if scope.wants_any(equivalent.allows)]
    bench = _RequestBench()
    played = base_requests(name) if wanted or harmless or scope.rules is None else ()
    accepted = [
        (equivalent, _equivalent(bench, equivalent, on, permitted))
        for equivalent in harmless
        for on in equivalent.base_requests
    ]
    return Family(
        name,
        rules=tuple(rule.id for rule in rules if not rule.permits),
        mutants=tuple(run for mutant in wanted for run in _mutant(bench, mutant, base_requests(name))),
        clean=(
            *map(bench.clean, played),
            *(run for _, run in accepted),
            *((as_stated(name),) if stated and scope.rules is None else ()),
        ),
        pairs=tuple(_pairs(bench, wanted)),
        permitted=tuple(rule.id for rule in rules if rule.permits),
        accepted=tuple((rule, run) for equivalent, run in accepted for rule in equivalent.allows if rule in permitted),
    )


class _RequestBench:
    """The base requests of a wire, each played once, and the runs of mutants on them."""

    def __init__(self) -> None:
        self._played: dict[BaseRequest, PlayedLoop | AssertionError] = {}

    def clean(self, base: BaseRequest) -> MutantRun:
        """The base request itself: none of its requests breaks a rule."""
        played = self._play(base)
        if isinstance(played, PlayedLoop):
            return MutantRun(base.name, _ALL)
        return MutantRun(base.name, _ALL, found=(Found("a rule", "", "", "no request that breaks one", str(played)),))

    def tried(
        self, run: MutantRun, base: BaseRequest, *edits: Edit, counts: Callable[[Finding], bool] = lambda _: True
    ) -> MutantRun:
        """``run`` with the findings in the last request after ``edits``, or why there are none to judge."""
        played = self._play(base)
        if isinstance(played, AssertionError):
            return replace(run, unsound=f"the base request itself is broken: {played}")
        try:
            posted = played.last
            if not _made(posted, *edits) or _same(posted, played.last):
                return replace(run, unsound=NOTHING)
            findings = list(filter(counts, played.judge(posted)))
            return replace(run, found=tuple(map(_found, findings)), unclear=unclear(findings))
        except Exception:  # noqa: BLE001 - a check or an edit that crashes is reported as that, and the others go on
            return replace(run, crash=traceback.format_exc())

    def _play(self, base: BaseRequest) -> PlayedLoop | AssertionError:
        """The base request with its requests, or what is wrong with it."""
        if base not in self._played:
            try:
                self._played[base] = base.play()
            except AssertionError as broken:
                self._played[base] = broken
        return self._played[base]


def _made(posted: Posted, first: Edit, *others: Edit) -> bool:
    """Make all edits. Only the first can rely on a valid request: the others may find nothing to change."""
    if not first(posted):
        return False
    with suppress(LookupError, TypeError, AttributeError, ValueError):
        return all(edit(posted) for edit in others)
    return False


def _same(one: Posted, other: Posted) -> bool:
    """Whether two requests are equal to the byte: the order of an object's members is a difference."""
    return one == other and one.content() == other.content()


# --- mutants ------------------------------------------------------------------------------------------------


def _mutant(bench: _RequestBench, mutant: RequestMutant, every: Sequence[BaseRequest]) -> Iterator[MutantRun]:
    for base in mutant.base_requests:
        named = mutant.rules[:1] if base is mutant.base_requests[0] else mutant.rules
        yield bench.tried(MutantRun(mutant.name, base.name, named, summary=mutant.summary), base, mutant.edit)
    for base in every:
        if base not in mutant.base_requests and not base.foreign:
            run = MutantRun(mutant.name, base.name, mutant.rules, summary=mutant.summary)
            tried = bench.tried(run, base, mutant.edit)
            if not tried.unsound:
                yield tried


def _pairs(bench: _RequestBench, wanted: Sequence[RequestMutant]) -> Iterator[MutantRun]:
    """Two mistakes in one request: at least one of them must still be found, unless one takes the other back."""
    pairs = [
        (MutantRun(f"{one.name}+{other.name}", base.name, (*one.rules, *other.rules)), base, one.edit, other.edit)
        for one, other in combinations(wanted, 2)
        if frozenset({one.name, other.name}) not in TAKEN_BACK
        for base in one.base_requests
        if base in other.base_requests
    ]
    for run, base, *edits in drawn(pairs, PAIRS):
        tried = bench.tried(run, base, *edits)
        if not tried.unsound:
            yield tried


# --- what is clean ------------------------------------------------------------------------------------------


def _equivalent(
    bench: _RequestBench, equivalent: EquivalentRequest, base: BaseRequest, permitted: frozenset[str]
) -> MutantRun:
    """The run without the INFO findings that are right on a request that the provider accepts.

    They are right if a permission is about the change, or if nobody refuses the request.
    """

    def counts(finding: Finding) -> bool:
        accepted = finding.answered.status < 400 or not permitted.isdisjoint(equivalent.allows)
        return finding.level != "INFO" or not accepted

    run = MutantRun(equivalent.name, base.name, summary=equivalent.summary)
    return bench.tried(run, base, equivalent.edit, counts=counts)


def _found(finding: Finding) -> Found:
    return Found(finding.id, finding.level, finding.answered.place, finding.expected, finding.got)
