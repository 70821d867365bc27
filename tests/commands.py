"""``harness`` commands, for tests of what a command prints and how it ends: here, or in processes of their own.

Each such process is a fork of one that has done the imports, where that is possible (``tests/forking.py``), and so are
its workers. A test whose subject is the start of the process itself starts ``python -m harness``.
"""

from __future__ import annotations

import json
import os
import select
import shlex
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, Any

import pytest

from harness.cli import main
from tests.fork_server import COMMAND
from tests.forking import POSSIBLE, forked

LONGEST = 600.0
"""Seconds after which a command hangs. Far beyond what any takes on a busy machine."""

HELLO = """\
scenario: {name}
profile: universal
summary: A short answer.
wires: {wires}
prompt: Say hello.
model:
  - text: Hello.
expect: {{outcome: completed}}
"""


def write_hello(folder: Path, *names: str, wires: str = "[anthropic-messages]") -> Path:
    """Write scenarios of a short answer into a folder, a file for each name; the folder."""
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / f"{name}.yaml").write_text(HELLO.format(name=name, wires=wires), encoding="utf-8")
    return folder


@dataclass(frozen=True)
class Printed:
    """What a command has printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def last(self) -> str:
        return self.out.splitlines()[-1]

    @property
    def lines(self) -> tuple[int, list[str], list[str]]:
        """The exit code, and the lines of standard output and of standard error."""
        return self.code, self.out.splitlines(), self.err.splitlines()


def called(captured: pytest.CaptureFixture[str], *words: object) -> Printed:
    """Call ``harness WORDS`` in this process, to its end."""
    captured.readouterr()
    with pytest.raises(SystemExit) as left:
        main([*map(str, words)])
    return Printed(int(left.value.code or 0), *captured.readouterr())


def run_harness(
    *words: str | Path,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    module: str = "harness",
    bare: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Run ``harness WORDS`` in a folder, to its end; ``env`` is its whole environment, by default that of the tests.

    ``module`` may name another command; one that is ``bare`` imports the harness itself.

    Raises ``TimeoutError`` when it does not end.
    """
    written = [str(word) for word in words]
    if not POSSIBLE:
        command = [sys.executable, "-m", module, *written]
        return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    with TemporaryFile() as output, TemporaryFile() as errors, Path(os.devnull).open("rb") as nothing:
        files = [nothing.fileno(), output.fileno(), errors.fileno()]
        code = _ended(forked(COMMAND, {"words": written, "module": module}, files, cwd=cwd, env=env, bare=bare))
        told = []
        for file in (output, errors):
            file.seek(0)
            told.append(file.read().decode())
    return subprocess.CompletedProcess([module, *written], code, *told)


def start_harness(
    *words: str | Path,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdout: int | IO[Any] | None = subprocess.PIPE,
    stderr: int | IO[Any] | None = subprocess.PIPE,
    start_new_session: bool = False,
) -> subprocess.Popen[str]:
    """Start ``harness WORDS`` and return while it runs: what it writes can be read, and it can be sent signals."""
    kind: type[subprocess.Popen[str]] = _Forked if POSSIBLE else subprocess.Popen
    return kind(
        [sys.executable, "-m", "harness", *map(str, words)],
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        text=True,
        start_new_session=start_new_session,
    )


class _Forked(subprocess.Popen[str]):
    """A ``harness`` command that is a fork of the process that has done the imports, and otherwise as any other."""

    pid: int

    def _execute_child(self, command: list[str], *rest: Any) -> None:
        """In the place of the start of a new program. What is asked for here is where ``subprocess`` passes it on."""
        (_, _, _, _, cwd, env, _, _, _, read, _, _, output, _, errors, *_, new_session, _) = rest
        files = [
            next(each for each in (file, place) if each != -1) for place, file in enumerate((read, output, errors))
        ]
        request = {"words": command[3:], "new_session": new_session}
        try:
            self.pid = forked(COMMAND, request, files, cwd=cwd, env=env)
            self._child_created = True
        finally:
            self._close_pipe_fds(*rest[9:15])  # type: ignore[attr-defined]


PROGRAM = """\
#!/bin/sh
exec {python} -ISc '{asks}' {address} "$@"
"""
ASKS = """\
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as asked:
    asked.connect(sys.argv[1])
    request = {"words": sys.argv[2:], "cwd": os.getcwd(), "env": dict(os.environ)}
    socket.send_fds(asked, [b"\\n"], [0, 1, 2])
    asked.sendall(json.dumps(request).encode())
    asked.shutdown(socket.SHUT_WR)
    sys.exit(int(asked.recv(16)))
"""


@contextmanager
def harness_program(folder: Path) -> Iterator[None]:
    """While the block runs, the program ``harness`` in a folder, for a shell, does what ``run_harness`` does."""
    program = folder / "harness"
    with TemporaryDirectory() as short:  # the address of a socket has some 100 characters at most
        address = f"{short}/asked"
        if POSSIBLE:
            text = PROGRAM.format(python=shlex.quote(sys.executable), asks=ASKS, address=shlex.quote(address))
        else:
            text = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m harness "$@"\n'
        program.write_text(text, encoding="utf-8")
        program.chmod(0o755)
        with socket.socket(socket.AF_UNIX) as requests:
            requests.bind(address)
            requests.listen()
            answering = threading.Thread(target=_answer, args=(requests,), daemon=True)
            answering.start()
            try:
                yield
            finally:
                requests.shutdown(socket.SHUT_RDWR)
                answering.join()


def _answer(requests: socket.socket) -> None:
    """Run one command after the other with the files of who asks, until nobody can ask any more."""
    while True:
        try:
            asking, _ = requests.accept()
        except OSError:
            return
        with asking, asking.makefile("rb") as read:
            _, files, _, _ = socket.recv_fds(asking, 1, 3)
            request = json.load(read)
            code = 1
            try:
                words, cwd = {"words": request["words"]}, Path(request["cwd"])
                code = _ended(forked(COMMAND, words, files, cwd=cwd, env=request["env"]))
            finally:
                for file in files:
                    os.close(file)
                with suppress(OSError):
                    asking.sendall(str(code).encode())


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
