"""The engine's habits, laid over the reference loop: with them it agrees with more recordings, and with none less."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness_lab.recorded.golden import against_reference, habits
from harness_lab.recorded.golden.habits import _found, _page
from harness_lab.recorded.reading.golden import read_runs
from tests.case_tables import from_table
from tests.recorded.golden.shared_runs import compared


def agreeing(shared: Path, *, with_habits: bool) -> set[str]:
    """What differs in nothing, whether or not a reason explains it."""
    found = compared(shared / "golden" / "screenshot-to-code", habits=with_habits)
    return {each.happened.name for each in found if each.verdict == "agrees"}


@pytest.mark.exhaustive
@pytest.mark.slow
def test_no_agreement_is_lost_and_many_are_won(shared: Path) -> None:
    plain, alike = agreeing(shared, with_habits=False), agreeing(shared, with_habits=True)
    assert plain < alike
    assert (len(plain), len(alike)) == (85, 140)


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.parametrize(
    ("habit", "instead", "lost"),
    [
        ("_found", lambda text, key: None, "key_order_path_then_content.openai"),
        ("_page", lambda text: text, "content_with_fence_inside.gemini"),
        ("_STEP", 41, "golden_content_only_key.openai"),
        ("_CHUNKS", 17, "preview_chunk_loop_5k.openai"),
    ],
)
async def test_each_habit_is_needed(
    habit: str, instead: object, lost: str, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (run,) = read_runs(shared / "golden" / "screenshot-to-code" / f"{lost}.json")
    (found,) = await against_reference([run], (), habits=True)
    assert found.verdict == "agrees"
    monkeypatch.setattr(habits, habit, instead)
    (found,) = await against_reference([run], (), habits=True)
    assert found.verdict == "differs"


@from_table(__file__, "test_a_search_of_the_text_finds_what_was_measured")
def test_a_search_of_the_text_finds_what_was_measured(text: str, key: str, found: str | None) -> None:
    assert _found(text, key) == found


@from_table(__file__, "test_a_page_is_cut_out_as_was_measured")
def test_a_page_is_cut_out_as_was_measured(text: str, page: str) -> None:
    assert _page(text) == page
