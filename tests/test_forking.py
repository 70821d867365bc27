"""Processes that the tests fork are what new ones would be: children of this process, in its folder and environment."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from tests.commands import run_harness
from tests.forking import POSSIBLE, ROOT

pytestmark = pytest.mark.skipif(not POSSIBLE, reason="processes are started anew on this system")
FIRST = """\
import os, signal
from tests.forking import WORKER, forked
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
program = "import signal; print(signal.pthread_sigmask(signal.SIG_BLOCK, []))"
os.waitpid(forked(WORKER, {"program": program}, [0, 1, 2]), 0)
"""
SPAWNING = multiprocessing.get_context("spawn")


def speak(connection: Connection) -> None:
    sys.stdout.write("on standard output\n")
    connection.send((os.getppid(), str(Path.cwd()), os.environ.get("TEST_WORD"), "harness.cli.drive" in sys.modules))
    sys.exit(7)


def wait_for_a_signal() -> None:
    signal.pause()


@pytest.fixture
def child() -> multiprocessing.process.BaseProcess:
    return SPAWNING.Process(target=wait_for_a_signal)


def test_a_worker_is_a_child_of_this_process_with_its_surroundings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TEST_WORD", "hello")
    here, there = SPAWNING.Pipe()
    worker = SPAWNING.Process(target=speak, args=(there,))
    worker.start()
    there.close()
    assert here.recv() == (os.getpid(), str(tmp_path), "hello", True)
    worker.join()
    assert worker.exitcode == 7
    assert capfd.readouterr().out == "on standard output\n"
    with pytest.raises(EOFError):  # nobody else holds the other end
        here.recv()


def test_a_worker_that_is_killed_is_known_to_be(child: multiprocessing.process.BaseProcess) -> None:
    child.start()
    assert child.is_alive()
    child.kill()
    child.join()
    assert child.exitcode == -signal.SIGKILL


@pytest.mark.exhaustive
def test_no_signal_is_blocked_though_one_was_when_the_first_process_was_asked_for() -> None:
    done = subprocess.run([sys.executable, "-c", FIRST], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_a_worker_that_is_new_has_imported_nothing(new_workers: None) -> None:
    here, there = SPAWNING.Pipe()
    worker = SPAWNING.Process(target=speak, args=(there,))
    worker.start()
    assert here.recv()[-1] is False
    worker.join()


def test_a_command_ends_in_its_own_folder_with_its_own_code(tmp_path: Path) -> None:
    (tmp_path / "here.yaml").write_text("scenario: here\n")
    done = run_harness("lint-scenario", "here.yaml", cwd=tmp_path, env={"PATH": "", "HOME": str(tmp_path)})
    assert done.returncode != 0
    assert "here.yaml" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert run_harness("--version").returncode == 0
