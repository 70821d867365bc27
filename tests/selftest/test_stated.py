"""The lines of stated findings: which judgements they are about, and what changes none of them."""

from __future__ import annotations

import json
from pathlib import Path
from runpy import run_path

import pytest

from harness.rules import RULES
from harness.wire import OWN_WIRES
from harness_lab.selftest.stated import NO_RULE, Judgement, by_age, lines_in, lines_of, own_rules, shares_of
from harness_lab.selftest.stated_requests import file_of, judgements
from harness_lab.selftest.stated_traces import FILE, every_rule

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "state-findings"
SMALL = "text-tags"

OLD, NEW = "a/old", "a/new"
EVERY = [
    Judgement("change", "small run 1", (OLD,), (f"{OLD} MUST at 1", f"{NEW} MUST at 2")),
    Judgement("change", "small run 2", (NEW,), (f"{OLD} MUST at 3", f"{NEW} MUST at 4")),
    Judgement("change", "small run 3", (), (f"{NEW} MUST at 5", f"{OLD} MUST at 6")),
    Judgement("change", "small run 4", (), ()),
]


def shown(rule: str) -> dict[str, tuple[str, ...]]:
    return {share.of.on: share.lines for share in shares_of(EVERY, [OLD, NEW]) if share.rule == rule}


def test_what_involves_two_rules_is_stated_by_the_newer() -> None:
    assert shown(OLD) == {"small run 1": (f"{OLD} MUST at 1",), "small run 3": (f"{OLD} MUST at 6",)}
    assert shown(NEW) == {
        "small run 1": (OLD, f"{NEW} MUST at 2"),
        "small run 2": (f"{OLD} MUST at 3", f"{NEW} MUST at 4"),
        "small run 3": (f"{NEW} MUST at 5", OLD),
    }
    assert shown(NO_RULE) == {"small run 3": (), "small run 4": ()}


@pytest.mark.parametrize(
    "changed",
    [
        EVERY[:-1],
        [*EVERY[:2], Judgement("change", "small run 3", (), EVERY[2].words[::-1]), EVERY[3]],
        [Judgement("change", "small run 1", (OLD,), (f"{OLD} MUST at 2", *EVERY[0].words[1:])), *EVERY[1:]],
        [*EVERY[:3], Judgement("change", "small run 4", (), (f"{OLD} MUST at 1",))],
    ],
    ids=["one less", "in another order", "another line", "one more finding"],
)
def test_every_difference_changes_a_line(changed: list[Judgement]) -> None:
    assert lines_of(changed, [OLD, NEW]) != lines_of(EVERY, [OLD, NEW])


def test_a_new_rule_adds_a_line_and_changes_no_other() -> None:
    before = [
        Judgement(each.kind, each.on, each.made_for, tuple(line for line in each.words if not line.startswith(NEW)))
        for each in EVERY
        if NEW not in each.made_for
    ]
    lines = dict(lines_of(EVERY, [OLD, NEW]))
    assert lines.pop(NEW).startswith("3 in 3: ")
    assert lines == lines_of(before, [OLD])


def test_the_newest_rule_of_a_wire_changed_no_line_when_it_came() -> None:
    *older, newest = by_age(file_of(SMALL), lines_in(file_of(SMALL)))[1:]
    without = [
        Judgement(each.kind, each.on, each.made_for, tuple(line for line in each.words if newest not in line))
        for each in judgements(SMALL)
        if newest not in each.made_for
    ]
    stated = dict(lines_in(file_of(SMALL)))
    assert stated.pop(newest)
    assert lines_of(without, older) == stated


def test_a_rule_that_another_package_adds_is_not_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    added = RULES["stream/text"]
    monkeypatch.setattr("harness_lab.selftest.stated.added_rules", lambda _: [added])
    assert "stream/text" not in own_rules()
    found = Judgement("change", "small run 1", (OLD,), (f"{OLD} MUST at 1", "stream/text MUST at 2"))
    assert [*lines_of([found], [OLD])] == [OLD]
    assert shown(OLD)["small run 1"] == next(shares_of([found], [OLD])).lines


def test_a_file_has_only_rules_of_this_package_and_every_rule_about_traces() -> None:
    assert set(lines_in(FILE)) <= {NO_RULE, *every_rule()}
    assert set(own_rules()) <= set(lines_in(FILE))


def test_rules_stay_in_their_order_and_a_new_one_comes_last(tmp_path: Path) -> None:
    file = tmp_path / "stated.json"
    file.write_text(json.dumps({NO_RULE: "", "b": "", "a": "", "gone": ""}))
    assert by_age(file, ["a", "b", "new"]) == ["b", "a", "new"]


def test_the_script_writes_and_explains_the_lines_of_some_rules(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stated_file = run_path(str(SCRIPT), run_name="state_findings")["StatedFile"]
    file = stated_file(tmp_path / "stated.json", [OLD, NEW], lambda: EVERY)
    file.write([])
    whole = file.file.read_text(encoding="utf-8")
    file.file.write_text(json.dumps({**dict.fromkeys(lines_in(file.file), "stale")}))
    file.write([NEW])
    lines = lines_in(file.file)
    assert lines == {NO_RULE: "stale", OLD: "stale", NEW: json.loads(whole)[NEW]}
    capsys.readouterr()
    file.explain(OLD)
    assert capsys.readouterr().out == (
        f"change, small run 1:\n    {OLD} MUST at 1\nchange, small run 3:\n    {OLD} MUST at 6\n"
    )


def test_the_script_writes_the_files_that_can_have_a_rule() -> None:
    files = run_path(str(SCRIPT), run_name="state_findings")["files"]
    assert [each.file for each in files([], [])] == [*map(file_of, OWN_WIRES), FILE]
    assert [each.file for each in files([SMALL], [])] == [file_of(SMALL)]
    assert [each.file for each in files([], ["TAG-01"])] == [file_of(SMALL), FILE]
    assert [each.file for each in files([], ["stream/text"])] == [FILE]
