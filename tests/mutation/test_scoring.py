"""Verdicts on planted code, where the right answer is known."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


def planted(tmp_path: Path, *words: str) -> str:
    command = [sys.executable, "-m", "tests.mutation.planted", str(tmp_path), *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(planted(tmp_path_factory.mktemp("planted")))
    return found


def states(verdicts: list[dict[str, Any]], qualname: str) -> dict[tuple[str, str], str]:
    return {(each["operator"], each["change"]): each["state"] for each in verdicts if each["qualname"] == qualname}


def test_without_a_measurement_the_same_are_killed_and_nothing_is_unseen(
    verdicts: list[dict[str, Any]], tmp_path: Path
) -> None:
    unmeasured = json.loads(planted(tmp_path, "unmeasured"))
    measured = {each["id"]: each["state"].replace("unseen", "survived") for each in verdicts}
    assert {each["id"]: each["state"] for each in unmeasured} == measured


@pytest.fixture(scope="module")
def in_process(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(planted(tmp_path_factory.mktemp("in_process"), "in-process"))
    return found


@pytest.mark.parametrize("qualname", ["is_small", "count_down", "half_checked"])
def test_in_one_process_functions_that_items_call_are_judged_alike(
    qualname: str, verdicts: list[dict[str, Any]], in_process: list[dict[str, Any]]
) -> None:
    assert states(in_process, qualname) == states(verdicts, qualname) != {}


def test_in_one_process_nothing_is_killed_that_would_survive(
    verdicts: list[dict[str, Any]], in_process: list[dict[str, Any]]
) -> None:
    killed = {each["id"] for each in in_process if each["state"] != "survived"}
    assert killed < {each["id"] for each in verdicts if each["state"] not in ("survived", "unseen")}


def test_in_one_process_nothing_is_said_of_what_no_item_runs(in_process: list[dict[str, Any]]) -> None:
    assert {each["qualname"] for each in in_process} == {"is_small", "count_down", "half_checked", "opened"}


def test_a_mutant_that_leaves_something_behind_is_the_last_of_its_process(in_process: list[dict[str, Any]]) -> None:
    *_, last = in_process
    assert (last["qualname"], last["operator"], last["state"]) == ("opened", "drop-not", "found")


def test_a_comparison_at_its_boundary_is_found_on_both_sides(verdicts: list[dict[str, Any]]) -> None:
    assert states(verdicts, "is_small") == {
        ("return", "return None"): "found",
        ("compare", "(number <= LIMIT)"): "found",
        ("compare", "(number >= LIMIT)"): "found",
    }


def test_a_constant_is_judged_by_who_uses_it(verdicts: list[dict[str, Any]]) -> None:
    assert states(verdicts, "") == {("off-by-one", "4"): "found", ("off-by-one", "2"): "found"}
    (by,) = {each["by"] for each in verdicts if not each["qualname"]}
    assert by == "small"


def test_what_runs_when_the_module_is_imported_is_judged_by_who_uses_what_it_made(
    verdicts: list[dict[str, Any]],
) -> None:
    assert states(verdicts, "_made") == {
        ("return", "return None"): "crashed",
        ("constant", '""'): "crashed",
        ("drop-element", "{}"): "crashed",
        ("off-by-one", "4"): "found",
        ("off-by-one", "2"): "found",
    }


def test_what_the_first_item_makes_for_all_is_judged_by_all(verdicts: list[dict[str, Any]]) -> None:
    changed = [each for each in verdicts if each["qualname"] == "opened" and each["operator"] == "off-by-one"]
    assert [(each["change"], each["state"], each["by"]) for each in changed] == [
        ("6", "found", "opened"),
        ("4", "found", "opened"),
    ]


def test_what_does_not_end_is_late_and_what_no_item_runs_is_unseen(verdicts: list[dict[str, Any]]) -> None:
    counted = states(verdicts, "count_down")
    assert counted["delete", "pass"] == "late", "the loop that counts nothing down"
    assert counted["return", "return None"] == "found"
    assert set(states(verdicts, "never_called").values()) == {"unseen"}


def test_what_nobody_checks_survives(verdicts: list[dict[str, Any]]) -> None:
    half = states(verdicts, "half_checked")
    assert half["drop-call", "text"] == "survived"
    assert half["constant", '""'] == "survived"
    assert half["connective", "(text.strip() and 'none')"] == "found"


def test_only_items_that_run_the_line_judge(verdicts: list[dict[str, Any]]) -> None:
    assert {each["of"] for each in verdicts if each["qualname"] == "half_checked"} == {1}


@pytest.mark.parametrize("how", ["measured", "unmeasured", "whole", "in-process"])
def test_a_judge_that_is_at_fault_by_itself_judges_nothing(how: str, tmp_path: Path) -> None:
    assert planted(tmp_path, "broken", how) == "planted without a mutant: broken: is not so"


def test_a_module_that_was_imported_before_is_not_mutated(tmp_path: Path) -> None:
    assert planted(tmp_path, "imported").startswith("planted is imported before it can be mutated")
