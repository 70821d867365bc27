"""Lets each call to the system that changes a folder fail, or be the last one of the process.

Installed in a process of its own, before a command runs in it. It counts the calls that write, make, replace, remove or
open something below one folder, and those that start a process; at the call with a given number it strikes. Only this
process, or only those that it forks, as ``within`` says.
"""

from __future__ import annotations

import builtins
import errno
import io
import multiprocessing.util
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

Operation = Literal["write", "open", "fsync", "replace", "mkdir", "rmdir", "unlink", "truncate", "fork"]

DIED: Final = 137
"""How a process ends that is killed here: as after SIGKILL, without a word to anybody."""

ONCE: Final = ("ENOSPC", "EIO", "EINTR", "EMFILE")
"""Errors of one call; those that follow succeed."""

FOR_GOOD: Final = ("ENOSPC for good", "EIO for good", "EMFILE for good")
"""Errors of the call and of all of its kind that follow, as of a disk that is full and stays so."""

KILLS: Final = ("killed before", "killed in the middle", "killed after")
FORKS: Final = ("EAGAIN", "ENOMEM", "EAGAIN for good", "killed before", "killed after")

_HIT: Final[dict[str, frozenset[str]]] = {
    "ENOSPC": frozenset({"write", "open", "fsync", "replace", "mkdir", "truncate"}),
    "EIO": frozenset({"write", "open", "fsync", "replace", "mkdir", "rmdir", "unlink", "truncate"}),
    "EMFILE": frozenset({"open"}),
    "EAGAIN": frozenset({"fork"}),
}
"""Which calls an error hits that stays."""


def strikes_at(operation: str) -> tuple[str, ...]:
    """What can happen at a call."""
    if operation == "fork":
        return FORKS
    kills = KILLS if operation == "write" else (KILLS[0], KILLS[2])
    return (*ONCE, *FOR_GOOD, *(("ENOSPC in the middle",) if operation == "write" else ()), *kills)


@dataclass(frozen=True, slots=True)
class Strike:
    """What happens, and at the call with which number, from 0."""

    number: int
    how: str

    @property
    def error(self) -> OSError:
        code = getattr(errno, self.how.split()[0])
        return OSError(code, os.strerror(code))


@dataclass
class Faults:
    """``seen`` is given each call (operation and name) as it is made; ``strike`` None only counts.

    ``below``: calls about other folders are left alone.
    """

    below: Path
    seen: Callable[[str, str], None]
    strike: Strike | None = None
    within: Literal["this", "forked"] = "this"
    count: int = 0
    struck: bool = False
    process: int = field(default_factory=os.getpid)

    def __post_init__(self) -> None:
        self._root = str(self.below.resolve())
        self._write = os.write

    def call(self, operation: Operation, about: object, work: Callable[[], Any]) -> Any:
        """Make the call, or what is to happen in its place. Returns what the call returns."""
        if not self._counts(about):
            return work()
        name = self._name(about)
        number, self.count = self.count, self.count + 1
        self.seen(operation, name)
        if self.strike is None or not self._hits(operation, number):
            return work()
        self.struck = True
        if not self.strike.how.startswith("killed"):
            raise self.strike.error
        if self.strike.how == "killed after":
            work()
        os._exit(DIED)

    def writes(self, about: object, data: Any, write: Callable[[Any], int]) -> int:
        """The same for a call that writes: it may write the half of it."""
        middle = self.strike is not None and self.strike.how.endswith("in the middle")
        if middle and self._counts(about) and self.strike is not None and self.count == self.strike.number:
            write(memoryview(data).cast("B")[: memoryview(data).nbytes // 2])
        result: int = self.call("write", about, lambda: write(data))
        return result

    def _counts(self, about: object) -> bool:
        return self._name(about) is not None and (os.getpid() == self.process) is (self.within == "this")

    def _hits(self, operation: str, number: int) -> bool:
        assert self.strike is not None
        if self.strike.how.endswith("for good"):
            return number >= self.strike.number and operation in _HIT[self.strike.how.split()[0]]
        return number == self.strike.number

    def _name(self, about: object) -> str | None:
        """The path below the folder; None for one elsewhere. What is about no file is about a process."""
        if about is None:
            return "a process"
        try:
            if isinstance(about, int):
                path = os.readlink(f"/proc/self/fd/{about}")  # noqa: PTH115
            else:
                path = os.path.abspath(os.fspath(about))  # type: ignore[call-overload]  # noqa: PTH100
        except (OSError, TypeError):
            return None
        return path[len(self._root) + 1 :] if path.startswith(f"{self._root}/") else None

    def install(self) -> None:
        """From now on every such call of this process, and of those that it forks, is counted."""
        for name, operation in _FUNCTIONS.items():
            setattr(os, name, self._wrapped(getattr(os, name), operation))
        os.write = self._writing(os.write)  # type: ignore[assignment]
        io.open = builtins.open = self._opening(io.open)  # type: ignore[assignment]
        fork = self._wrapped(subprocess._fork_exec, "fork")  # type: ignore[attr-defined]
        subprocess._fork_exec = fork  # type: ignore[attr-defined]
        start = self._wrapped(multiprocessing.util.spawnv_passfds, "fork")  # type: ignore[attr-defined]
        multiprocessing.util.spawnv_passfds = start  # type: ignore[attr-defined]

    def _wrapped(self, work: Callable[..., Any], operation: Operation) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            return self.call(
                operation, None if operation == "fork" else arguments[0], lambda: work(*arguments, **named)
            )

        return call

    def _writing(self, work: Callable[[int, Any], int]) -> Callable[[int, Any], int]:
        return lambda file, data: self.writes(file, data, lambda part: work(file, part))

    def _opening(self, work: Callable[..., Any]) -> Callable[..., Any]:
        def opened(file: Any, mode: str = "r", buffering: int = -1, *more: Any, **named: Any) -> Any:
            if self._name(file) is None:
                return work(file, mode, buffering, *more, **named)
            if not set(mode) & set("wax+"):
                return self.call("open", file, lambda: work(file, mode, buffering, *more, **named))
            raw = self.call("open", file, lambda: _Watched(self, file, mode.replace("b", "").replace("t", "")))
            if buffering == 0:
                return raw
            buffered = io.BufferedWriter(raw)
            return buffered if "b" in mode else io.TextIOWrapper(buffered, *more, **named)

        return opened


class _Watched(io.FileIO):
    """A file whose writes are counted."""

    def __init__(self, faults: Faults, file: Any, mode: str) -> None:
        super().__init__(file, mode)
        self._faults = faults

    def write(self, data: Any, /) -> int:
        return self._faults.writes(self.fileno(), data, super().write)


_FUNCTIONS: Final[dict[str, Operation]] = {
    "open": "open",
    "fsync": "fsync",
    "replace": "replace",
    "rename": "replace",
    "mkdir": "mkdir",
    "rmdir": "rmdir",
    "unlink": "unlink",
    "remove": "unlink",
    "ftruncate": "truncate",
    "truncate": "truncate",
}
