"""Baseline files: every way to get one wrong, with the place and what to do; which file is a target's."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.baseline.loader import chosen, load
from harness.baseline.model import BaselineSource
from harness.baseline.places import find, place_of
from harness.errors import BadInput
from harness.report.explanations import FINDINGS
from harness.scenario.missed import EXPECTATIONS
from tests.case_tables import from_table

FILE = """\
baseline: some-loop
findings:
  - cases: [answer.*]
    rules: [order/one-end, ANT-01, expect/outcome]
    reason: It never ends.
    versions: {some-loop: ">=2.66,<3"}
    link: https://example.com/thread
    source:
      - package: some-loop
        file: some_loop/run.py
        says: while not self._ended
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "a.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def problems(tmp_path: Path, text: str, **how: bool) -> str:
    with pytest.raises(BadInput) as refused:
        load(written(tmp_path, text), **how)  # type: ignore[arg-type]
    return "\n".join(problem.replace(f"{tmp_path}/", "") for problem in refused.value.problems)


def test_a_file_is_read_with_the_place_of_every_word(tmp_path: Path) -> None:
    (entry,) = load(written(tmp_path, FILE)).entries
    assert [(rule.text, rule.place.line, rule.place.column) for rule in entry.rules] == [
        ("order/one-end", 4, 13),
        ("ANT-01", 4, 28),
        ("expect/outcome", 4, 36),
    ]
    assert (entry.place.line, entry.reason, entry.link) == (3, "It never ends.", "https://example.com/thread")
    assert entry.versions == {"some-loop": ">=2.66,<3"}
    assert entry.source == (BaselineSource("some-loop", "some_loop/run.py", "while not self._ended"),)


def test_every_expectation_that_can_be_explained_can_be_in_a_baseline(tmp_path: Path) -> None:
    names = [name for name in FINDINGS if name.startswith("expect/")]
    (entry,) = load(written(tmp_path, FILE.replace("order/one-end, ANT-01, expect/outcome", ", ".join(names)))).entries
    assert [rule.text for rule in entry.rules] == names
    assert set(names) == set(EXPECTATIONS)


@from_table(__file__, "test_what_is_wrong_is_told_with_its_place")
def test_what_is_wrong_is_told_with_its_place(old: str, new: str, expected: str, tmp_path: Path) -> None:
    assert old in FILE
    assert expected in problems(tmp_path, FILE.replace(old, new, 1))


def test_all_mistakes_are_told_in_the_order_of_the_file(tmp_path: Path) -> None:
    broken = FILE.replace("answer.*", "answer").replace("ANT-01", "ANT-00").replace(">=2.66,<3", "x")
    assert [line.split(":")[1] for line in problems(tmp_path, broken).splitlines()] == ["3", "4", "6"]


def test_an_empty_file_and_one_that_is_no_yaml_are_told(tmp_path: Path) -> None:
    assert problems(tmp_path, "") == "a.yaml:1:1: expected a baseline, got an empty file; begin with 'baseline: NAME'"
    assert "a.yaml:3:13: expected YAML" in problems(tmp_path, FILE.replace("[answer.*]", "*.openai-chat.*"))


def test_a_reason_that_is_to_be_written_passes_where_the_file_is_only_changed(tmp_path: Path) -> None:
    path = written(tmp_path, FILE.replace("It never ends.", '"TODO: say why"'))
    assert load(path, drafts=True).entries[0].reason == "TODO: say why"


@from_table(__file__, "test_the_file_of_a_target_lies_in_the_folder_whatever_its_name")
def test_the_file_of_a_target_lies_in_the_folder_whatever_its_name(target: str, file: str) -> None:
    assert place_of(target) == Path("baselines") / f"{file}.yaml"


def test_the_name_of_a_file_has_an_end_where_that_of_the_target_is_long() -> None:
    assert place_of("cmd:" + "x" * 400) == Path("baselines") / f"cmd-{'x' * 96}.yaml"


def test_the_users_own_file_comes_before_the_shipped_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shipped").mkdir()
    monkeypatch.setattr("harness.baseline.places.shipped", lambda: tmp_path / "shipped")
    monkeypatch.chdir(tmp_path)
    assert find("some-loop") is None
    (tmp_path / "shipped" / "some-loop.yaml").write_text(FILE, encoding="utf-8")
    assert find("some-loop") == tmp_path / "shipped" / "some-loop.yaml"
    (tmp_path / "baselines").mkdir()
    (tmp_path / "baselines" / "some-loop.yaml").write_text(FILE, encoding="utf-8")
    assert find("some-loop") == Path("baselines/some-loop.yaml")


def test_a_file_with_a_targets_name_must_be_for_it_and_one_that_is_named_need_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "baselines").mkdir()
    (tmp_path / "baselines" / "some-loop-x.yaml").write_text(FILE, encoding="utf-8")
    with pytest.raises(BadInput, match=r"expected the target 'some-loop:x'.*got 'some-loop'; correct it, or choose"):
        chosen(None, "some-loop:x")
    named = chosen("baselines/some-loop-x.yaml", "some-loop:x")
    assert named is not None
    assert named.target == "some-loop"
    assert chosen("none", "some-loop:x") is None
    with pytest.raises(BadInput, match="expected a readable file"):
        chosen("nowhere.yaml", "some-loop")
