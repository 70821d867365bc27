"""``harness`` commands as processes of their own, for tests that are about what a command prints and how it ends.

Most of the CPU time of a short command is spent on imports. Here each is a fork of a process that has done them
(``tests/command_server.py``), where a process can be forked. A test whose subject is the start of the process itself,
or a signal, starts ``python -m harness``.
"""

from __future__ import annotations

import atexit
import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile

__all__ = ["run_harness"]

ROOT = Path(__file__).resolve().parent.parent
LONGEST = 600.0
"""Seconds after which a command hangs. Far beyond what any takes on a busy machine."""


def run_harness(
    *words: str | Path, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run ``harness WORDS`` in a folder, to its end; ``env`` is its whole environment, by default that of the tests.

    Raises ``TimeoutError`` when it does not end.
    """
    request = {
        "words": [str(word) for word in words],
        "cwd": str(cwd or Path.cwd()),
        "env": dict(os.environ if env is None else env),
    }
    if not hasattr(os, "fork"):
        command = [sys.executable, "-m", "harness", *request["words"]]
        return subprocess.run(command, cwd=cwd, env=request["env"], capture_output=True, text=True, check=False)
    with TemporaryFile("w+", encoding="utf-8") as asked, TemporaryFile() as output, TemporaryFile() as errors:
        json.dump(request, asked)
        asked.seek(0)
        code = _ended([asked.fileno(), output.fileno(), errors.fileno()])
        told = []
        for file in (output, errors):
            file.seek(0)
            told.append(file.read().decode())
    return subprocess.CompletedProcess(["harness", *request["words"]], code, *told)


def _ended(descriptors: list[int]) -> int:
    """How the command ended that was asked for in the first of these, and writes to the others."""
    here, there = socket.socketpair()
    with here, there:
        socket.send_fds(_server()[0], [b"."], [*descriptors, there.fileno()])
        there.close()
        here.settimeout(LONGEST)
        return int(here.recv(16))


@cache
def _server() -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """The process that forks the commands, and the connection to it, with whose end it ends."""
    here, there = socket.socketpair()
    with there:
        path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        command = [sys.executable, "-m", "tests.command_server", str(there.fileno())]
        process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": path}, pass_fds=[there.fileno()])
    atexit.register(process.wait)
    atexit.register(here.close)
    return here, process
