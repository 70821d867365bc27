"""Starts ``harness`` commands as forks of this process, which need import nothing (``tests/commands.py``)."""

from __future__ import annotations

import gc
import json
import os
import socket
import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

# What most commands import. What is not here is imported by each that needs it.
PRELOADED = (
    "harness.baseline",
    "harness.cli.fuzz",
    "harness.cli.run",
    "harness.fuzz.search",
    "harness.gateway.server",
    "harness.report.files",
    "harness.report.page",
    "harness.report.terminal",
    "harness.runner.calibration",
    "harness.runner.execute",
    "harness.runner.network",
    "harness.targets.command",
    "harness.targets.function",
)


def main() -> None:
    for name in PRELOADED:
        import_module(name)
    gc.freeze()
    with socket.socket(fileno=int(sys.argv[1])) as requests:
        request = _await_request(requests)
    if request is not None:
        _become(request)
        import_module("harness.cli").main()


def _await_request(requests: socket.socket) -> dict[str, Any] | None:
    """What a command is to do, in its own process; None in this one, at the end of the tests."""
    while True:
        message, descriptors, _, _ = socket.recv_fds(requests, 1, 4)
        if not message:
            return None
        request, output, errors, told = descriptors
        command = os.fork()
        if not command:
            return _redirected(request, output, errors)
        _, status = os.waitpid(command, 0)
        os.write(told, str(os.waitstatus_to_exitcode(status)).encode())
        for descriptor in descriptors:
            os.close(descriptor)


def _redirected(request: int, output: int, errors: int) -> dict[str, Any]:
    """The request, read where the standard streams are those of the command. No other program inherits the rest."""
    with open(request, encoding="utf-8") as file:
        loaded: dict[str, Any] = json.load(file)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, descriptor in enumerate((nothing, output, errors)):
        os.dup2(descriptor, number)
    return loaded


def _become(request: dict[str, Any]) -> None:
    """The surroundings of ``python -m harness``, also for the workers that multiprocessing starts for it."""
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    sys.argv = ["harness", *request["words"]]
    sys.path[0] = request["cwd"]
    sys.modules["__main__"] = ModuleType("__main__")
    sys.modules["__main__"].__spec__ = find_spec("harness.__main__")


if __name__ == "__main__":
    main()
