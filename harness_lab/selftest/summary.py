"""The result of all runs: rules without a kill, mutants that survive, findings in clean input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from harness_lab.selftest.mutant_run import Family, MutantRun, names


@dataclass(frozen=True, slots=True)
class SelftestFailure:
    """One failure: ``what`` is a sentence, ``evidence`` its lines. ``crash``: a check or an edit raised an
    exception."""

    family: str
    what: str
    evidence: tuple[str, ...] = ()
    crash: bool = False


@dataclass(frozen=True)
class SelftestSummary:
    """The families with everything that is wrong in them."""

    families: tuple[Family, ...]
    failures: tuple[SelftestFailure, ...] = field(default=())

    @classmethod
    def of(cls, families: Iterable[Family]) -> SelftestSummary:
        """Return the families together with all failures in them."""
        each = tuple(families)
        return cls(each, tuple(failure for family in each for failure in _failures(family)))

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong: the exit code is 0 then."""
        return not self.failures

    @property
    def crashed(self) -> bool:
        """Whether something of the harness itself raised: nobody knows what it would have judged."""
        return any(failure.crash for failure in self.failures)

    @property
    def counts(self) -> str:
        """The counts in one line."""
        rules = {(family.name, rule) for family in self.families for rule in family.rules}
        killed = {(family.name, rule) for family in self.families for rule in family.killed} & rules
        mutants = sum(len(family.names) for family in self.families)
        survived = sum(len(family.survivors) for family in self.families)
        clean = sum(len(family.clean) for family in self.families)
        return (
            f"{len(rules)} rules: {len(killed)} killed; {mutants} mutants: {survived} survived; "
            f"{clean} clean: {sum(family.findings for family in self.families)} findings"
        )


def _failures(family: Family) -> Iterator[SelftestFailure]:
    for rule in family.rules:
        if rule not in family.killed:
            yield SelftestFailure(
                family.name, f"{rule} is not killed: it finds no mutant that names it", _named(family, rule)
            )
    for rule_id in family.permitted:
        if not any(rule == rule_id and _accepted(run) for rule, run in family.accepted):
            yield SelftestFailure(
                family.name, f"{rule_id} is not proven: no equivalent mutant shows that what it allows is accepted"
            )
    for run in (*family.mutants, *family.pairs, *family.clean):
        yield from _failures_of(family.name, run)


def _failures_of(family: str, run: MutantRun) -> Iterator[SelftestFailure]:
    if run.crash:
        yield SelftestFailure(
            family,
            f"{run.name} on {run.on} ends in a crash",
            tuple(run.crash.splitlines()),
            crash=True,
        )
    elif run.unsound:
        yield SelftestFailure(family, f"{run.name} proves nothing on {run.on}", (run.unsound,))
    elif run.survived:
        wanted = " or ".join(dict.fromkeys(run.named))
        yield SelftestFailure(family, f"{run.name} survives on {run.on}: not found by {wanted}", _instead(run))
    elif run.unnamed:
        what = "is found by rules that it does not name" if run.named else "is clean, and is found"
        yield SelftestFailure(family, f"{run.name} on {run.on} {what}", tuple(map(str, run.unnamed)))
    elif run.unclear:
        yield SelftestFailure(family, f"{run.name} on {run.on} is found without evidence", run.unclear)
    elif run.unstated:
        yield SelftestFailure(family, f"{run.name} on {run.on} is not found as it is stated", run.unstated)


def _accepted(run: MutantRun) -> bool:
    return not (run.crash or run.unsound or run.found)


def _instead(run: MutantRun) -> tuple[str, ...]:
    return tuple(f"instead: {found}" for found in run.found) or ("nothing is found in it at all",)


def _named(family: Family, rule: str) -> tuple[str, ...]:
    """The mutants that the rule should have found."""
    named = dict.fromkeys(run.name for run in family.mutants if names(run.named, rule))
    return (f"mutants that name it: {', '.join(named)}",) if named else ("no mutant names it",)
