"""``harness run --executor dask`` as a command of its own: the same results, and a Ctrl-C that leaves nothing."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_run_processes import TIMEOUT, folder, running
from tests.commands import Printed
from tests.sdks import needs

pytestmark = needs("distributed", "the extra dask is not installed")

__all__ = ["folder"]

OF_TIME = re.compile("results: | +[0-9]+/[0-9]+")
"""Lines that say how long it took, or how far it is every few seconds."""


def results(out: Path) -> dict[str, Any]:
    """What was found, without what no two runs have in common."""
    found: dict[str, Any] = json.loads((out / "results.json").read_text(encoding="utf-8"))
    del found["started"]
    for case in found["cases"]:
        del case["seconds"]
    return found


@pytest.mark.exhaustive
def test_what_is_written_and_reported_is_the_same(tmp_path: Path, harness: Callable[..., Printed]) -> None:
    told = []
    selection = ["--wire", "anthropic-messages", "-k", "parallel-calls and (event or byte)", "--rule", "continuation"]
    for executor in ("processes", "dask"):
        options = ["--target", "mutant:result-dropped", "-j", "1", "--executor", executor]
        code, lines, _ = harness("run", *selection, *options, "--out", tmp_path / executor).lines
        assert code == 1
        told.append([line for line in lines if not OF_TIME.match(line)])
    here, there = (results(tmp_path / name) for name in ("processes", "dask"))
    assert here == there
    assert here["totals"]["fail"] > 0
    assert [line.replace("/processes/", "/dask/") for line in told[0]] == told[1]
    names = [sorted(path.name for path in (tmp_path / name).rglob("*")) for name in ("processes", "dask")]
    assert names[0] == names[1]


@pytest.mark.exhaustive
@pytest.mark.parametrize("everybody", [True, False], ids=["terminal", "kill"])
def test_ctrl_c_ends_the_cluster_and_writes_what_has_ended(folder: Path, everybody: bool) -> None:
    with running(folder, "--target", "wire-only", "--executor", "dask", "-j", "1") as run:  # no SDK to import
        (os.killpg if everybody else os.kill)(run.pid, signal.SIGINT)
        # The end of its output: nothing that has inherited it, which all of its processes have, is left.
        out, err = run.communicate(timeout=TIMEOUT)
    assert (run.returncode, err) == (130, "")
    assert "cases did not run; the results so far are written" in out
    written = json.loads((folder.parent / "out" / "results.json").read_text(encoding="utf-8"))
    assert written["complete"] is False
    assert 25 <= len(written["cases"]) < 250
    for case in written["cases"]:
        assert (folder.parent / "out" / case["trace"]).is_file()


def test_an_executor_that_is_none_is_bad_input(harness: Callable[..., Printed]) -> None:
    printed = harness("run", "--executor", "ray")
    assert printed.code == 2
    assert printed.err.startswith("error: --executor 'ray': expected processes, dask, or dask:ADDRESS")


def test_nothing_of_it_is_imported_without_need() -> None:
    program = "import sys, harness.cli.drive; print(sorted({'distributed', 'dask'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=TIMEOUT, check=True)
    assert done.stdout == "[]\n"
