"""An example made a scenario: it loads, and the reference loop passes it on its wire, under every cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import hypothesis
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from harness.endpoint import Endpoints
from harness.fuzz.strategies.sse import StreamFault
from harness.fuzz.stream.campaign import CAMPAIGN
from harness.fuzz.stream.dialects import DIALECTS, FUZZED
from harness.fuzz.stream.enumeration import TURNS
from harness.fuzz.stream.example import StreamExample
from harness.runner.execute import execute
from harness.runner.opening import open_target
from harness.runner.plan import plan
from harness.scenario import Scenario, load
from harness.wire import Call, Text, Turn


def examples() -> list[StreamExample]:
    """The turns of the enumeration, each on two wires, in turns; its faults; and shapes."""
    told = [
        StreamExample(FUZZED[at % len(FUZZED)], turn) for first, turn in enumerate(TURNS) for at in (first, first + 1)
    ]
    told += [
        StreamExample(wire, TURNS[1], fault=StreamFault(kind, 1)) for wire in FUZZED for kind in DIALECTS[wire].faults
    ]

    @hypothesis.seed(5)
    @settings(
        max_examples=15,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(CAMPAIGN.examples())
    def keep(example: StreamExample) -> None:
        told.append(example)

    keep()
    return told


def written(folder: Path, examples: Sequence[StreamExample]) -> list[Scenario]:
    for number, example in enumerate(examples):
        for file, text in (
            CAMPAIGN.scenario(example, f"found-{number}", "Found by fuzzing: some oracle.") or {}
        ).items():
            (folder / file).write_text(text, encoding="utf-8")
    return load([folder])


async def verdicts(scenarios: Sequence[Scenario], target: str = "reference") -> dict[str, tuple[str, list[str]]]:
    endpoints = Endpoints()
    opened = open_target(target, endpoints)
    try:
        cases = plan(scenarios, target=opened, wires=FUZZED, expression="", seed=0)
        finished = await execute(cases, opened, endpoints, "http://harness", jobs=1)
    finally:
        await opened.close()
    return {item.result.id: (item.result.verdict, [str(each) for each in item.result.unexpected]) for item in finished}


@pytest.mark.exhaustive
@pytest.mark.anyio
async def test_the_reference_loop_passes_what_is_adopted(tmp_path: Path) -> None:
    scenarios = written(tmp_path, examples())
    assert len(scenarios) > 40
    found = await verdicts(scenarios)
    assert len(found) == 3 * len(scenarios)
    assert {name: each for name, each in found.items() if each[0] != "pass"} == {}


@pytest.mark.anyio
async def test_a_loop_that_takes_a_cut_stream_for_whole_fails(tmp_path: Path) -> None:
    example = StreamExample("openai-chat", Turn((Text("a"), Call("f", '{"a": 1}'))), fault=StreamFault("no end"))
    (scenario,) = written(tmp_path, [example])
    whole = replace(scenario, steps=(replace(scenario.steps[0], turn=example.turn), *scenario.steps[1:]))
    assert {verdict for verdict, _ in (await verdicts([scenario])).values()} == {"pass"}
    assert {verdict for verdict, _ in (await verdicts([whole])).values()} == {"fail"}


def test_what_a_scenario_leaves_out_stands_in_its_summary() -> None:
    example = StreamExample("openai-chat", TURNS[1], ("CRLF", "BOM"), StreamFault("broken JSON", 1))
    files = CAMPAIGN.scenario(example, "found", "Found by fuzzing: a reason.")
    assert files is not None
    assert "a reason. (without what no script says: CRLF, BOM, broken JSON)" in files["found.yaml"]


@pytest.mark.parametrize("part", [Text("\ud83d"), Call("f", "{}", id="forced"), Call("f", "\ude00")])
def test_what_no_scenario_can_say_is_none(part: Text | Call) -> None:
    assert CAMPAIGN.scenario(StreamExample("openai-chat", Turn((part,))), "found", "Found.") is None
