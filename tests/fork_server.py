"""Starts processes as forks of this one, which has done the imports (``tests/forking.py``).

Two kinds: a command, ``harness`` or another, and a worker of ``multiprocessing``, which reads what it is to do as if it
were new.
"""

from __future__ import annotations

import atexit
import fcntl
import gc
import json
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from importlib import import_module
from importlib.util import find_spec
from multiprocessing import util
from pathlib import Path
from runpy import run_module
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any, NoReturn

COMMAND, WORKER = b"c", b"w"
MOST_DESCRIPTORS = 64

# What most processes import. What is not here is imported by each that needs it.
PRELOADED = (
    "harness.baseline",
    "harness.cli.fuzz_run",
    "harness.cli.drive",
    "harness.fuzz.search",
    "harness.endpoint.server",
    "harness.report.files",
    "harness.report.page",
    "harness.report.terminal",
    "harness.doctor",
    "harness.runner.distributed.host",
    "harness.runner.execute",
    "harness.runner.network",
    "harness.targets.command.target",
    "harness.targets.function",
    "harness.loop.sessions.anthropic_messages.session",
    "harness.loop.sessions.gemini_generate.session",
    "harness.loop.sessions.openai_chat.session",
    "harness.loop.sessions.openai_responses.session",
    "distributed.nanny",
    "pytest",
)
# What they import of others'.
FOREIGN = ("anyio", "asyncio", "h11", "httpx2", "jsonschema", "jsonschema_rs", "pydantic", "yaml")


def main() -> None:
    """``BARE SERVER``: whether nothing of the harness is imported, and the two sockets on which is asked for processes.

    On the second one for those that find what the first process has run something without: packages that are installed
    for them alone.
    """
    signal.pthread_sigmask(signal.SIG_SETMASK, [])  # who asks for the first process may block signals at the moment
    is_bare = sys.argv[1] == "bare"
    for name in FOREIGN if is_bare else PRELOADED:
        with suppress(ImportError):  # of an extra that is not installed
            import_module(name)
    warm, cold = (socket.socket(fileno=int(number)) for number in sys.argv[2:4])
    is_warm = not is_bare and not os.fork()
    if is_warm:
        warm_up()
    mine, others = (warm, cold) if is_warm or is_bare else (cold, warm)
    others.close()
    gc.freeze()
    with mine:
        request = _await_request(mine)
    if request is not None:
        _end_as(_redirected(*request))


def warm_up() -> None:
    """Run a case on each wire, so that what a first case reads, imports and builds is there."""
    from harness.cli import main
    from tests.scenarios import remember_shipped_scenarios

    remember_shipped_scenarios()
    with (
        TemporaryDirectory() as folder,
        Path(os.devnull).open("w", encoding="utf-8") as nothing,
        redirect_stdout(nothing),
        redirect_stderr(nothing),
        suppress(SystemExit),
    ):
        main(["run", "--suite", "core", "-k", "one-call", "-j", "1", "--out", f"{folder}/out"])
    import_module("harness.runner.redacting")._set_redactor.cache_clear()  # it knows the secrets of this environment


def _await_request(requests: socket.socket) -> tuple[bytes, Sequence[int]] | None:
    """What a new process is to do, in that process; None in this one, at the end of the tests."""
    while True:
        kind, descriptors, _, _ = socket.recv_fds(requests, 1, MOST_DESCRIPTORS)
        if not kind:
            return None
        told = descriptors[1]
        here, there = os.pipe()
        between = os.fork()
        if not between:
            process = os.fork()
            if not process:
                return kind, descriptors
            os.write(there, str(process).encode())
            os._exit(0)
        os.waitpid(between, 0)  # who has asked is now the parent of the process
        os.write(told, os.read(here, 16))
        for descriptor in (*descriptors, here, there):
            os.close(descriptor)


def _redirected(kind: bytes, descriptors: Sequence[int]) -> Callable[[], None]:
    """Read the request, and put the files of the process in their places. It has no others."""
    with open(descriptors[0], encoding="utf-8", closefd=False) as file:
        request: dict[str, Any] = json.load(file)
    places = [0, 1, 2, *request["descriptors"]]
    above = max(places) + 1
    moved = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, above) for descriptor in descriptors[2:]]
    for descriptor, place in zip(moved, places, strict=True):
        os.dup2(descriptor, place)
    _keep_only(places)
    os.chdir(request["cwd"])
    if request.get("new_session"):
        os.setsid()
    os.environ.clear()
    os.environ.update(request["env"])
    sys.stdin = sys.__stdin__ = open(0, closefd=False)  # noqa: SIM115 - as an interpreter opens them
    sys.stdout = sys.__stdout__ = open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = sys.__stderr__ = open(2, "w", 1, errors="backslashreplace", closefd=False)  # noqa: SIM115
    if kind == WORKER:
        return lambda: _work(request["program"])
    return lambda: _command(request["words"], request["cwd"], request.get("module", "harness"))


def _install(folders: Iterable[str]) -> None:
    """Find what is in these folders, too. A wire among it is not found: its name is part of models that are made."""
    if added := list(folders):
        sys.path[1:1] = added
        import_module("harness.plugins")._installed.cache_clear()


def _keep_only(places: Sequence[int]) -> None:
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208 - no more than that is needed right after a fork
        if int(name) not in places:
            with suppress(OSError):  # the one that has read the folder
                os.close(int(name))


def _command(words: list[str], folder: str, module: str) -> None:
    """As ``python -m MODULE`` would, ``harness`` as a rule, also for the workers that multiprocessing starts for it."""
    sys.argv = [module, *words]
    sys.path[0] = folder
    _install(each for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each not in ("", *sys.path))
    sys.modules["__main__"] = ModuleType("__main__")
    sys.modules["__main__"].__spec__ = find_spec("harness.__main__")
    util.spawnv_passfds = forking(util.spawnv_passfds)  # type: ignore[attr-defined]
    if module == "harness":
        import_module("harness.cli").main()
    else:
        run_module(module, run_name="__main__")


def forking(spawn: Callable[..., int]) -> Callable[..., int]:
    """Starts a program as ``multiprocessing`` does; a worker as a fork of this process, which is its parent then."""

    def start(path: bytes, arguments: Sequence[Any], passed: Sequence[int]) -> int:
        program = worker_program(arguments)
        if program is None:
            return spawn(path, arguments, passed)
        process = os.fork()
        if process:
            return process
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        _keep_only([0, 1, 2, *map(int, passed)])
        _end_as(lambda: _work(program))

    return start


def worker_program(arguments: Sequence[Any]) -> str | None:
    """What a worker of ``multiprocessing`` is to run; None if something else is to be started."""
    texts = [os.fsdecode(argument) for argument in arguments]
    return texts[texts.index("-c") + 1] if texts[-1] == "--multiprocessing-fork" else None


def _work(program: str) -> None:
    sys.argv = ["-c", "--multiprocessing-fork"]
    sys.modules["__main__"] = ModuleType("__main__")
    exec(program, {})  # noqa: S102 - what multiprocessing would have a new interpreter run


def _end_as(become: Callable[[], None]) -> NoReturn:
    """Run it and end the process as Python does, but for taking the interpreter apart, which takes half a second."""
    code = 0
    try:
        become()
    except SystemExit as end:
        if isinstance(end.code, str):
            sys.stderr.write(f"{end.code}\n")
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - as the interpreter does
        sys.excepthook(*sys.exc_info())
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
