"""Processes of Python that need import nothing: forks of one that has done the imports (``tests/fork_server.py``).

Most of the CPU time of the tests was once spent on the imports of short processes. What is started so is a child of
this process as any other, in its folder and its environment. On Linux only; elsewhere processes are started anew.
"""

from __future__ import annotations

import atexit
import ctypes
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from multiprocessing import util
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from tests.fork_server import WORKER, worker_program

__all__ = ["POSSIBLE", "SPAWNED", "fork_worker", "forked"]

POSSIBLE = sys.platform == "linux"
SPAWNED: Callable[..., int] = util.spawnv_passfds  # type: ignore[attr-defined]
"""How multiprocessing starts a worker anew."""

AT_FIRST = dict(os.environ)
"""Not what a test sets: the process that forks lives longer."""

ROOT = Path(__file__).resolve().parent.parent
SUBREAPER = 36
"""``PR_SET_CHILD_SUBREAPER`` of prctl(2): who adopts the children of a descendant that has ended."""

_adopting = threading.Lock()


def fork_worker(path: bytes, arguments: Sequence[Any], passed: Sequence[int]) -> int:
    """In the place of ``multiprocessing.util.spawnv_passfds``: starts a worker, and returns its process."""
    program = worker_program(arguments)
    if program is None:
        return SPAWNED(path, arguments, passed)
    numbers = sorted(map(int, passed))
    return forked(WORKER, {"program": program, "descriptors": numbers}, [0, 1, 2, *numbers])


def forked(
    kind: bytes,
    request: Mapping[str, Any],
    descriptors: Sequence[int],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> int:
    """Start a process of a kind, with these files. Returns its number, which is to be waited for."""
    surroundings = {"cwd": str(cwd or Path.cwd()), "env": dict(os.environ if env is None else env)}
    here, there = socket.socketpair()
    with TemporaryFile("w+", encoding="utf-8") as asked, here, there, _adopting:
        json.dump({"descriptors": [], **surroundings, **request}, asked)
        asked.seek(0)
        _adopt(True)
        try:
            socket.send_fds(_server()[0], [kind], [asked.fileno(), there.fileno(), *descriptors])
            there.close()
            return int(here.recv(16))
        finally:
            _adopt(False)


def _adopt(orphans: bool) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(SUBREAPER, int(orphans), 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


@cache
def _server() -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """The process that forks, and the connection to it, with whose end it ends."""
    here, there = socket.socketpair()
    with there:
        path = os.pathsep.join(filter(None, (str(ROOT), AT_FIRST.get("PYTHONPATH"))))
        command = [sys.executable, "-m", "tests.fork_server", str(there.fileno())]
        process = subprocess.Popen(command, cwd=ROOT, env={**AT_FIRST, "PYTHONPATH": path}, pass_fds=[there.fileno()])
    atexit.register(process.wait)
    atexit.register(here.close)
    return here, process
