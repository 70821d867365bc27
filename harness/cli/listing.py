"""``harness list`` and ``harness explain``."""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Sequence
from pathlib import Path

import click

from harness.errors import BadInput
from harness.scenario import HttpErrorStep, Scenario, Step, load, shipped
from harness.wire import WIRES

__all__ = ["explain", "list_scenarios"]


def list_scenarios(paths: Sequence[Path]) -> None:
    """Print every scenario with its wires, its number of cases and its reason to exist."""
    scenarios = load(list(paths) or [shipped()])
    width = max(len(scenario.name) for scenario in scenarios)
    for profile in dict.fromkeys(scenario.profile for scenario in scenarios):
        click.echo(f"{profile}")
        for scenario in (item for item in scenarios if item.profile == profile):
            click.echo(f"  {scenario.name:<{width}}  {scenario.summary}")
    cases = sum(len(scenario.wires) * len(scenario.chunkings) for scenario in scenarios)
    click.echo(f"{len(scenarios)} scenarios, {cases} cases")


def explain(subject: str) -> None:
    """Print what a rule states, or what a scenario scripts. Raises ``BadInput`` for an unknown subject."""
    from harness.rules import RULES

    if subject in RULES:
        rule = RULES[subject]
        click.echo(f"{rule.id}  {rule.level} {rule.klass}\n")
        click.echo(_paragraph(rule.statement))
        click.echo(f"\n{_paragraph(rule.why)}\n\nsource: {rule.source}")
        return
    scenarios = {scenario.name: scenario for scenario in load([shipped()])}
    if subject in scenarios:
        click.echo(_scenario(scenarios[subject]))
        return
    close = difflib.get_close_matches(subject, [*RULES, *scenarios], n=3)
    hint = f"; did you mean {' or '.join(close)}?" if close else "; 'harness list' shows the scenarios"
    raise BadInput(f"no rule and no scenario is called {subject!r}{hint}")


def _paragraph(text: str) -> str:
    return textwrap.fill(" ".join(text.split()), 100)


def _scenario(scenario: Scenario) -> str:
    wires = "all" if len(scenario.wires) == len(WIRES) else ", ".join(scenario.wires)
    lines = [
        f"{scenario.name}  ({scenario.profile})",
        "",
        _paragraph(scenario.summary),
        "",
        f"wires     {wires}",
        f"chunking  {', '.join(scenario.chunkings)}",
        f"tools     {', '.join(tool.declaration.name for tool in scenario.tools) or 'none'}",
        *(f"step {number:<4} {_step(step)}" for number, step in enumerate(scenario.steps, 1)),
        f"expects   {scenario.expect.outcome}",
        f"file      {scenario.path}",
    ]
    return "\n".join(lines)


def _step(step: Step) -> str:
    if isinstance(step, HttpErrorStep):
        return f"HTTP {step.status}"
    turn = step.turn
    parts = [type(part).__name__.lower() + (f" {part.name}" if hasattr(part, "name") else "") for part in turn.parts]
    said = ", ".join(parts) or "nothing"
    broken = [f"then {step.cut.how} after {step.cut.after} events"] if step.cut else []
    broken += [f"then the error {turn.error.kind}"] if turn.error else []
    broken += ["without a terminal event"] if turn.ending == "eof" else []
    return " ".join([said, *broken, f"[{turn.stop}]"])
