"""Runs of real loops: three that are broken beside one that is not, and the same one with other ids."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from junitparser import JUnitXml

from harness.cli import main
from harness.report.diff import Comparison, compare
from harness.report.diff.formats import FORMATS
from tests.report.planted import CLEAN, PLANTED


@pytest.fixture(scope="module")
def comparison(planted_runs: dict[str, Path]) -> Comparison:
    return compare(planted_runs["clean"], planted_runs["planted"])


def test_exactly_what_was_planted_is_a_regression(comparison: Comparison) -> None:
    assert {case.scenario: case.found[0].id for case in comparison.regressions} == {
        scenario: rule for scenario, (_, rule) in PLANTED.items()
    }
    assert comparison.unchanged == 1
    assert comparison.totals == {"regressed": 3}


def test_the_other_way_round_all_of_it_is_fixed(planted_runs: dict[str, Path]) -> None:
    back = compare(planted_runs["planted"], planted_runs["clean"])
    assert back.totals == {"fixed": 3}
    assert not back.regressed


def test_the_first_difference_is_what_was_broken(comparison: Comparison) -> None:
    traces = {case.scenario: case.trace for case in comparison.cases}
    told = {scenario: trace.what for scenario, trace in traces.items() if trace is not None}
    assert told == {
        "parallel-calls": "request 2: messages[5]",
        "content-before-path": "event toolStart is new",
        "twenty-one-tool-turns": "event final in the place of event error",
    }


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_names_what_was_planted(comparison: Comparison, format: str) -> None:
    told = FORMATS[format](comparison)
    for case in comparison.regressions:
        assert case.id in told
        assert case.found[0].id in told
        assert case.repeat in told
    assert f"{CLEAN}.openai-chat" not in told


def test_junit_readers_count_what_was_planted(comparison: Comparison, tmp_path: Path) -> None:
    path = tmp_path / "diff.xml"
    path.write_text(FORMATS["junit"](comparison), encoding="utf-8")
    document = JUnitXml.fromfile(str(path))
    assert (document.tests, document.failures, document.errors) == (4, 3, 0)


@pytest.mark.parametrize("pair", [("clean", "again"), ("planted", "planted")], ids=str)
def test_the_same_again_is_no_change(planted_runs: dict[str, Path], pair: tuple[str, str]) -> None:
    same = compare(planted_runs[pair[0]], planted_runs[pair[1]])
    assert (same.cases, same.settings, same.shapes, same.unchanged) == ((), (), (), 4)


@pytest.mark.parametrize("pair", [("clean", "other-seed"), ("planted", "planted-other-seed")])
def test_of_another_seed_only_the_seed_is_told(planted_runs: dict[str, Path], pair: tuple[str, str]) -> None:
    other = compare(planted_runs[pair[0]], planted_runs[pair[1]])
    assert (other.cases, other.shapes, other.unchanged) == ((), (), 4)
    assert [(each.name, each.base, each.new) for each in other.settings] == [("seed", "0", "7")]


def test_the_command_says_with_its_exit_code_whether_anything_regressed(
    planted_runs: dict[str, Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def diff(*words: str) -> tuple[object, str, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(["diff", *words])
        said = capsys.readouterr()
        return ended.value.code, said.out, said.err

    clean, planted = str(planted_runs["clean"]), str(planted_runs["planted"])
    code, out, _ = diff(clean, planted)
    assert code == 1
    assert out.splitlines()[-1] == "3 regressed, 1 unchanged"
    assert diff(planted, clean)[0] == 0
    assert diff(clean, clean)[1].splitlines()[-1] == "nothing changed in 4 cases"
    code, out, _ = diff(clean, planted, "--format", "json", "--out", str(tmp_path / "diff.json"))
    assert (code, out) == (1, "")
    assert json.loads((tmp_path / "diff.json").read_text()) == json.loads(diff(clean, planted, "--format", "json")[1])
    code, _, err = diff(clean, str(tmp_path))
    assert code == 2
    assert err == f"error: {tmp_path}: expected the results folder of a run, got one without results.json\n"
    code, _, err = diff(clean, planted, "--out", str(tmp_path / "no" / "where"))
    assert code == 2
    assert err == f"error: --out {tmp_path}/no/where: cannot be written: No such file or directory\n"
