"""The kill matrix as files: ``matrix.json`` for programs, ``matrix.md`` for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.rules import RULES
from harness.wire import wire_rules
from harness_lab.selftest.account import Account
from harness_lab.selftest.trial import Family, Trial

__all__ = ["FORMAT", "as_json", "as_markdown"]

FORMAT = 1
"""Version of matrix.json."""


# --- for programs -------------------------------------------------------------------------------------------


def as_json(account: Account, head: Mapping[str, str]) -> dict[str, Any]:
    """The whole matrix as JSON values. ``head`` says when and by what it was made; the rest has no clock."""
    return {
        "format": FORMAT,
        **head,
        "summary": account.summary,
        "families": [_family(family) for family in account.families],
        "faults": [
            {"family": fault.family, "what": fault.what, "evidence": fault.evidence} for fault in account.faults
        ],
    }


def _family(family: Family) -> dict[str, Any]:
    mutants = {name: [trial for trial in family.mutants if trial.name == name] for name in family.names}
    accepted = {rule: [each.name for named, each in family.allowed if named == rule] for rule in family.allowances}
    return {
        "name": family.name,
        "rules": family.rules,
        "allowances": accepted,
        "mutants": [_mutant(name, trials) for name, trials in mutants.items()],
        "kills": family.kills,
        "pairs": [_trial(trial) for trial in family.pairs],
        "clean": [_trial(trial) for trial in family.clean],
    }


def _mutant(name: str, trials: Sequence[Trial]) -> dict[str, Any]:
    rules = dict.fromkeys(rule for trial in trials for rule in trial.named)
    return {"name": name, "summary": trials[0].summary, "rules": [*rules], "trials": [*map(_on, trials)]}


def _trial(trial: Trial) -> dict[str, Any]:
    return {"name": trial.name, **_on(trial)}


def _on(trial: Trial) -> dict[str, Any]:
    return {"on": trial.on, "found": sorted({found.rule for found in trial.found})}


# --- for people ---------------------------------------------------------------------------------------------


def as_markdown(account: Account, head: Mapping[str, str]) -> str:
    """Rule by rule the mutants that it kills, then every rule against every mutant."""
    lines = ["# The kill matrix", "", f"{account.summary}.", ""]
    lines += [f"- {name}: {value}" for name, value in head.items()]
    lines += ["", "## What is wrong", "", *(_faults(account) if account.faults else ["Nothing."])]
    for family in account.families:
        lines += ["", f"## {family.name}", "", *_kills(family), "", *_grid(family)]
    return "\n".join(lines) + "\n"


def _faults(account: Account) -> Iterator[str]:
    for fault in account.faults:
        yield f"- {fault.family}: {fault.what}"
        yield from (f"  - {line}" for line in fault.evidence)


def _kills(family: Family) -> Iterator[str]:
    """The rules with what they say, and the mutants that name them and are found by them."""
    named = {
        rule: dict.fromkeys(trial.name for trial in family.mutants if rule in trial.killers) for rule in family.kills
    }
    yield "| rule | statement | kills |"
    yield "|---|---|---|"
    for rule, names in named.items():
        if names or rule in family.rules:
            yield f"| {rule} | {_cell(_statement(rule))} | {', '.join(names) or '**nothing**'} |"
    for allowance in family.allowances:
        accepted = ", ".join(dict.fromkeys(trial.name for rule, trial in family.allowed if rule == allowance))
        yield f"| {allowance} | {_cell(_statement(allowance))} | accepts {accepted or '**nothing**'} |"


def _statement(rule: str) -> str:
    if rule in RULES:
        return RULES[rule].statement
    return wire_rules()[rule].statement if rule in wire_rules() else "what a scenario expects"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _grid(family: Family) -> Iterator[str]:
    """Rules down, mutants across by their numbers: 1 where a rule finds a mutant, whether that names it or not."""
    kills, names = family.kills, family.names
    if not names:
        return
    summaries = {trial.name: trial.summary for trial in family.mutants}
    width = max(map(len, kills), default=0)
    yield from (f"{number}. `{name}`: {summaries[name]}" for number, name in enumerate(names, 1))
    yield ""
    yield "```text"
    for place in (100, 10, 1):
        if len(names) >= place:
            yield f"{'':{width}}  " + "".join(_digit(number, place) for number in range(1, len(names) + 1))
    for rule, killed in kills.items():
        yield f"{rule:{width}}  " + "".join("1" if name in killed else "." for name in names)
    yield "```"


def _digit(number: int, place: int) -> str:
    return str(number // place % 10) if number >= place else " "
