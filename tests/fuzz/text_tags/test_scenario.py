"""An example made a scenario: it loads, the reference loop passes it, and a loop that reads text wrongly does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.fuzz.text_tags.campaign import CAMPAIGN
from harness.fuzz.text_tags.documents import NASTY
from harness.fuzz.text_tags.example import ArrivingText, arriving
from tests.fuzz.adopted import results, unlike_pass, written

MORE = {
    "text-alone": "Nothing to do.\u2028\x85\ufeff\x00 \U0001f600 \x1b",
    "thinking-alone": "<think>a",
    "stray-end": "a </tool_call> b",
    "blanks": " \n ",
    "names-of-no-tool": "<tool_call>call:create_file{}</tool_call><tool_call>call:a.b{}</tool_call> a",
    "one-argument-twice": '<tool_call>call:a{x:"\U0001f600\u2028",x:1}</tool_call>',
}


@pytest.mark.anyio
async def test_the_reference_loop_passes_every_nasty_document(tmp_path: Path) -> None:
    examples = [arriving(list(text)) for text in (*NASTY.values(), *MORE.values()) if "\ud83d" not in text]
    scenarios = written(CAMPAIGN, tmp_path, examples)
    assert len(scenarios) == len(examples)
    found = await results(scenarios)
    assert len(found) >= len(NASTY)
    assert unlike_pass(found) == {}


@pytest.mark.anyio
async def test_a_loop_that_reads_text_wrongly_fails(tmp_path: Path) -> None:
    scenarios = written(CAMPAIGN, tmp_path, [arriving([NASTY["end-tag-in-string"]])])
    assert {each.verdict for each in await results(scenarios)} == {"pass"}
    assert {each.verdict for each in await results(scenarios, "mutant:string-with-a-tag-cut")} == {"fail"}


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
