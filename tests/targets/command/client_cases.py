"""Cases of the loops on the clients: the same scenario under many names, by which the loops know what to do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from harness.scenario import Scenario, load
from harness.targets import Declaration

DECLARED = Declaration(frozenset({"anthropic-messages"}), capabilities=frozenset({"non-streaming", "parallel"}))

SCENARIO = """\
scenario: {name}
profile: universal
summary: Two calls of one turn.
wires: [anthropic-messages]
stream: false
prompt: Where is it warmer, in Tromsø or in 東京?
tools:
  - name: get_weather
    description: The weather in a city.
    parameters: &city {{type: object, properties: {{city: {{type: string}}}}}}
    returns: {{sky: klar, celsius: 21}}
  - name: get_time
    description: The time in a city.
    parameters: *city
    returns: '12:00 東京'
model:
  - calls: [{{get_weather: {{city: Tromsø}}}}, {{get_time: {{city: 東京}}}}]
  - text: Hello.
expect: {{outcome: completed, requests: 2}}
"""

PARALLEL = ["in-threads", "in-tasks"]


def scenarios(folder: Path, names: list[str]) -> list[Scenario]:
    """In the order of the names."""
    for number, name in enumerate(names):
        text = SCENARIO.format(name=name)
        if name == "large":
            text = text.replace("    returns: {sky: klar, celsius: 21}\n", f"    returns: {'søk ' * 150_000}\n")
        (folder / f"{number:02}.yaml").write_text(text, encoding="utf-8")
    return [overtaken(each) if each.name in PARALLEL else each for each in load([folder])]


def overtaken(scenario: Scenario) -> Scenario:
    """The first call ends after the second, so a loop that makes one after another would never end."""
    first, *others = scenario.tools
    return replace(scenario, tools=(replace(first, finishes_after=others[0].declaration.name), *others))
