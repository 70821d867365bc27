"""``harness lab golden`` and ``harness lab import-trace`` as a person meets them, and over all shared recordings."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from harness.cli import main
from harness.imports.comparison import RecordedComparison
from harness.trace import load
from harness_lab.recorded.golden.deviations import DEVIATIONS
from harness_lab.recorded.golden.happened import PlayedRun
from harness_lab.recorded.run import RecordedRun
from tests.recorded.golden.recordings import created, write
from tests.recorded.golden.shared_runs import compared

Command = Callable[..., tuple[int, list[str], list[str]]]


@pytest.fixture
def harness(capsys: pytest.CaptureFixture[str]) -> Command:
    """Run a command; its exit code, and the lines of standard output and of standard error."""

    def call(*arguments: object) -> tuple[int, list[str], list[str]]:
        with pytest.raises(SystemExit) as left:
            main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return int(left.value.code or 0), printed.out.splitlines(), printed.err.splitlines()

    return call


@pytest.fixture
def few(shared: Path, tmp_path: Path) -> Path:
    """A folder with copies of some shared recordings: one that agrees, one with a listed bug, one that dies."""
    folder = tmp_path / "few"
    folder.mkdir()
    for name in ("edit_no_match.anthropic", "final_prose_only.openai", "edit_count_string.gemini"):
        shutil.copy(shared / "golden" / "screenshot-to-code" / f"{name}.json", folder)
    return folder


def change(folder: Path, name: str, old: str, new: str) -> None:
    path = folder / f"{name}.json"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


# --- golden ---------------------------------------------------------------------------------------------------


@pytest.mark.exhaustive
def test_nothing_in_the_shared_recordings_is_unexplained(
    shared: Path, harness: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = time.process_time()
    folder = shared / "golden" / "screenshot-to-code"
    with_habits = {habits: compared(folder, habits=habits) for habits in (False, True)}

    async def as_compared(
        recordings: list[RecordedRun], reasons: Sequence[object] = DEVIATIONS, *, habits: bool = False
    ) -> Sequence[RecordedComparison[PlayedRun]]:
        found = with_habits[habits]
        assert [each.happened.run for each in found] == recordings
        assert reasons == (() if habits else DEVIATIONS)
        return found

    monkeypatch.setattr("harness_lab.recorded.golden.against_reference", as_compared)
    code, out, err = harness("lab", "golden", folder)
    assert out[-2:] == [
        "reference loop: 85 agree (140 with habits), 101 deviate (listed), 0 unexplained",
        "rules: 98 without findings, 88 with findings (listed), 0 unexplained",
    ]
    assert (code, err) == (0, [])
    assert not [line for line in out if "UNEXPLAINED" in line or "STALE" in line or "not here" in line]
    assert "    3  count 0 is named as the fault; the engine says that old_text was not found." in out
    assert "    2  Anthropic's thinking and its signatures do not go back." in out
    assert time.process_time() - began < 60


def test_a_part_of_the_recordings_is_judged_by_its_part_of_the_tables(few: Path, harness: Command) -> None:
    code, out, _ = harness("lab", "golden", few)
    assert out[-2:] == [
        "reference loop: 1 agree (2 with habits), 2 deviate (listed), 0 unexplained",
        "rules: 1 without findings, 2 with findings (listed), 0 unexplained",
    ]
    assert code == 0
    assert "  (20 reasons apply to no recording that is here)" in out


def test_a_planted_difference_is_told_and_fails(few: Path, harness: Command) -> None:
    change(few, "edit_no_match.anthropic", '"ok":false', '"ok":true')
    code, out, _ = harness("lab", "golden", few)
    assert code == 1
    told = next(line for line in out if "UNEXPLAINED edit_no_match.anthropic: events: " in line)
    assert told.endswith("toolStart(edit_file 2) toolResult(edit_file 2 failed) assistant final(completed)")
    assert "    the engine toolResult(edit_file 2)" in out
    assert "    the reference toolResult(edit_file 2 failed)" in out
    assert out[-2] == "reference loop: 0 agree (1 with habits), 2 deviate (listed), 1 unexplained"


def test_a_planted_violation_is_told_and_fails(few: Path, harness: Command) -> None:
    change(few, "edit_no_match.anthropic", '"tool_use_id":"call_2"', '"tool_use_id":"call_9"')
    code, out, _ = harness("lab", "golden", few)
    assert code == 1
    assert "  UNEXPLAINED edit_no_match.anthropic: history/results" in out
    assert out[-2] == "reference loop: 1 agree (2 with habits), 2 deviate (listed), 0 unexplained"
    assert out[-1] == "rules: 0 without findings, 2 with findings (listed), 1 unexplained"


def test_reasons_that_are_stale_are_reported_and_fail(shared: Path, tmp_path: Path, harness: Command) -> None:
    """One whose result is that of the reference, and one that sends back a name where the model gave none."""
    for name in ("edit_count_zero.anthropic", "missing_name.openai"):
        shutil.copy(shared / "golden" / "screenshot-to-code" / f"{name}.json", tmp_path)
    change(
        tmp_path,
        "edit_count_zero.anthropic",
        '{"error":"old_text not found","old_text":"two"}',
        '{"error":"Invalid count"}',
    )
    path = tmp_path / "missing_name.openai.json"
    recording = json.loads(path.read_text(encoding="utf-8"))
    (item,) = (each for each in recording["requests"][1]["history"] if each.get("type") == "function_call")
    item["name"] = "create_file"
    path.write_text(json.dumps(recording), encoding="utf-8")
    code, out, _ = harness("lab", "golden", tmp_path)
    assert code == 1
    stale = [line for line in out if line.startswith("  STALE ")]
    assert [line.split(": ")[:2] for line in stale] == [
        ["  STALE edit_count_zero.anthropic", "outputs"],
        ["  STALE missing_name.openai", "continuation/openai-responses OAI-06"],
    ]
    assert stale[0].endswith("listed: count 0 is named as the fault; the engine says that old_text was not found.")
    assert out[-2].startswith("reference loop: 1 agree (0 with habits), 1 deviate (listed), 0 unexplained, 1 stale")
    assert out[-1].endswith(", 1 stale")


def test_what_a_recording_says_cannot_drive_the_terminal(tmp_path: Path, harness: Command) -> None:
    recording = created()
    recording["events"][2]["data"]["name"] = "\x1b[31mred\ud83d"
    write(tmp_path, recording)
    code, out, _ = harness("lab", "golden", tmp_path)
    assert code == 1
    assert "\x1b" not in "".join(out)
    assert any("toolStart(\\x1b[31mred\\ud83d 1)" in line for line in out)


# --- import-trace -----------------------------------------------------------------------------------------------


def test_recordings_become_traces_that_check_judges(few: Path, tmp_path: Path, harness: Command) -> None:
    code, out, _ = harness("lab", "import-trace", few, "--out", tmp_path / "new" / "traces")
    assert (code, out) == (0, [f"3 traces in {tmp_path / 'new' / 'traces'}"])
    traces = sorted((tmp_path / "new" / "traces").iterdir())
    assert [path.name for path in traces] == [
        "edit_count_string.gemini.jsonl",
        "edit_no_match.anthropic.jsonl",
        "final_prose_only.openai.jsonl",
    ]
    assert load(traces[0]).case.target == "screenshot-to-code"
    code, out, _ = harness("check", tmp_path / "new" / "traces")
    assert code == 1
    assert out[-1] == "3 traces, 2 causes, 2 findings"


def test_one_recording_by_itself(few: Path, tmp_path: Path, harness: Command) -> None:
    code, out, _ = harness("lab", "import-trace", few / "final_prose_only.openai.json", "--out", tmp_path / "one")
    assert (code, out) == (0, [f"1 traces in {tmp_path / 'one'}"])


def test_a_folder_that_cannot_be_written(tmp_path: Path, harness: Command) -> None:
    write(tmp_path, created())
    (tmp_path / "taken").write_text("", encoding="utf-8")
    code, out, err = harness("lab", "import-trace", tmp_path / "created.anthropic.json", "--out", tmp_path / "taken")
    assert (code, out) == (2, [])
    assert err == [f"error: --out {tmp_path / 'taken'}: cannot be written: File exists"]


@pytest.mark.parametrize("command", ["golden", "import-trace"])
def test_where_all_files_are_bad_the_exit_is_2_and_nothing_is_written(
    command: str, tmp_path: Path, harness: Command
) -> None:
    write(tmp_path, {"script": []}, "foreign")
    out_dir = tmp_path / "traces"
    code, out, err = harness("lab", command, tmp_path, *(["--out", out_dir] if command == "import-trace" else []))
    assert (code, out) == (2, [])
    assert len(err) == 1
    assert err[0].startswith(f"error: {tmp_path / 'foreign.json'}: ")
    assert not out_dir.exists()


def test_what_is_no_recording_or_cannot_be_expressed_is_named_and_left_out(
    few: Path, tmp_path: Path, harness: Command
) -> None:
    elsewhere = created()
    elsewhere["requests"][0]["path"] = "/v1/elsewhere"
    write(few, elsewhere, "elsewhere")
    write(few, {"script": []}, "foreign")
    named = [f"{few / 'foreign.json'}: ", f"{few / 'elsewhere.json'}: request 1: anthropic-messages has no path"]
    code, out, err = harness("lab", "import-trace", few, "--out", tmp_path / "traces")
    assert (code, err) == (0, [])
    assert [line.startswith(f"not imported: {each}") for line, each in zip(out, named, strict=False)] == [True, True]
    assert out[-1] == f"3 traces in {tmp_path / 'traces'}, 2 not imported"
    assert len(list((tmp_path / "traces").iterdir())) == 3
    code, out, err = harness("lab", "golden", few)
    assert (code, err) == (0, [])
    assert [line.startswith(f"not compared: {each}") for line, each in zip(out, named, strict=False)] == [True, True]
    assert out[-1] == "rules: 1 without findings, 2 with findings (listed), 0 unexplained"


def test_cases_that_ours_cannot_be_asked_are_named_and_left_out(tmp_path: Path, harness: Command) -> None:
    known = {"id": "a", "fn": "strip_thinking", "input": "x", "expected": "x", "certain": True}
    cases = [known, {**known, "id": "b", "fn": "unheard_of"}, {"id": "c"}]
    (tmp_path / "cases.json").write_text(json.dumps({"cases": cases}), encoding="utf-8")
    code, out, _ = harness("lab", "golden", tmp_path)
    assert code == 0
    assert [line.partition(": expected")[0] for line in out[:2]] == [
        f"not compared: {tmp_path / 'cases.json'}: case 3",
        "not compared: b",
    ]
    assert out[-1] == "text tags: 1 hold, 0 deviate (listed), 0 unexplained"


@pytest.mark.parametrize("command", ["golden", "import-trace"])
def test_requests_that_do_not_fit_exit_2(command: str, tmp_path: Path, harness: Command) -> None:
    recording = created()
    recording["requests"][0]["path"] = "/v1/elsewhere"
    write(tmp_path, recording)
    code, _, err = harness(
        "lab", command, tmp_path, *(["--out", tmp_path / "traces"] if command == "import-trace" else [])
    )
    assert code == 2
    assert "request 1: anthropic-messages has no path '/v1/elsewhere'" in err[0]
