"""Workers of a cluster whose hosts import nothing: forks, as the workers themselves are (``tests/forking.py``).

A worker has threads, and cannot be forked then. So it forks a process before it has any, which starts its hosts.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from multiprocessing import util
from types import ModuleType
from typing import IO, Any
from unittest.mock import patch

from tests import fork_server, forking
from tests.fork_server import WORKER, worker_program

HERE = __name__
HOST = "harness.runner.distributed.host"


def fork_worker(path: bytes, arguments: Sequence[Any], passed: Sequence[int]) -> int:
    """In the place of ``multiprocessing.util.spawnv_passfds``: starts a worker of a cluster, which forks its hosts."""
    program = worker_program(arguments)
    if program is None:
        return forking.SPAWNED(path, arguments, passed)
    numbers = sorted(map(int, passed))
    prepared = f"from {HERE} import prepare; prepare(); {program}"
    return forking.forked(WORKER, {"program": prepared, "descriptors": numbers}, [0, 1, 2, *numbers])


def prepare() -> None:
    """Let this process, which has no thread yet, start its hosts as forks of one that it forks now."""
    from harness.runner.distributed import errand

    here, there = socket.socketpair()
    if not os.fork():
        fork_server._keep_only([0, 1, 2, there.fileno()])
        request = fork_server._await_request(there)
        if request is None:  # the worker has ended
            os._exit(0)
        fork_server._end_as(fork_server._redirected(*request))
    there.close()
    patch.object(forking, "_servers", lambda bare: (here, here)).start()  # raises where no such name is replaced
    commands = ModuleType("subprocess")
    commands.__dict__.update(vars(subprocess), Popen=ForkedHost)
    errand.subprocess = commands  # type: ignore[attr-defined]


class ForkedHost:
    """A host, as ``subprocess.Popen`` would start it: as much of it as an errand needs."""

    def __init__(self, command: Sequence[str], *, stdin: int, stdout: int, start_new_session: bool) -> None:
        if (tuple(command), stdin, stdout, start_new_session) != (
            (sys.executable, "-m", HOST),
            subprocess.PIPE,
            subprocess.PIPE,
            True,
        ):
            raise NotImplementedError(f"only hosts are forked, in a session of their own: {command}")
        read, to_host = os.pipe()
        from_host, write = os.pipe()
        request = {"program": f"from {HERE} import become_host; become_host()"}
        self.pid = forking.forked(WORKER, request, [read, write, 2])
        for each in (read, write):
            os.close(each)
        self.stdin: IO[bytes] = os.fdopen(to_host, "wb")
        self.stdout: IO[bytes] = os.fdopen(from_host, "rb")
        self.returncode: int | None = None

    def __enter__(self) -> ForkedHost:
        return self

    def __exit__(self, *_: object) -> None:
        self.stdout.close()
        self.stdin.close()
        self.wait()

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code, when it has ended."""
        if self.returncode is None:
            watched = os.pidfd_open(self.pid)
            try:
                if not select.select([watched], [], [], timeout)[0]:
                    raise subprocess.TimeoutExpired(HOST, timeout or 0.0)
            finally:
                os.close(watched)
            self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.returncode

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)


def become_host() -> None:
    """In the fork: what ``python -m`` the host would do, in a session of its own. Its worker is a fork of it."""
    from harness.runner.distributed import host

    os.setsid()
    sys.argv = [HOST]
    sys.modules["__main__"].__spec__ = find_spec(HOST)
    util.spawnv_passfds = fork_server.forking(forking.SPAWNED)  # type: ignore[attr-defined]
    host.main()
