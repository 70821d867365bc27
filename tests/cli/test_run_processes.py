"""``harness run -j N`` as a command of its own: what a person sees, a Ctrl-C, and nothing that stays behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.commands import Printed, run_harness, start_harness, write_hello

TIMEOUT = 120
"""Seconds after which a run hangs. Far beyond what these take on a busy machine."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """More cases than end between a first line of progress and a signal."""
    return write_hello(tmp_path / "scenarios", *(f"case-{number}" for number in range(250)))


@contextmanager
def running(folder: Path, *more: str) -> Iterator[subprocess.Popen[str]]:
    """``harness run -j 2`` in a process group of its own, as a shell starts it, once a tenth of it is done."""
    words = ["run", folder, "--out", folder.parent / "out", "-j", "2", "-v", *more]
    with start_harness(*words, start_new_session=True) as run:
        assert run.stdout is not None
        try:
            ended = 0
            while ended < 25:
                ended += run.stdout.readline().startswith("  pass  ")
                assert run.poll() is None, run.communicate()
            yield run
        finally:
            if run.poll() is None:
                os.killpg(run.pid, signal.SIGKILL)


@pytest.mark.parametrize("everybody", [True, False], ids=["terminal", "kill"])
def test_ctrl_c_ends_the_workers_and_writes_what_has_ended(folder: Path, everybody: bool) -> None:
    """A terminal sends the signal to the workers too; ``kill -INT`` does not."""
    with running(folder) as run:
        (os.killpg if everybody else os.kill)(run.pid, signal.SIGINT)
        # The end of its output: nothing that has inherited it, which all of its processes have, is left.
        out, err = run.communicate(timeout=TIMEOUT)
    assert (run.returncode, err) == (130, "")
    assert "cases did not run; the results so far are written" in out
    results = json.loads((folder.parent / "out" / "results.json").read_text(encoding="utf-8"))
    assert results["complete"] is False
    ended = {case["trace"] for case in results["cases"]}
    assert 25 <= len(ended) < 250
    written = {f"traces/{path.name}" for path in (folder.parent / "out" / "traces").iterdir()}
    assert ended <= written
    assert not [path for path in written if path.endswith(".new")]


def test_workers_end_with_a_run_that_was_killed(folder: Path) -> None:
    with running(folder) as run:
        run.kill()
        run.communicate(timeout=TIMEOUT)  # the end of its output, as above
    assert run.returncode == -signal.SIGKILL


def test_the_report_is_in_the_order_of_the_plan(folder: Path) -> None:
    done = run_harness("run", folder, "--out", folder.parent / "out", "-j", "2", "-k", "case-1")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "111 passed, 0 failed"
    results = json.loads((folder.parent / "out" / "results.json").read_text(encoding="utf-8"))
    planned = [path.stem for path in sorted(folder.iterdir()) if path.stem.startswith("case-1")]
    assert [case["scenario"] for case in results["cases"]] == planned


@pytest.mark.parametrize("jobs", ["0", "-1", "two"])
def test_a_number_of_processes_that_is_none_is_refused(jobs: str, harness: Callable[..., Printed]) -> None:
    printed = harness("run", f"-j{jobs}")
    assert printed.code == 2
    assert "-j" in printed.err
