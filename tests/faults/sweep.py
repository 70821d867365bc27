"""Runs a command once for each call and each thing that can happen there, and collects what is wrong then.

Every run is a fork of this process, in a copy of a folder. The process must have no threads.
"""

from __future__ import annotations

import gc
import os
import platform
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from io import FileIO, TextIOWrapper
from pathlib import Path
from typing import Final, Literal, Protocol

from tests import fork_server
from tests.faults.injection import DIED, Faults, Strike, strikes_at

_SEEN: Final = "seen"
_IMPORTED: Final[set[str]] = set()
"""Commands whose modules this process has imported."""


@dataclass(frozen=True)
class Ended:
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str


class Command(Protocol):
    """A command that is swept. ``words`` are its command line, in the folder that ``prepare`` has filled."""

    @property
    def name(self) -> str: ...

    @property
    def words(self) -> Sequence[str]: ...

    @property
    def within(self) -> Literal["this", "forked"]: ...

    def prepare(self, folder: Path) -> None:
        """Fill the folder with what is there before."""

    def set_up(self) -> None:
        """In the process of the command, before it runs."""

    def wrong(self, ended: Ended, folder: Path, before: Path, whole: Path) -> list[str]:
        """What is wrong in ``folder`` after a strike; ``before`` is as it was, ``whole`` as it is without one."""


@dataclass
class Swept:
    """What came of a sweep: how many ``calls`` a run makes by operation, the number of ``strikes``, by the exit code
    how many runs ended so, and what was wrong."""

    name: str
    calls: Counter[str]
    strikes: int = 0
    codes: Counter[int] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)


def warm_up() -> None:
    """Run a case on each wire here, so that what a first case reads, imports and builds is there for all forks.

    What an SDK asks a program for once in a process, it asks in each of them: such a call is to be struck, too.
    """
    fork_server.warm_up()
    # platform has no public way to forget what the system has answered
    platform._uname_cache = None  # type: ignore[attr-defined]
    platform._platform_cache.clear()  # type: ignore[attr-defined]
    for name in ("anthropic", "openai"):
        import_module(f"{name}._base_client").platform_headers.cache_clear()


def sweep(command: Command, place: Path, *, every: int = 1, first: int = 0) -> Swept:
    """Strike at every call in every way; with ``every`` only at each so-manieth strike, from the ``first``."""
    before, whole = place / "before", place / "whole"
    before.mkdir(parents=True)
    command.prepare(before)
    calls = _calls(command, before, whole)
    gc.freeze()
    swept = Swept(command.name, Counter(operation for operation, _ in calls))
    strikes = [Strike(number, how) for number, (operation, _) in enumerate(calls) for how in strikes_at(operation)]
    for number, strike in enumerate(strikes):
        if number % every == first % every:
            folder = place / f"{number}"
            shutil.copytree(before, folder)
            result = _run(command, folder, strike)
            swept.strikes += 1
            swept.codes[result.code] += 1
            where = f"{command.name}: {strike.how} at call {strike.number} ({' '.join(calls[strike.number])})"
            found = [*_common(strike, result), *command.wrong(result, folder, before, whole)]
            swept.problems += [f"{where}: {each}" for each in found]
            if not found:
                shutil.rmtree(folder)
    return swept


def _calls(command: Command, before: Path, whole: Path) -> list[tuple[str, str]]:
    """The calls of a run without a strike, which leaves its folder for comparison."""
    shutil.copytree(before, whole)
    seen = whole.with_name(_SEEN)
    result = _run(command, whole, None, seen)
    assert result.code == 0, result
    lines = [line.split(" ", 1) for line in seen.read_text(encoding="utf-8").splitlines()]
    return [(operation, name) for operation, name in lines]


def _run(command: Command, folder: Path, strike: Strike | None, seen: Path | None = None) -> Ended:
    def become() -> None:
        command.set_up()
        write = os.write

        def note(operation: str, name: str) -> None:
            if seen is not None:  # opened each time: a worker keeps no file of its parent
                log = os.open(seen, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
                write(log, f"{operation} {name}\n".encode())
                os.close(log)

        Faults(folder, note, strike, command.within).install()

    return ended(command.words, folder, become)


def _common(strike: Strike, result: Ended) -> list[str]:
    """What is wrong whatever the command is."""
    problems = []
    if "Traceback" in result.out + result.err:
        problems.append(f"a traceback on the terminal: {result.out}{result.err}")
    if result.code == 3 and not any(
        word in result.out + result.err for word in ("error: ", ": not recorded", " error")
    ):
        problems.append(f"exit code 3 without a word: {result}")
    if result.code not in ((0, 3, DIED) if strike.how.startswith("killed") else (0, 3)):
        problems.append(f"exit code {result.code}: {result.err or result.out}")
    return problems


def ended(words: Sequence[str], folder: Path, become: Callable[[], None] = lambda: None) -> Ended:
    """Run ``harness WORDS`` in a folder, in a fork of this process, in which ``become`` is called before.

    What the first run of a command has imported, this process imports for those that follow.
    """
    from harness.cli import main

    modules = None if words[0] in _IMPORTED else folder.with_name("modules")
    out, err = folder.with_name(f"{folder.name}.out"), folder.with_name(f"{folder.name}.err")
    process = os.fork()
    if not process:
        code = 1
        try:
            for number, file in ((1, out), (2, err)):
                opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
                os.dup2(opened, number)
                os.close(opened)
            sys.stdout = TextIOWrapper(FileIO(1, "w", closefd=False), write_through=True)  # type: ignore[type-var]
            sys.stderr = TextIOWrapper(FileIO(2, "w", closefd=False), write_through=True)  # type: ignore[type-var]
            os.chdir(folder)
            become()
            main(words)
        except SystemExit as left:
            code = int(left.code or 0)
        except BaseException:  # noqa: BLE001 - the parent sees it in what was printed
            sys.excepthook(*sys.exc_info())
        finally:
            if modules:
                modules.write_text("\n".join(sys.modules), encoding="utf-8")
            os._exit(code)
    _, status = os.waitpid(process, 0)
    if modules:
        _IMPORTED.add(words[0])
        for name in modules.read_text(encoding="utf-8").split():
            with suppress(Exception):  # one that is there for another platform, or was made by hand
                import_module(name)
    texts = [file.read_bytes().decode(errors="replace") for file in (out, err)]
    for file in (out, err):
        file.unlink()
    return Ended(os.waitstatus_to_exitcode(status), *texts)
