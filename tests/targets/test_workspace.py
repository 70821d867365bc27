"""The folders of a case: made for it, seen by nobody else, gone when it has ended."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from harness.targets.agent import AgentSetup, Workdir, folders, workspace


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    folders._sweep.cache_clear()
    return folder


def test_the_folders_are_there_while_the_block_runs(temporary: Path) -> None:
    setup = AgentSetup(fresh_home=True, workdir=Workdir())
    with workspace(setup, {"a/b.txt": "one\r\ntwo"}) as made:
        made.write({".agent/config.json": "{}"})
        assert made.home is not None
        assert made.workdir is not None
        assert (made.home / ".agent" / "config.json").read_text() == "{}"
        assert (made.workdir / "a" / "b.txt").read_bytes() == b"one\r\ntwo"
        assert made.environment({})["HOME"] == str(made.home)
        assert made.environment({})["PWD"] == str(made.workdir)
        assert Path(made.environment({})["TMPDIR"]).is_dir()
        assert stat.S_IMODE(made.home.parent.stat().st_mode) == 0o700
    assert list(temporary.iterdir()) == []


def git(folder: Path, *words: str) -> str:
    command = ["git", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def test_a_template_is_copied_and_becomes_a_repository(tmp_path: Path) -> None:
    template = tmp_path / "template"
    template.mkdir()
    (template / "kept.txt").write_text("kept")
    with workspace(AgentSetup(workdir=Workdir(template, git=True)), {"more.txt": "more"}) as made:
        assert made.workdir is not None
        log = git(made.workdir, "log", "--name-only", "--format=%an")
        assert log.split() == ["Harness", "kept.txt", "more.txt"]
        assert made.environment({}).keys() == {"PWD"}


def test_files_are_read_and_links_that_lead_out_are_none(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    with workspace(AgentSetup(workdir=Workdir()), {"in.txt": "in", "sub/x": ""}) as made:
        assert made.workdir is not None
        (made.workdir / "out.txt").symlink_to(tmp_path / "secret.txt")
        (made.workdir / "link.txt").symlink_to("in.txt")
        (made.workdir / "bytes.txt").write_bytes(b"\xff")
        paths = ["in.txt", "out.txt", "link.txt", "bytes.txt", "sub", "nowhere.txt"]
        assert made.texts(paths) == {"in.txt": "in", "link.txt": "in", "bytes.txt": "\ufffd"}
        assert made.has("in.txt")
        assert not made.has("out.txt")


def test_folders_without_permissions_are_removed(temporary: Path) -> None:
    with workspace(AgentSetup(workdir=Workdir()), {"a/b.txt": ""}) as made:
        assert made.workdir is not None
        (made.workdir / "a").chmod(0)
    assert list(temporary.iterdir()) == []


def test_what_a_killed_process_has_left_is_removed_by_the_next_one(temporary: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left = temporary / f"harness-agent-{ended.pid}-abc"
    mine = temporary / f"harness-agent-{os.getpid()}-abc"
    other = temporary / "harness-agent-notes"
    for folder in (left, mine, other):
        folder.mkdir()
    with workspace(AgentSetup(workdir=Workdir()), {}):
        assert not left.exists()
    assert mine.exists()
    assert other.exists()


def test_a_link_with_the_name_of_a_folder_that_was_left_is_not_followed(temporary: Path, tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    elsewhere = tmp_path / "of the user"
    (elsewhere / "notes").mkdir(parents=True)
    (elsewhere / "notes").chmod(0o755)
    (temporary / f"harness-agent-{ended.pid}-abc").symlink_to(elsewhere)
    with workspace(AgentSetup(workdir=Workdir()), {}):
        assert (elsewhere / "notes").stat().st_mode & 0o777 == 0o755
