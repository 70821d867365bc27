"""Cases of the loops on the clients: the same scenario under many names, by which the loops know what to do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from harness.scenario import Scenario, load
from harness.targets import Declaration

DECLARED = Declaration(frozenset({"anthropic-messages"}), capabilities=frozenset({"non-streaming", "parallel"}))

SCENARIO = (Path(__file__).parent / "data" / "client_case.yaml").read_text(encoding="utf-8")
PARALLEL = ["in-threads", "in-tasks"]


def scenarios(folder: Path, names: list[str]) -> list[Scenario]:
    """In the order of the names."""
    for number, name in enumerate(names):
        text = SCENARIO.replace("NAME", name)
        if name == "large":
            text = text.replace("    returns: {sky: klar, celsius: 21}\n", f"    returns: {'søk ' * 150_000}\n")
        (folder / f"{number:02}.yaml").write_text(text, encoding="utf-8")
    return [overtaken(each) if each.name in PARALLEL else each for each in load([folder])]


def overtaken(scenario: Scenario) -> Scenario:
    """The first call ends after the second, so a loop that makes one after another would never end."""
    first, *others = scenario.tools
    return replace(scenario, tools=(replace(first, finishes_after=others[0].declaration.name), *others))
