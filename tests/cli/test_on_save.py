"""``harness run --on-save``: which files are watched, and when the run is repeated."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from harness.cli import on_save
from harness.cli.on_save import repeat, run_on_save, snapshot


def test_it_runs_again_for_what_was_saved_and_ends_at_ctrl_c(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    agent = tmp_path / "agent.py"
    seen: Iterator[Mapping[Path, tuple[int, int]]] = iter(
        [
            {agent: (1, 1)},  # before the first run
            {agent: (1, 1)},  # after it: nothing yet
            {agent: (2, 1)},  # saved
            {agent: (2, 1)},  # before the second run
            {agent: (2, 1)},
        ]
    )
    codes, pauses = iter([1, 0]), iter([None])

    def pause() -> None:
        if next(pauses, "no more") == "no more":
            raise KeyboardInterrupt

    assert repeat(lambda: next(codes), lambda: next(seen), pause) == 0
    assert capsys.readouterr().out.count("waiting for a saved file") == 2


def test_sources_and_scenarios_are_watched_and_what_others_have_written_is_not(tmp_path: Path) -> None:
    files = ["agent.py", "src/tool.ts", "scenarios/a.yaml", "notes.txt"]
    foreign = [".git/x.py", "node_modules/x.js", "venv/lib/x.py", "venv/pyvenv.cfg", "reports/run/x.yaml"]
    for name in (*files, *foreign):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("", encoding="utf-8")
    before = snapshot([tmp_path])
    assert {path.relative_to(tmp_path).as_posix() for path in before} == set(files[:3])
    os.utime(tmp_path / "agent.py", ns=(1, 1))
    assert snapshot([tmp_path]) != before


def test_the_run_is_made_without_the_option(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[list[str]] = []
    monkeypatch.setattr(on_save, "repeat", lambda run, *_: run())
    monkeypatch.setattr(on_save, "_run", lambda command: made.append(command) or 0)
    words = ["run", "scenarios", "--on-save", "--target", "mine:run"]
    assert run_on_save(argparse.Namespace(arguments=words, paths=[])) == 0
    assert made[0][1:] == ["-m", "harness", "run", "scenarios", "--target", "mine:run"]
