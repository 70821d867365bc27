"""An example made a scenario: it loads, the reference loop passes it, and a loop that reads text wrongly does not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from harness.endpoint import Endpoints
from harness.fuzz.text_tags.campaign import CAMPAIGN
from harness.fuzz.text_tags.documents import NASTY
from harness.fuzz.text_tags.example import ArrivingText, arriving
from harness.runner.execute import execute
from harness.runner.opening import open_target
from harness.runner.plan import plan
from harness.scenario import Scenario, load

MORE = {
    "text-alone": "Nothing to do.\u2028\x85\ufeff\x00 \U0001f600 \x1b",
    "thinking-alone": "<think>a",
    "stray-end": "a </tool_call> b",
    "blanks": " \n ",
    "names-of-no-tool": "<tool_call>call:create_file{}</tool_call><tool_call>call:a.b{}</tool_call> a",
    "one-argument-twice": '<tool_call>call:a{x:"\U0001f600\u2028",x:1}</tool_call>',
}


def written(folder: Path, texts: dict[str, Sequence[str]]) -> list[Scenario]:
    for name, deltas in texts.items():
        files = CAMPAIGN.scenario(arriving(deltas), name, f"Found by fuzzing: {name}, and more than that.")
        assert files is not None, name
        for file, text in files.items():
            (folder / file).write_text(text, encoding="utf-8")
    return load([folder])


async def verdicts(scenarios: Sequence[Scenario], target: str = "reference") -> dict[str, tuple[str, list[str]]]:
    endpoints = Endpoints()
    opened = open_target(target, endpoints)
    try:
        cases = plan(scenarios, target=opened, expression="", seed=0)
        finished = await execute(cases, opened, endpoints, "http://harness", jobs=1)
    finally:
        await opened.close()
    return {
        item.result.scenario: (item.result.verdict, [str(each) for each in item.result.unexpected]) for item in finished
    }


@pytest.mark.anyio
async def test_the_reference_loop_passes_every_nasty_document(tmp_path: Path) -> None:
    texts = {**NASTY, **MORE}
    scenarios = written(tmp_path, {name: list(text) for name, text in texts.items() if "\ud83d" not in text})
    found = await verdicts(scenarios)
    assert len(found) >= len(NASTY)
    assert {name: each for name, each in found.items() if each[0] != "pass"} == {}


@pytest.mark.anyio
async def test_a_loop_that_reads_text_wrongly_fails(tmp_path: Path) -> None:
    scenarios = written(tmp_path, {"tag-in-a-string": [NASTY["end-tag-in-string"]]})
    assert (await verdicts(scenarios))["tag-in-a-string"][0] == "pass"
    assert (await verdicts(scenarios, "mutant:string-with-a-tag-cut"))["tag-in-a-string"][0] == "fail"


@pytest.mark.parametrize(
    "example",
    [
        arriving(["\ud83d"]),
        arriving(["a", "b"], 32),
        arriving([]),
    ],
    ids=["half-a-character", "long", "empty"],
)
def test_what_no_scenario_can_say_is_none(example: ArrivingText) -> None:
    assert CAMPAIGN.scenario(example, "some-name", "Found by fuzzing: a reason.") is None
