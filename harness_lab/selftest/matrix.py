"""The kill matrix as files: ``matrix.json`` for programs, ``matrix.md`` for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.rules import RULES
from harness.servers.rules import every_rule
from harness.wire import wire_rules
from harness_lab.selftest.mutant_run import Family, MutantRun
from harness_lab.selftest.summary import SelftestSummary

FORMAT = 1
"""Version of matrix.json."""


# --- for programs -------------------------------------------------------------------------------------------


def as_json(selftest: SelftestSummary, head: Mapping[str, str]) -> dict[str, Any]:
    """The whole matrix as JSON values. ``head`` says when and by what it was made; the rest has no clock."""
    return {
        "format": FORMAT,
        **head,
        "summary": selftest.counts,
        "families": [_family(family) for family in selftest.families],
        "faults": [
            {"family": failure.family, "what": failure.what, "evidence": failure.evidence}
            for failure in selftest.failures
        ],
    }


def _family(family: Family) -> dict[str, Any]:
    mutants = {name: [run for run in family.mutants if run.name == name] for name in family.names}
    accepted = {rule: [each.name for named, each in family.accepted if named == rule] for rule in family.permitted}
    return {
        "name": family.name,
        "rules": family.rules,
        "allowances": accepted,
        "mutants": [_mutant(name, runs) for name, runs in mutants.items()],
        "kills": family.kills,
        "pairs": [_mutant_run(run) for run in family.pairs],
        "clean": [_mutant_run(run) for run in family.clean],
    }


def _mutant(name: str, runs: Sequence[MutantRun]) -> dict[str, Any]:
    rules = dict.fromkeys(rule for run in runs for rule in run.named)
    return {"name": name, "summary": runs[0].summary, "rules": [*rules], "trials": [*map(_on, runs)]}


def _mutant_run(run: MutantRun) -> dict[str, Any]:
    return {"name": run.name, **_on(run)}


def _on(run: MutantRun) -> dict[str, Any]:
    return {"on": run.on, "found": sorted({found.rule for found in run.found})}


# --- for people ---------------------------------------------------------------------------------------------


def as_markdown(selftest: SelftestSummary, head: Mapping[str, str]) -> str:
    """Rule by rule the mutants that it kills, then every rule against every mutant."""
    lines = ["# The kill matrix", "", f"{selftest.counts}.", ""]
    lines += [f"- {name}: {value}" for name, value in head.items()]
    lines += ["", "## What is wrong", "", *(_failures(selftest) if selftest.failures else ["Nothing."])]
    for family in selftest.families:
        lines += ["", f"## {family.name}", "", *_kills(family), "", *_grid(family)]
    return "\n".join(lines) + "\n"


def _failures(selftest: SelftestSummary) -> Iterator[str]:
    for failure in selftest.failures:
        yield f"- {failure.family}: {failure.what}"
        yield from (f"  - {line}" for line in failure.evidence)


def _kills(family: Family) -> Iterator[str]:
    """The rules with their statements, and the mutants that name them and that they find."""
    named = {rule: dict.fromkeys(run.name for run in family.mutants if rule in run.killers) for rule in family.kills}
    yield "| rule | statement | kills |"
    yield "|---|---|---|"
    for rule, names in named.items():
        if names or rule in family.rules:
            yield f"| {rule} | {_cell(_statement(rule))} | {', '.join(names) or '**nothing**'} |"
    for rule_id in family.permitted:
        accepted = ", ".join(dict.fromkeys(run.name for rule, run in family.accepted if rule == rule_id))
        yield f"| {rule_id} | {_cell(_statement(rule_id))} | accepts {accepted or '**nothing**'} |"


def _statement(rule: str) -> str:
    if rule in RULES:
        return RULES[rule].statement
    if rule in every_rule():
        return every_rule()[rule].statement
    return wire_rules()[rule].statement if rule in wire_rules() else "what a scenario expects"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _grid(family: Family) -> Iterator[str]:
    """A table with a row per rule and a numbered column per mutant: 1 if the rule finds the mutant, whether that names
    it or not."""
    kills, names = family.kills, family.names
    if not names:
        return
    summaries = {run.name: run.summary for run in family.mutants}
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
