"""Differences beside reasons: what nothing explains and what is not so any more both fail."""

from __future__ import annotations

from harness.imports.comparison import Reason, RecordedDifference, compare
from harness.imports.totals import verdicts
from harness_lab.recorded.reasons import absent, by_reason, stale_places

CODE, TEXT = RecordedDifference("code", "this", "that"), RecordedDifference("text")


def on(*names: str, places: tuple[str, ...] = ("code",), why: str = "Kept.") -> Reason[str]:
    return Reason(why, lambda name: places if name in names else ())


def test_what_is_explained_and_only_that_is_sound() -> None:
    kept = on("one", "two", why="Kept as it is.")
    found = [compare("one", [CODE], [kept]), compare("two", [CODE], [kept]), compare("three", [], [kept])]
    assert all(each.sound for each in found)
    assert [each.verdict for each in found] == ["explained", "explained", "agrees"]
    assert verdicts(found) == {"explained": 2, "agrees": 1}
    assert list(by_reason(found, [kept])) == [(2, "Kept as it is.")]
    assert found[0].explained == ((kept, (CODE,)),)


def test_what_nothing_explains_is_unexplained() -> None:
    found = compare("one", [CODE, TEXT], [on("one")])
    assert not found.sound
    assert found.verdict == "differs"
    assert found.differences == (TEXT,)


def test_what_is_not_so_any_more_is_stale() -> None:
    reasons = [on("one", places=("code", "text")), on("one", places=("text",), why="Also.")]
    found = compare("one", [CODE], reasons)
    assert not found.sound
    assert found.verdict == "explained"
    assert stale_places(found) == {"text": ["Kept.", "Also."]}
    assert list(by_reason([found], reasons)) == [(1, "Kept.")]


def test_a_reason_that_does_not_apply_explains_nothing() -> None:
    assert compare("ones", [CODE], [on("one")]).differences == (CODE,)
    assert compare("one", [CODE], [on("one")]).sound


def test_a_star_stands_for_anything() -> None:
    several = [RecordedDifference("headers | date"), RecordedDifference("headers | via"), RecordedDifference("body")]
    assert compare("one", several, [on("one", places=("headers | *",))]).differences == (several[2],)
    assert compare("one", several, [on("one", places=("headers",))]).differences == tuple(several)


def test_a_difference_has_all_its_reasons_or_the_first_alone() -> None:
    reasons = [on("one", why="First."), on("one", why="Second.")]
    assert list(by_reason([compare("one", [CODE], reasons)], reasons)) == [(1, "First."), (1, "Second.")]
    assert list(by_reason([compare("one", [CODE], reasons, shared=False)], reasons)) == [(1, "First.")]


def test_reasons_that_apply_to_nothing_are_counted() -> None:
    reasons = [on("two"), on("three"), on("one")]
    found = [compare("one", [CODE], reasons)]
    assert absent(found, reasons) == 2
    assert found[0].sound
