"""A user's subject: a Python function by its name, or a command that answers a line of JSON with another."""

from __future__ import annotations

import importlib
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from harness.errors import BadInput
from harness.targets.environment import without_own

ANSWER = 10.0
"""Seconds that a command has for its answer, even if the process of the fuzzer hangs meanwhile."""


class Crashed(Exception):
    """A command did not answer: it ended, was silent for too long, or wrote something other than a JSON object."""


def function(target: str, signature: str) -> Callable[..., Any]:
    """The function that ``package.module:function`` names. ``signature`` is its expected form, for the message.

    Raises ``BadInput`` if there is none. If the import of the module raises, the message contains that.
    """
    module, _, name = target.partition(":")
    if not (module and name):
        raise BadInput(f"--target {target!r}: expected package.module:function or cmd:COMMAND; {signature}")
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, here)
    try:
        found = getattr(importlib.import_module(module), name, None)
    except Exception as error:  # a user's module may raise anything
        raise BadInput(f"--target {target}: importing {module!r} failed: {type(error).__name__}: {error}") from error
    if not callable(found):
        raise BadInput(f"--target {target}: {module!r} has no function {name!r}; expected {signature}")
    return found  # type: ignore[no-any-return]  # what a name of another module holds is not known


class CommandSubject:
    """A program in any language: for each example it reads one line of JSON and answers with one.

    It is started once, and again after a crash; its standard error is passed on. It sees no secret of the environment.
    """

    def __init__(self, command: str, signature: str) -> None:
        self._words = shlex.split(command)
        self._signature = signature
        self._process: subprocess.Popen[str] | None = None
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        if not self._words:
            raise BadInput(f"--target cmd: expected a command behind it; {signature}")
        self._ensure_process()

    def ask(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """The program's answer. Raises ``Crashed`` if there is none."""
        process = self._ensure_process()
        assert process.stdin is not None  # noqa: S101 - it was started with a pipe
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            line = self._lines.get(timeout=ANSWER)
        except (OSError, Empty) as silent:
            self.close()
            raise Crashed(f"no answer within {ANSWER:g} s" if isinstance(silent, Empty) else str(silent)) from silent
        if line is None:
            status = process.wait()
            self.close()
            raise Crashed(f"it ended with exit code {status}")
        return _object(line)

    def close(self) -> None:
        """End the program."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    pipe.close()
            self._process = None

    def _ensure_process(self) -> subprocess.Popen[str]:
        if self._process is None:
            try:
                self._process = subprocess.Popen(  # noqa: S603 - the user's own command
                    self._words,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                    encoding="utf-8",
                    env=without_own(os.environ, "harness"),
                )
            except OSError as error:
                raise BadInput(f"--target cmd:{shlex.join(self._words)}: {error}; {self._signature}") from error
            self._lines = SimpleQueue()
            Thread(target=_read, args=(self._process, self._lines), daemon=True).start()
        return self._process


def _read(process: subprocess.Popen[str], lines: SimpleQueue[str | None]) -> None:
    assert process.stdout is not None  # noqa: S101 - it was started with a pipe
    try:
        for line in process.stdout:
            lines.put(line)
    except (OSError, ValueError):  # closed while it was read
        pass
    lines.put(None)


def _object(line: str) -> Mapping[str, Any]:
    try:
        answer = json.loads(line)
    except ValueError as error:
        raise Crashed(f"it wrote what is no JSON ({error}): {line[:80]!r}") from error
    if not isinstance(answer, dict):
        raise Crashed(f"it wrote what is no JSON object: {line[:80]!r}")
    return answer
