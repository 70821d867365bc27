"""``harness explain``: what a rule states, what a provider demands, or what a scenario scripts and expects."""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Iterator

from harness.cli.explain_wire_rule import explained
from harness.errors import BadInput
from harness.rules import RULES, rule
from harness.scenario import HttpErrorStep, Scenario, Step, load, outline, shipped, suite_of
from harness.scenario.words import either
from harness.wire import WIRES, Call, wire_rules

__all__ = ["explain"]


def explain(subject: str) -> int:
    """Print the explanation. Raises ``BadInput`` for a subject that is neither a rule nor a scenario."""
    if subject in wire_rules():
        print("\n".join(explained(wire_rules()[subject])))
        return 0
    paths = {scenario.name: scenario.path for scenario in outline([shipped()])}
    if subject in paths:
        (scenario,) = load([paths[subject]])
        print("\n".join(_scenario(scenario)))
        return 0
    try:
        found = rule(subject)
    except BadInput:
        raise BadInput(_unknown(subject, [*RULES, *wire_rules(), *paths])) from None
    print(f"{found.id}  {found.level} {found.klass}\n")
    print(f"{_paragraph(found.statement)}\n\n{_paragraph(found.why)}\n")
    if found.profiles:
        print(f"profiles: {', '.join(found.profiles)}")
    print(f"source: {found.source}")
    return 0


def _unknown(subject: str, known: list[str]) -> str:
    close = difflib.get_close_matches(subject, known, n=3)
    hint = (
        f"did you mean {' or '.join(close)}?"
        if close
        else "'harness list' shows the scenarios, docs/rules.md the rules"
    )
    return f"no rule and no scenario is called {subject!r}; {hint}"


def _paragraph(text: str) -> str:
    return textwrap.fill(" ".join(text.split()), 100)


def _scenario(scenario: Scenario) -> Iterator[str]:
    wires = "all" if len(scenario.wires) == len(WIRES) else ", ".join(scenario.wires)
    yield f"{scenario.name}  ({scenario.profile})\n"
    yield f"{_paragraph(scenario.summary)}\n"
    yield f"wires     {wires}"
    yield f"suites    {_suites(scenario)}"
    yield f"chunking  {', '.join(scenario.chunkings)}"
    yield f"tools     {', '.join(tool.declaration.name for tool in scenario.tools) or 'none'}"
    for number, step in enumerate(scenario.steps, 1):
        yield f"step {number:<4} {_step(step)}"
    yield f"expects   {either(scenario.expect.outcome)}"
    yield f"file      {scenario.path}"


def _suites(scenario: Scenario) -> str:
    wires: dict[str, list[str]] = {}
    for name in scenario.wires:
        wires.setdefault(suite_of(scenario, name), []).append(name)
    return (
        ", ".join(wires) if len(wires) == 1 else "; ".join(f"{suite} on {', '.join(on)}" for suite, on in wires.items())
    )


def _step(step: Step) -> str:
    if isinstance(step, HttpErrorStep):
        return f"HTTP {step.status}"
    turn = step.turn
    said = [f"calls {part.name}" if isinstance(part, Call) else type(part).__name__.lower() for part in turn.parts]
    broken = [f"then {step.cut.how} after {step.cut.after} events"] if step.cut else []
    broken += [f"then the error {turn.error.kind}"] if turn.error else []
    broken += ["without a terminal event"] if turn.ending == "eof" else []
    return " ".join([", ".join(said) or "says nothing", *broken, f"[{turn.stop}]"])
