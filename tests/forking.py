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
    bare: bool = False,
) -> int:
    """Start a process of a kind, with these files. Returns its number, which is to be waited for.

    A ``bare`` one has imported no module of the harness, so that it finds the wires that are installed for it.
    """
    surroundings = {"cwd": str(cwd or Path.cwd()), "env": dict(os.environ if env is None else env)}
    here, there = socket.socketpair()
    with TemporaryFile("w+", encoding="utf-8") as asked, here, there, _adopting:
        json.dump({"descriptors": [], **surroundings, **request}, asked)
        asked.seek(0)
        _adopt(True)
        try:
            warm, cold = _servers(bare)
            server = cold if _is_added(surroundings["env"]) and not bare else warm
            socket.send_fds(server, [kind], [asked.fileno(), there.fileno(), *descriptors])
            there.close()
            return int(here.recv(16))
        finally:
            _adopt(False)


def _adopt(orphans: bool) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(SUBREAPER, int(orphans), 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


@cache
def _servers(bare: bool) -> tuple[socket.socket, socket.socket]:
    """The connections to the two processes that fork, with whose end they end: the second has run nothing yet."""
    pairs = [socket.socketpair() for _ in range(2)]
    here, there = zip(*pairs, strict=True)
    path = os.pathsep.join(filter(None, (str(ROOT), AT_FIRST.get("PYTHONPATH"))))
    numbers = [each.fileno() for each in there]
    command = [sys.executable, "-m", "tests.fork_server", "bare" if bare else "whole", *map(str, numbers)]
    process = subprocess.Popen(command, cwd=ROOT, env={**AT_FIRST, "PYTHONPATH": path}, pass_fds=numbers)
    for each in there:
        each.close()
    atexit.register(process.wait)
    for each in here:
        atexit.register(each.close)
    return here


def _is_added(env: Mapping[str, str]) -> bool:
    """Whether a process has an import path of its own, on which packages may be that add to the harness."""
    return any(each not in ("", str(ROOT)) for each in env.get("PYTHONPATH", "").split(os.pathsep))
