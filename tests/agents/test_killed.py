"""What a harness leaves that is killed while an agent works: no process, and no folder once another run has begun."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from harness.scenario import shipped
from harness.sealing.allowed import refusal
from tests.agents.running import AGENT

CASE = (Path(__file__).parent / "data" / "works.yaml").read_text(encoding="utf-8")
WIRE = "openai-chat"
PATIENCE = 120.0
"""Seconds; a machine that does much else is slow to start a command."""


def run(folder: Path, scenario: Path) -> subprocess.Popen[bytes]:
    """A run of one case on the reference agent, whose temporary files are below ``folder``."""
    name = scenario.stem
    words = [
        "run",
        str(scenario),
        "--target",
        str(AGENT),
        "--wire",
        WIRE,
        "-k",
        f"{name}.{WIRE}.event",
        "--out",
        str(folder / name),
    ]
    return subprocess.Popen(
        [sys.executable, "-m", "harness", *words],
        env={**os.environ, "TMPDIR": str(folder / "tmp")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
    )


def left(folder: Path) -> list[Path]:
    return list((folder / "tmp").glob("harness-agent-*"))


def running(folder: Path) -> list[psutil.Process]:
    """The processes that have the folder in their environment: the harness, the agent, and the command that it runs."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.environ().get("TMPDIR", "").startswith(str(folder / "tmp")):
                found.append(process)
    return found


def wait_for_command(folder: Path, harness: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + PATIENCE
    while not any((each / "work/started.txt").exists() for each in left(folder)):
        assert time.monotonic() < end, "the command has not begun"
        with suppress(subprocess.TimeoutExpired):
            pytest.fail(f"the harness has ended: {harness.wait(0.05)}")


def test_nothing_is_left_where_the_harness_is_killed(tmp_path: Path) -> None:
    if why := refusal():
        pytest.skip(f"no seal can be made here: {why}")
    (tmp_path / "tmp").mkdir()
    (tmp_path / "agent-works.yaml").write_text(CASE, encoding="utf-8")
    harness = run(tmp_path, tmp_path / "agent-works.yaml")
    wait_for_command(tmp_path, harness)
    started = running(tmp_path)
    assert len(started) > 1
    harness.send_signal(signal.SIGKILL)
    harness.wait()
    assert psutil.wait_procs(started, PATIENCE)[1] == []
    begun_since = running(tmp_path)  # the shell may have been about to start the second command
    assert psutil.wait_procs(begun_since, PATIENCE)[1] == []
    assert len(left(tmp_path)) == 1
    assert run(tmp_path, shipped() / "coding_agent/agent-one-call.yaml").wait() == 0
    assert left(tmp_path) == []
