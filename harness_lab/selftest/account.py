"""What all trials say together: rules without a kill, mutants that survive, findings on what is clean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from harness_lab.selftest.trial import Family, Trial, names

__all__ = ["Account", "Fault"]


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong: ``what`` in a sentence, ``evidence`` in lines. ``crash``: a check or an edit raised."""

    family: str
    what: str
    evidence: tuple[str, ...] = ()
    crash: bool = False


@dataclass(frozen=True)
class Account:
    """The families with everything that is wrong in them."""

    families: tuple[Family, ...]
    faults: tuple[Fault, ...] = field(default=())

    @classmethod
    def of(cls, families: Iterable[Family]) -> Account:
        each = tuple(families)
        return cls(each, tuple(fault for family in each for fault in _faults(family)))

    @property
    def holds(self) -> bool:
        return not self.faults

    @property
    def crashed(self) -> bool:
        """Something of the harness itself raised: what was not judged for it is not known."""
        return any(fault.crash for fault in self.faults)

    @property
    def summary(self) -> str:
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


def _faults(family: Family) -> Iterator[Fault]:
    for rule in family.rules:
        if rule not in family.killed:
            yield Fault(family.name, f"{rule} is not killed: it finds no mutant that names it", _named(family, rule))
    for allowance in family.allowances:
        if not any(rule == allowance and _accepted(trial) for rule, trial in family.allowed):
            yield Fault(family.name, f"{allowance} is not proven: no variant shows that what it allows is accepted")
    for trial in (*family.mutants, *family.pairs, *family.clean):
        yield from _of_trial(family.name, trial)


def _of_trial(family: str, trial: Trial) -> Iterator[Fault]:
    if trial.crash:
        yield Fault(family, f"{trial.name} on {trial.on} ends in a crash", tuple(trial.crash.splitlines()), crash=True)
    elif trial.unsound:
        yield Fault(family, f"{trial.name} proves nothing on {trial.on}", (trial.unsound,))
    elif trial.survived:
        wanted = " or ".join(dict.fromkeys(trial.named))
        yield Fault(family, f"{trial.name} survives on {trial.on}: not found by {wanted}", _instead(trial))
    elif trial.strangers:
        what = "is found by rules that it does not name" if trial.named else "is clean, and is found"
        yield Fault(family, f"{trial.name} on {trial.on} {what}", tuple(map(str, trial.strangers)))


def _accepted(trial: Trial) -> bool:
    return not (trial.crash or trial.unsound or trial.found)


def _instead(trial: Trial) -> tuple[str, ...]:
    return tuple(f"instead: {found}" for found in trial.found) or ("nothing is found in it at all",)


def _named(family: Family, rule: str) -> tuple[str, ...]:
    """The mutants that the rule should have found."""
    named = dict.fromkeys(trial.name for trial in family.mutants if names(trial.named, rule))
    return (f"mutants that name it: {', '.join(named)}",) if named else ("no mutant names it",)
