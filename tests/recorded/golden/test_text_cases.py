"""Measured cases of the text protocol: each one holds or is listed, and what is wrong with a file of them is told."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.errors import BadInput
from harness.wire.text_tags import parse_tool_calls
from harness_lab.recorded.golden import against_text_cases, read_text_cases
from harness_lab.recorded.golden.text_answers import our_answer
from harness_lab.recorded.golden.text_deviations import TEXT_DEVIATIONS, AnsweredCase, TextCase
from harness_lab.recorded.reasons import absent
from tests.case_tables import from_table
from tests.recorded.golden.test_command import Command, harness

__all__ = ["harness"]

pytestmark = pytest.mark.anyio

DOCUMENT = (Path(__file__).resolve().parents[3] / "docs" / "deviations.md").read_text()


@pytest.fixture
def cases(shared: Path) -> dict[str, TextCase]:
    return {case.id: case for case in read_text_cases(shared / "golden" / "hugind")}


async def test_every_certain_case_holds_or_is_a_listed_deviation(cases: dict[str, TextCase]) -> None:
    found = await against_text_cases(list(cases.values()))
    assert all(each.sound for each in found)
    assert absent(found, TEXT_DEVIATIONS) == 0
    assert Counter(each.verdict for each in found) == {"agrees": 36, "explained": 26}


async def test_another_answer_is_unexplained_and_one_that_agrees_after_all_is_stale(
    cases: dict[str, TextCase],
) -> None:
    single, unclosed = cases["std-single-with-prose"], cases["unclosed-tag"]
    agreeing = TextCase("unclosed-tag", unclosed.fn, unclosed.input, await our_answer(unclosed.fn, "", unclosed.input))
    found = await against_text_cases([TextCase(single.id, single.fn, single.input, []), agreeing])
    (difference,) = found[0].differences
    assert difference.expected == "[]"
    assert difference.got.startswith('[{"name":"read_file"')
    assert [(place, reason.why[:24]) for reason, place in found[1].stale] == [("differs", "A block that is no call ")]
    assert not any(each.sound for each in found)


async def test_calls_that_the_program_drops_are_answered(cases: dict[str, TextCase]) -> None:
    """Wherever the program finds no call in a block, ours has a call: one that can be run or one that has a problem."""
    dropped = [case for case in cases.values() if case.fn == "parse_tool_calls" and "tool_call" in case.input]
    assert len(dropped) > 20
    for case in dropped:
        assert parse_tool_calls(case.input), case.id


@from_table(__file__, "test_a_deviation_comes_out_like_this")
async def test_a_deviation_comes_out_like_this(name: str, found: list[Any], cases: dict[str, TextCase]) -> None:
    assert await our_answer(cases[name].fn, name, cases[name].input) == found


async def test_the_document_has_every_deviation(cases: dict[str, TextCase]) -> None:
    found = await against_text_cases(list(cases.values()))
    deviating = [each.happened.name for each in found if each.verdict == "explained"]
    assert len(deviating) == 26
    assert [name for name in deviating if f"`{name}`" not in DOCUMENT] == []


async def test_every_reason_is_a_predicate_over_what_happened_and_not_over_names(cases: dict[str, TextCase]) -> None:
    for each in await against_text_cases(list(cases.values())):
        renamed = AnsweredCase(replace(each.happened.case, id="another"), each.happened.ours)
        assert [list(reason.explains(renamed)) for reason in TEXT_DEVIATIONS] == [
            list(reason.explains(each.happened)) for reason in TEXT_DEVIATIONS
        ]


# --- bad files ----------------------------------------------------------------------------------------------


@from_table(__file__, "test_what_is_no_file_of_cases_is_told")
def test_what_is_no_file_of_cases_is_told(text: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "cases.json").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=r"cases\.json: ") as told:
        read_text_cases(tmp_path)
    assert problem in str(told.value.problems[0])


async def test_a_case_that_ours_cannot_be_asked_is_told() -> None:
    with pytest.raises(BadInput, match="new-one: expected one of the functions parse_tool_calls, "):
        await against_text_cases([TextCase("new-one", "loop", {}, None)])


# --- the command --------------------------------------------------------------------------------------------


def test_the_command_tells_the_counts(shared: Path, harness: Command) -> None:
    code, out, err = harness("lab", "golden", shared / "golden" / "hugind")
    assert (code, err) == (0, [])
    assert out[0] == "The text protocol on measured cases"
    assert out[-1] == "text tags: 36 hold, 26 deviate (listed), 0 unexplained"


def test_a_folder_of_both_kinds_is_compared_with_both(shared: Path, tmp_path: Path, harness: Command) -> None:
    (tmp_path / "measured").mkdir()
    (tmp_path / "recorded").mkdir()
    document = json.loads((shared / "golden" / "hugind" / "cases.json").read_bytes())
    few = {"cases": [case for case in document["cases"] if case["id"] in ("no-calls", "unclosed-tag")]}
    (tmp_path / "measured" / "cases.json").write_text(json.dumps(few), encoding="utf-8")
    recording = "edit_no_match.anthropic.json"
    (tmp_path / "recorded" / recording).write_bytes((shared / "golden" / "screenshot-to-code" / recording).read_bytes())
    code, out, _ = harness("lab", "golden", tmp_path)
    assert code == 0
    assert out[-3:] == [
        "text tags: 1 hold, 1 deviate (listed), 0 unexplained",
        "reference loop: 1 agree (1 with habits), 0 deviate (listed), 0 unexplained",
        "rules: 1 without findings, 0 with findings (listed), 0 unexplained",
    ]
