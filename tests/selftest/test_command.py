"""``harness lab selftest``: what it prints, what it writes, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.cli import main

RULE = "order/tool-start-once"


def run(*arguments: str, out: Path) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["lab", "selftest", "--quick", "--out", str(out), *arguments])
    code = ended.value.code
    assert isinstance(code, int)
    return code


def matrix(folder: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((folder / "matrix.json").read_text(encoding="utf-8"))
    return loaded


STARTS = ["start-twice", "start-thrice", "start-four-times"]
"""The small runs that break the rule."""


def test_a_rule_is_held_against_its_mutants(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--rule", RULE, "--wire", "openai-chat", "--wire", "gemini-generate", out=tmp_path) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[1].split() == ["traces", "1", "1", "0", "4", "0", "0", "7", "0"]
    assert said[-1] == "1 rules: 1 killed; 4 mutants: 0 survived; 7 clean: 0 findings"


def test_a_small_run_that_another_wire_can_say_is_no_fault(tmp_path: Path) -> None:
    assert run("--rule", "history", "--wire", "openai-chat", out=tmp_path) == 0


def test_the_matrix_has_what_was_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("--rule", RULE, "--rule", "stream/text", "--wire", "openai-chat", out=tmp_path)
    last = capsys.readouterr().out.splitlines()[-1]
    written = matrix(tmp_path)
    assert (written["format"], written["summary"], written["faults"]) == (1, last, [])
    (family,) = written["families"]
    assert family["rules"] == [RULE, "stream/text"]
    names = [mutant["name"] for mutant in family["mutants"]]
    assert names[:3] == ["start-told-twice", "text-told-twice", "text-lost"]
    assert family["kills"][RULE] == ["start-told-twice", *STARTS]
    assert family["kills"]["stream/text"][:2] == ["text-told-twice", "text-lost"]
    assert sorted(names) == sorted([*family["kills"][RULE], *family["kills"]["stream/text"]])
    assert family["mutants"][0]["trials"] == [{"on": "create-then-edit.openai-chat.event", "found": [RULE]}]
    assert all(each["found"] == [] for each in family["clean"])
    page = (tmp_path / "matrix.md").read_text(encoding="utf-8")
    assert f"{last}." in page
    assert (
        f"| {RULE} | A tool call is announced by exactly one toolStart. | start-told-twice, {', '.join(STARTS)} |"
        in page
    )
    assert f"{RULE}  1...1..11" in page
    assert f"\n{'stream/text':{len(RULE)}}  .111.11..1" in page


@pytest.mark.exhaustive
def test_two_runs_say_the_same_but_for_the_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = []
    for name in ("one", "other"):
        run("--rule", "history", "--wire", "anthropic-messages", out=tmp_path / name)
        written.append({**matrix(tmp_path / name), "started": ""})
    capsys.readouterr()
    assert written[0] == written[1]


def test_what_is_wrong_is_told_with_evidence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    from harness_lab.mutants.traces import TRACES

    told_twice = TRACES["start-told-twice"]
    monkeypatch.setitem(TRACES, "start-told-twice", replace(told_twice, edit=TRACES["text-lost"].edit))
    assert run("--rule", RULE, "--wire", "openai-chat", out=tmp_path) == 1
    said = capsys.readouterr().out.splitlines()
    case = "create-then-edit.openai-chat.event"
    assert f"traces: start-told-twice survives on {case}: not found by {RULE}" in said
    assert any(line.startswith("  instead: stream/text MUST at line ") for line in said)
    assert said[-1] == "1 rules: 1 killed; 4 mutants: 1 survived; 4 clean: 0 findings"
    assert [failure["family"] for failure in matrix(tmp_path)["faults"]] == ["traces"]


def test_a_crash_of_a_check_is_an_error_of_the_harness(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    from harness_lab.mutants.traces import TRACES

    def crashes(draft: object) -> None:
        raise TypeError("oops")

    monkeypatch.setitem(TRACES, "start-told-twice", replace(TRACES["start-told-twice"], edit=crashes))
    assert run("--rule", RULE, "--wire", "openai-chat", out=tmp_path) == 3
    assert "  TypeError: oops" in capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--rule", "order/tool-start-onse"], "did you mean order/tool-start-once"),
        (["--rule", "final/paused-turn", "--wire", "openai-chat"], "nothing is left to judge"),
    ],
)
def test_bad_input_is_told(arguments: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*arguments, out=tmp_path) == 2
    assert told in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("in the way")
    assert run("--rule", RULE, "--wire", "openai-chat", out=tmp_path / "file") == 2
    assert "choose another folder" in capsys.readouterr().err
