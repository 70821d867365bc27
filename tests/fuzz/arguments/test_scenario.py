"""An example made a scenario: it loads, the reference loop passes it, and a loop that reads it wrongly does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.fuzz.arguments.campaign import CAMPAIGN
from harness.fuzz.arguments.example import ArgumentsExample, Stretch
from harness.fuzz.arguments.nasty import MALFORMED, NASTY
from tests.fuzz.adopted import SUMMARY, results, unlike_pass, written


def test_every_nasty_text_is_a_scenario(tmp_path: Path) -> None:
    texts = [*NASTY, *MALFORMED]
    scenarios = written(CAMPAIGN, tmp_path, map(ArgumentsExample, texts))
    assert len(scenarios) == len(texts) - 4, "two raw halves, NaN and a number beyond all doubles are none"
    assert {scenario.summary for scenario in scenarios} == {SUMMARY}
    arguments = {scenario.steps[0].turn.calls[0].arguments for scenario in scenarios}
    assert len(arguments) == len(scenarios)
    assert arguments <= {text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for text in texts}


@pytest.mark.anyio
async def test_the_reference_loop_passes(tmp_path: Path) -> None:
    scenarios = written(CAMPAIGN, tmp_path, map(ArgumentsExample, [*NASTY, *MALFORMED][::9]))
    found = await results(scenarios)
    assert len(found) >= len(scenarios)
    assert unlike_pass(found) == {}


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("mutant", "text"),
    [
        ("preview-not-a-prefix", r'{"path": "a.html", "content": "a \ud83d\ude00 and more of it than \u00e9"}'),
        ("arguments-salvaged", '{"path": "a.html", "content": "never closed"'),
    ],
)
async def test_a_broken_loop_does_not(mutant: str, text: str, tmp_path: Path) -> None:
    scenarios = written(CAMPAIGN, tmp_path, [ArgumentsExample(text)])
    assert unlike_pass(await results(scenarios, f"mutant:{mutant}"))


@pytest.mark.parametrize("text", ['{"content": "\ud83d"}', '{"a": NaN}', "  \n"])
def test_what_no_loop_can_be_held_to_is_none(text: str) -> None:
    assert CAMPAIGN.scenario(ArgumentsExample(text), "name", SUMMARY) is None


def test_work_is_no_scenario() -> None:
    assert CAMPAIGN.scenario(ArgumentsExample('{"a": 1}', (1,), Stretch(6, 7, 100)), "name", SUMMARY) is None
