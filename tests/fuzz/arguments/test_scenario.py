"""An example made a scenario: it loads, the reference loop passes it, and a loop that reads it wrongly does not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from harness.endpoint import Endpoints
from harness.fuzz.arguments.campaign import CAMPAIGN
from harness.fuzz.arguments.example import ArgumentsExample, Stretch
from harness.fuzz.arguments.nasty import MALFORMED, NASTY
from harness.runner.execute import execute
from harness.runner.opening import open_target
from harness.runner.plan import plan
from harness.scenario import Scenario, load

SUMMARY = 'Found by fuzzing: "half" an \\escape is shown # as it is.'


def written(folder: Path, texts: Sequence[str]) -> list[Scenario]:
    for number, text in enumerate(texts):
        files = CAMPAIGN.scenario(ArgumentsExample(text, (1,)), f"arguments-{number}", SUMMARY)
        for file, document in (files or {}).items():
            (folder / file).write_text(document, encoding="utf-8")
    return load([folder])


async def verdicts(scenarios: Sequence[Scenario], target: str) -> dict[str, list[str]]:
    """What is wrong in each case that did not pass."""
    endpoints = Endpoints()
    opened = open_target(target, endpoints)
    try:
        cases = plan(scenarios, target=opened, expression="", seed=0)
        finished = await execute(cases, opened, endpoints, "http://harness", jobs=1)
    finally:
        await opened.close()
    assert len(finished) >= len(scenarios)
    return {
        each.result.id: [str(it) for it in each.result.unexpected] for each in finished if each.result.verdict != "pass"
    }


def test_every_nasty_text_is_a_scenario(tmp_path: Path) -> None:
    texts = [*NASTY, *MALFORMED]
    scenarios = written(tmp_path, texts)
    assert len(scenarios) == len(texts) - 4, "two raw halves, NaN and a number beyond all doubles are none"
    assert {scenario.summary for scenario in scenarios} == {SUMMARY}
    arguments = {scenario.steps[0].turn.calls[0].arguments for scenario in scenarios}
    assert len(arguments) == len(scenarios)
    assert arguments <= {text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for text in texts}


@pytest.mark.anyio
async def test_the_reference_loop_passes(tmp_path: Path) -> None:
    assert await verdicts(written(tmp_path, [*NASTY, *MALFORMED][::9]), "reference") == {}


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("mutant", "text"),
    [
        ("preview-not-a-prefix", r'{"path": "a.html", "content": "a \ud83d\ude00 and more of it than \u00e9"}'),
        ("arguments-salvaged", '{"path": "a.html", "content": "never closed"'),
    ],
)
async def test_a_broken_loop_does_not(mutant: str, text: str, tmp_path: Path) -> None:
    assert await verdicts(written(tmp_path, [text]), f"mutant:{mutant}") != {}


@pytest.mark.parametrize("text", ['{"content": "\ud83d"}', '{"a": NaN}', "  \n"])
def test_what_no_loop_can_be_held_to_is_none(text: str) -> None:
    assert CAMPAIGN.scenario(ArgumentsExample(text), "name", SUMMARY) is None


def test_work_is_no_scenario() -> None:
    assert CAMPAIGN.scenario(ArgumentsExample('{"a": 1}', (1,), Stretch(6, 7, 100)), "name", SUMMARY) is None
