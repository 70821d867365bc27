"""A sample of all faults, and that what is written wrongly is found. ``scripts/faults`` tries all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the names of open files are in /proc")

PLANTED = """\
import tempfile
from pathlib import Path
from tests.faults.sweep import sweep
from tests.faults.swept_commands import {command}
{mistake}
if __name__ == "__main__":
    for problem in sweep({command}(), Path(tempfile.mkdtemp(dir={folder!r})), every={every}, first={first}).problems:
        print(problem)
"""

LATE = """
from harness.report.journal import Journal
append, kept = Journal.append, []
Journal.append = lambda self, result: append(self, kept[-2]) if kept.append(result) or len(kept) > 1 else None
"""
"""A verdict is written only when the next case ends."""

IN_PLACE = """
from harness.cli.cassettes import redact
redact.put = lambda path, content: path.write_bytes(content)
"""
"""A file is overwritten, and not replaced."""

DECEIVED = """
import sys
import harness.cli
sys.modules["harness.cli.main"]._report_error = lambda error: 1
"""
"""An error of the disk looks like a finding."""


def python(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=False, timeout=600)


@pytest.mark.exhaustive
def test_a_sample_of_all_faults() -> None:
    done = python("-m", "tests.faults", "--every", "83", "--first", "7")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line for line in done.stdout.splitlines() if line.startswith("| ")][1:]
    assert [row.split(" | ")[0] for row in rows] == [
        "| run",
        "| run -j 2",
        "| run -j 2, in its workers",
        "| record",
        "| baseline update",
        "| cassettes redact",
        "| cassettes import",
    ]
    assert sum(int(row.split(" | ")[2]) for row in rows) > 40


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("command", "mistake", "every", "found"),
    [
        ("Run", LATE, 53, "lost: "),
        ("Redact", IN_PLACE, 2, "neither the old file nor the new"),
        ("Redact", DECEIVED, 5, "exit code 1"),
    ],
    ids=["late", "in place", "deceived"],
)
def test_what_is_written_wrongly_is_found(tmp_path: Path, command: str, mistake: str, every: int, found: str) -> None:
    program = PLANTED.format(command=command, mistake=mistake, every=every, first=0, folder=str(tmp_path))
    done = python("-c", program)
    assert found in done.stdout, done.stdout + done.stderr
