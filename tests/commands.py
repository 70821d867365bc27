"""``harness`` commands as processes of their own, for tests that are about what a command prints and how it ends.

Each is a fork of a process that has done the imports, where that is possible (``tests/forking.py``), and so are its
workers. A test whose subject is the start of the process itself, or a signal, starts ``python -m harness``.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryFile

from tests.fork_server import COMMAND
from tests.forking import POSSIBLE, forked

__all__ = ["run_harness"]

LONGEST = 600.0
"""Seconds after which a command hangs. Far beyond what any takes on a busy machine."""


def run_harness(
    *words: str | Path, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run ``harness WORDS`` in a folder, to its end; ``env`` is its whole environment, by default that of the tests.

    Raises ``TimeoutError`` when it does not end.
    """
    written = [str(word) for word in words]
    if not POSSIBLE:
        command = [sys.executable, "-m", "harness", *written]
        return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    with TemporaryFile() as output, TemporaryFile() as errors, Path(os.devnull).open("rb") as nothing:
        files = [nothing.fileno(), output.fileno(), errors.fileno()]
        code = _ended(forked(COMMAND, {"words": written}, files, cwd=cwd, env=env))
        told = []
        for file in (output, errors):
            file.seek(0)
            told.append(file.read().decode())
    return subprocess.CompletedProcess(["harness", *written], code, *told)


def _ended(process: int) -> int:
    """How a child of this process ended."""
    descriptor = os.pidfd_open(process)
    try:
        if not select.select([descriptor], [], [], LONGEST)[0]:
            os.kill(process, signal.SIGKILL)
            raise TimeoutError(f"the command did not end within {LONGEST:g} s")
    finally:
        os.close(descriptor)
        _, status = os.waitpid(process, 0)
    return os.waitstatus_to_exitcode(status)
