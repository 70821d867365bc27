"""What became of each case: by its verdicts, its findings and its errors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.errors import BadInput
from harness.finding import Finding
from harness.report.diff import CaseChange, Comparison, compare
from harness.report.diff.model import ChangeKind
from harness.runner.results import FORMAT, CaseResult, DriverFinding, Stale, Verdict
from tests.case_tables import from_table
from tests.report.diff.making import case, evidence, written

ONE = evidence()
OTHER = evidence("order/tool-start-once", "two")
KNOWN = evidence(known="It never ends.")


def compared(tmp_path: Path, base: CaseResult, new: CaseResult) -> Comparison:
    return compare(written(tmp_path / "base", base), written(tmp_path / "new", new))


def change(tmp_path: Path, base: CaseResult, new: CaseResult) -> CaseChange:
    (only,) = compared(tmp_path, base, new).cases
    return only


FINDINGS = {"one": ONE, "other": OTHER, "known": KNOWN, "one-in-other-words": evidence(got="some")}


def in_words(text: str) -> CaseResult:
    """A case: its verdict, and the names of its findings."""
    verdict, *found = text.split()
    more = {"error": {"error": "boom"}, "skip": {"reason": "it cannot"}}
    return case("a", verdict, *(FINDINGS[each] for each in found), **more.get(verdict, {}))  # type: ignore[arg-type]


@from_table(__file__, "test_what_became_of_a_case")
def test_what_became_of_a_case(tmp_path: Path, base: str, new: str, kind: ChangeKind, regression: bool) -> None:
    before, after = in_words(base), in_words(new)
    found = change(tmp_path, before, after)
    assert (found.kind, found.base, found.new) == (kind, before.verdict, after.verdict)
    assert found.regression is regression


REFUSED = Finding("continuation/openai-chat", "MUST", "invalid", 6, "a", "b", refused=400, reference="OAC-03")


@pytest.mark.parametrize(
    ("base", "later", "kind"),
    [
        (case("a", "fail", REFUSED), 9, "visible"),
        (case("a", "xfail", replace(REFUSED, known="so")), 9, "visible"),
        (case("a", "fail", REFUSED), 6, "visible"),
        (case("a", "fail", REFUSED), 3, "worse"),
        (case("a", "fail", replace(REFUSED, refused=None)), 9, "worse"),
        (case("a", "fail", replace(REFUSED, conversation="side 1")), 9, "worse"),
        (case("a", "skip", reason="it cannot (found by calibration: driver/stream)"), 9, "visible"),
        (case("a", "skip", reason="it cannot"), 9, "regressed"),
    ],
)
def test_what_the_base_run_could_not_see_is_newly_visible(
    tmp_path: Path, base: CaseResult, later: int, kind: ChangeKind
) -> None:
    new = Finding("history/model-text", "MUST", "unsafe", later, "its text", "none")
    found = change(tmp_path, base, case("a", "fail", new))
    assert (found.kind, found.regression) == (kind, kind != "visible")
    assert (new in found.visible) is (kind == "visible")


def test_what_is_still_expected_and_found_less_is_better(tmp_path: Path) -> None:
    """One of two bugs of a case is repaired, and the baseline expects the other."""
    other = replace(KNOWN, rule="order/tool-started")
    found = change(tmp_path, case("a", "xfail", KNOWN, other), case("a", "xfail", KNOWN))
    assert (found.kind, found.gone) == ("better", (other,))


def test_a_repaired_driver_is_fixed_and_what_was_not_judged_before_is_newly_visible(tmp_path: Path) -> None:
    flaw = DriverFinding("driver/text", "MUST", "s", ("openai-chat",), "a", "b", "loop.py:1", "r", ("order/one-end",))
    base = written(tmp_path / "base", case("a"), driver=(flaw,))
    new = written(tmp_path / "new", case("a", "fail", ONE))
    kinds = {each.id: each.kind for each in compare(base, new).cases}
    assert kinds == {"a.openai-chat.whole": "visible", "calibration.openai-chat.event": "fixed"}
    kinds = {each.id: each.kind for each in compare(new, base).cases}
    assert kinds["calibration.openai-chat.event"] == "regressed"


@pytest.mark.parametrize("verdict", ["pass", "fail", "xfail", "xpass", "skip", "error"])
def test_what_is_as_it_was_is_no_change(tmp_path: Path, verdict: Verdict) -> None:
    same = case("a", verdict, *([ONE] if verdict == "fail" else [KNOWN] if verdict == "xfail" else []))
    comparison = compared(tmp_path, same, same)
    assert comparison.cases == ()
    assert comparison.unchanged == 1
    assert not comparison.regressed


def test_only_what_is_new_is_told_and_only_what_is_gone(tmp_path: Path) -> None:
    found = change(tmp_path, case("a", "fail", ONE, OTHER), case("a", "fail", OTHER, evidence("final/code")))
    assert [each.rule for each in found.found] == ["final/code"]
    assert [each.rule for each in found.gone] == ["order/one-end"]


def test_a_rule_that_is_broken_in_other_words_is_not_new(tmp_path: Path) -> None:
    found = change(tmp_path, case("a", "fail", evidence(got="one")), case("a", "fail", evidence(got="two")))
    assert (found.found, found.gone) == ((), ())
    assert [(each.base.got, each.new.got) for each in found.altered] == [("one", "two")]


def test_a_finding_that_nobody_expects_any_more_is_new(tmp_path: Path) -> None:
    found = change(tmp_path, case("a", "fail", OTHER, KNOWN), case("a", "fail", OTHER, ONE))
    assert [each.rule for each in found.found] == ["order/one-end"]


def test_a_finding_that_is_expected_now_is_neither_new_nor_gone(tmp_path: Path) -> None:
    found = change(tmp_path, case("a", "fail", ONE), case("a", "xfail", KNOWN))
    assert (found.found, found.gone) == ((), ())


def test_cases_of_one_run_only(tmp_path: Path) -> None:
    base = written(tmp_path / "base", case("a"), case("old", "fail", ONE))
    new = written(tmp_path / "new", case("fresh"), case("a"), case("broken", "fail", ONE))
    comparison = compare(base, new)
    assert [(each.scenario, each.kind, each.regression) for each in comparison.cases] == [
        ("fresh", "added", False),
        ("broken", "added", True),
        ("old", "removed", False),
    ]
    assert comparison.unchanged == 1
    assert comparison.regressed


def test_a_new_stale_entry_is_a_regression_wherever_it_stands(tmp_path: Path) -> None:
    old, moved = Stale("b.yaml:3:5", "order/one-end", "not found"), Stale("b.yaml:9:5", "order/one-end", "not found")
    fresh = Stale("b.yaml:4:5", "final/code", "not found")
    base = written(tmp_path / "base", case(), stale=(old,))
    assert compare(base, written(tmp_path / "new", case(), stale=(moved,))).stale == ()
    comparison = compare(base, written(tmp_path / "newer", case(), stale=(fresh,)))
    assert (comparison.stale, comparison.mended) == ((fresh,), (old,))
    assert comparison.regressed


def test_what_stands_around_the_runs(tmp_path: Path) -> None:
    base = written(tmp_path / "base", case(), versions={"a-sdk": "1.0", "gone-sdk": "2"}, baseline=None)
    new = written(tmp_path / "new", case(), versions={"a-sdk": "1.1"}, baseline="b.yaml", seed=7, harness="0.2.0")
    settings = [(each.name, each.base, each.new) for each in compare(base, new).settings]
    assert settings == [
        ("harness", "0.1.0", "0.2.0"),
        ("seed", "0", "7"),
        ("baseline", "", "b.yaml"),
        ("a-sdk", "1.0", "1.1"),
        ("gone-sdk", "2", ""),
    ]
    assert compare(base, base).settings == ()


def test_much_slower_is_told_and_no_regression(tmp_path: Path) -> None:
    base = written(tmp_path / "base", case("a", seconds=1.0), case("b", seconds=0.1), case("c", seconds=9.0))
    new = written(tmp_path / "new", case("a", seconds=4.0), case("b", seconds=0.9), case("c", seconds=9.5))
    comparison = compare(base, new)
    assert [each.id for each in comparison.speed.slower] == ["a.openai-chat.whole"]
    assert (comparison.speed.base, comparison.speed.new) == (10.1, 14.4)
    assert not comparison.regressed


def test_a_machine_that_is_slower_makes_no_case_slower(tmp_path: Path) -> None:
    base = written(tmp_path / "base", *(case(name, seconds=2.0) for name in "abc"))
    new = written(tmp_path / "new", *(case(name, seconds=6.0) for name in "abc"))
    assert compare(base, new).speed.slower == ()


@from_table(__file__, "test_what_is_no_run_is_bad_input")
def test_what_is_no_run_is_bad_input(tmp_path: Path, text: str | None, problem: str) -> None:
    base = written(tmp_path / "base", case())
    (tmp_path / "new").mkdir()
    if text is not None:
        (tmp_path / "new" / "results.json").write_text(text)
    with pytest.raises(BadInput) as raised:
        compare(base, tmp_path / "new")
    assert problem.replace("FORMAT", str(FORMAT)) in str(raised.value)
    assert str(tmp_path / "new") in str(raised.value)
