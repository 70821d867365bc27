"""The scenarios that vary dialects: each dialect is spoken in one of them, and makes a difference there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness.scenario import Scenario, TurnStep
from harness.wire import Conversation, Identity, WireName, wire, wire_names
from harness.wire.dialects import in_dialect
from tests.scenarios import shipped_scenarios

VARIED = [scenario for scenario in shipped_scenarios() if scenario.dialects]
SPOKEN = [(name, dialect) for name in wire_names() for dialect in wire(name).dialects]


def bodies(scenario: Scenario, name: WireName, dialect: str) -> Iterator[tuple[bytes, bytes]]:
    """Each answer of the script as the provider streams it, and in the dialect."""
    body = {"stream_options": {"include_usage": True}} if name == "openai-chat" else {}
    for step in scenario.steps:
        if isinstance(step, TurnStep):
            asked = Conversation(name, wire(name).default_model, True, (), body=body)
            usual = wire(name).render(step.turn, Identity(scenario.name), asked)
            yield usual.body, in_dialect(wire(name), usual, dialect).body


@pytest.mark.parametrize(("name", "dialect"), SPOKEN)
def test_every_dialect_makes_a_difference_in_a_scenario_that_varies_it(name: WireName, dialect: str) -> None:
    differing = [
        scenario.name
        for scenario in VARIED
        if name in scenario.wires and dialect in scenario.dialects
        if any(usual != other for usual, other in bodies(scenario, name, dialect))
    ]
    assert differing != []


def test_they_are_the_suite_of_that_name_and_say_where_such_streams_were_seen() -> None:
    assert len(VARIED) >= 15
    for scenario in VARIED:
        assert scenario.suite == "dialects"
        assert scenario.path.parent.name == "dialects"
        threads = {each for name, dialect in SPOKEN for each in wire(name).dialects[dialect].evidence if "#" in each}
        comments = " ".join(
            line.removeprefix("# ")
            for line in scenario.path.read_text(encoding="utf-8").splitlines()
            if line.startswith("# ")
        )
        assert any(thread.rpartition("/")[2] in comments for thread in threads), scenario.name
