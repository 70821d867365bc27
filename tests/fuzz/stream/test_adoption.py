"""An example made a scenario: it loads, and the reference loop passes it on its wire, under every cut."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.fuzz.strategies.sse import StreamFault
from harness.fuzz.stream.campaign import CAMPAIGN
from harness.fuzz.stream.dialects import DIALECTS, FUZZED
from harness.fuzz.stream.enumeration import TURNS
from harness.fuzz.stream.example import StreamExample
from harness.wire import Call, Text, Turn
from tests.fuzz.adopted import results, unlike_pass, written
from tests.fuzz.examples import drawn


@pytest.mark.exhaustive
@pytest.mark.anyio
async def test_the_reference_loop_passes_what_is_adopted(tmp_path: Path) -> None:
    """The turns of the enumeration, each on two wires, in turns; its faults; and shapes."""
    turns = [(FUZZED[at % len(FUZZED)], turn) for first, turn in enumerate(TURNS) for at in (first, first + 1)]
    faults = [(wire, StreamFault(kind, 1)) for wire in FUZZED for kind in DIALECTS[wire].faults]
    examples = [StreamExample(wire, turn) for wire, turn in turns]
    examples += [StreamExample(wire, TURNS[1], fault=fault) for wire, fault in faults]
    scenarios = written(CAMPAIGN, tmp_path, [*examples, *drawn(CAMPAIGN, 15, seed=5)])
    assert len(scenarios) > 40
    found = await results(scenarios, wires=FUZZED)
    assert len(found) == 3 * len(scenarios)
    assert unlike_pass(found) == {}


@pytest.mark.anyio
async def test_a_loop_that_takes_a_cut_stream_for_whole_fails(tmp_path: Path) -> None:
    example = StreamExample("openai-chat", Turn((Text("a"), Call("f", '{"a": 1}'))), fault=StreamFault("no end"))
    (scenario,) = written(CAMPAIGN, tmp_path, [example])
    whole = replace(scenario, steps=(replace(scenario.steps[0], turn=example.turn), *scenario.steps[1:]))
    assert {each.verdict for each in await results([scenario], wires=FUZZED)} == {"pass"}
    assert {each.verdict for each in await results([whole], wires=FUZZED)} == {"fail"}


def test_what_a_scenario_leaves_out_stands_in_its_summary() -> None:
    example = StreamExample("openai-chat", TURNS[1], ("CRLF", "BOM"), StreamFault("broken JSON", 1))
    files = CAMPAIGN.scenario(example, "found", "Found by fuzzing: a reason.")
    assert files is not None
    assert "a reason. (without what no script says: CRLF, BOM, broken JSON)" in files["found.yaml"]


@pytest.mark.parametrize("part", [Text("\ud83d"), Call("f", "{}", id="forced"), Call("f", "\ude00")])
def test_what_no_scenario_can_say_is_none(part: Text | Call) -> None:
    assert CAMPAIGN.scenario(StreamExample("openai-chat", Turn((part,))), "found", "Found.") is None
