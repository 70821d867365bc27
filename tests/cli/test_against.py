"""``harness run --against BASE``: what is not as it was in an earlier run fails, whatever its verdict."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.commands import run_harness

SCENARIO = "scenarios/universal/answer.yaml"
CASE = ("run", SCENARIO, "--target", "wire-only", "-k", "event")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("against") / "base"
    ended = run_harness(*CASE, "--out", folder)
    assert ended.returncode == 0, ended.stderr
    return folder


def test_the_same_run_passes(base: Path, tmp_path: Path) -> None:
    ended = run_harness(*CASE, "--out", tmp_path / "new", "--against", base)
    assert (ended.returncode, ended.stdout.splitlines()[-1]) == (0, "nothing changed in 4 cases")


def test_another_trace_with_the_same_verdict_fails(base: Path, tmp_path: Path) -> None:
    older = shutil.copytree(base, tmp_path / "older")
    trace = older / "traces/answer.openai-chat.event.jsonl"
    text = trace.read_text(encoding="utf-8")
    assert "assistant" in text
    trace.write_text(text.replace('"role":"user"', '"role":"developer"', 1), encoding="utf-8")
    assert trace.read_text(encoding="utf-8") != text
    ended = run_harness(*CASE, "--out", tmp_path / "new", "--against", older)
    assert ended.returncode == 1
    assert "answer.openai-chat.event" in ended.stdout
    assert ended.stdout.splitlines()[-1].startswith("1 not as before (--strict)")


def test_a_case_that_is_gone_fails_and_one_that_was_not_asked_for_does_not(base: Path, tmp_path: Path) -> None:
    fewer = ("--wire", "openai-chat", "--against", base)
    ended = run_harness(*CASE, "--out", tmp_path / "new", *fewer)
    assert (ended.returncode, ended.stdout.splitlines()[-1]) == (0, "nothing changed in 1 case")
    other = ("run", "scenarios/universal/refusal.yaml", *CASE[2:])
    ended = run_harness(*other, "--out", tmp_path / "other", "--against", base)
    assert ended.returncode == 1, "the base run has a scenario that this one does not know"


def test_a_base_that_cannot_be_compared_is_refused_before_anything_runs(base: Path, tmp_path: Path) -> None:
    ended = run_harness(*CASE, "--out", tmp_path / "new", "--against", tmp_path / "nowhere")
    assert ended.returncode == 2
    assert "expected the results folder of a run" in ended.stderr
    assert not (tmp_path / "new").exists()
    ended = run_harness(*CASE, "--out", base, "--against", base)
    assert ended.returncode == 2
    assert "name another --out" in ended.stderr
