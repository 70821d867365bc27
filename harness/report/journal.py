"""The journal of a run: every verdict, in the file ``journal.jsonl`` of the run's folder, as its case ends.

A run that was killed has no results.json, but it has this, and every report can be made from it. It has lines of JSON:
the first one describes the run (``JournalHead``), each that follows is a ``CaseResult`` as in results.json. If the run
has ended, the last line contains the rest of results.json.

A verdict is *acknowledged* when ``Journal.append`` returns: the operating system has it then, so that no end of the
process, ``kill -9`` included, takes it back. It is on the disk soon after: ``fsync`` takes milliseconds, so it is
called at the end, and before that as often as takes half a percent of the time of the run. A loss of power loses only
what came after the last call.

All texts are redacted (``harness/runner/redacting.py``), as in every other file of a run.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from harness.errors import BadInput, HarnessError
from harness.ground.disk import problem, put, settle
from harness.runner.network import blocked_hosts
from harness.runner.redacting import gated_values
from harness.runner.results import FORMAT, CaseResult, RunResult

JOURNAL: Final = "journal.jsonl"
"""The name of the file, in the folder of the run."""

_VERSION: Final = 1

_NAMES: Final = ("id", "scenario", "trace", "planned")
"""Members that are not redacted: the names by which a run finds its cases and their files again."""

SYNC_SHARE: Final = 0.005
"""The largest share of the run's time that is spent on waiting for the disk."""

_FIRST_SYNC: Final = 0.005
"""Seconds that the first ``fsync`` is expected to take. It happens when the run has lasted long enough for that."""


@dataclass(frozen=True, slots=True)
class JournalHead:
    """The description of a run. ``run`` is its result without cases, ``planned`` are the ids of its cases in order.

    ``plan`` is what must be unchanged for the run to be resumed, by names that users know: values, and checksums of
    files. ``allowed`` and ``network`` decide which blocked hosts are no finding (``runner/network.py``).
    """

    run: RunResult
    planned: tuple[str, ...]
    plan: Mapping[str, str] = field(default_factory=dict)
    allowed: tuple[str, ...] = ()
    network: bool = True

    def result(self, cases: Sequence[CaseResult]) -> RunResult:
        """The result of the run with only these cases, in the order of the plan."""
        by_id = {case.id: case for case in cases}
        ordered = tuple(by_id[each] for each in self.planned if each in by_id)
        return replace(
            self.run,
            cases=ordered,
            complete=len(ordered) == len(self.planned),
            blocked=blocked_hosts(ordered, self.allowed, skipped=not self.network),
        )


@dataclass(frozen=True, slots=True)
class Journaled:
    """The content of a journal.

    ``end`` is the last line: the run without its cases, None if the run was killed. ``xpassed`` are the ids of the
    cases that were ``xpass`` then. ``size`` is how many bytes can be read: after them, there is only an unfinished
    line.
    """

    head: JournalHead
    cases: tuple[CaseResult, ...]
    end: RunResult | None
    xpassed: frozenset[str]
    size: int

    @property
    def result(self) -> RunResult:
        """The result of the run, as complete as the journal is."""
        found = self.head.result(self.cases)
        if self.end is None:
            return found
        cases = [replace(case, verdict="xpass") if case.id in self.xpassed else case for case in found.cases]
        return replace(self.end, cases=tuple(cases))


class Journal:
    """A journal that is being written, by one process. ``append`` and ``end`` raise ``BadInput`` or ``Breakdown``."""

    def __init__(self, path: Path, size: int) -> None:
        """Continue the journal in a file after its first ``size`` bytes."""
        self._path = path
        self._due = time.monotonic() + _FIRST_SYNC / SYNC_SHARE
        self._synced = self._settled = False
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0))
            self._size = size
            if os.fstat(self._file).st_size != size:
                os.ftruncate(self._file, size)
        except OSError as error:
            raise problem(error, f"{path}: cannot be written") from error

    @classmethod
    def begin(cls, folder: Path, head: JournalHead) -> Journal:
        """Begin a journal in a folder; it replaces the journal of an earlier run."""
        line = _line({"journal": _VERSION, **gated_values(head, _NAMES)})
        put(folder / JOURNAL, line, synced=False)
        return cls(folder / JOURNAL, len(line))

    def append(self, result: CaseResult) -> None:
        """Add a verdict. When this returns, the end of this process cannot take it back."""
        self._write(_line({"case": gated_values(result, _NAMES)}))
        if time.monotonic() >= self._due:
            self._sync()

    def end(self, result: RunResult) -> None:
        """Add the results that are about the whole run, and flush everything to the disk."""
        xpassed = [case.id for case in result.cases if case.verdict == "xpass"]
        self._write(_line({"end": gated_values(replace(result, cases=())), "xpassed": xpassed}))
        self._sync()

    def close(self) -> None:
        """Flush everything to the disk, if that is possible, and close the file."""
        with suppress(HarnessError):
            self._sync()
        with suppress(OSError):
            os.close(self._file)

    def _write(self, line: bytes) -> None:
        left = memoryview(line)
        try:
            while left:
                left = left[os.write(self._file, left) :]
        except OSError as error:
            with suppress(OSError):  # if this fails, too, half a line stays, which readers know
                os.ftruncate(self._file, self._size)
            raise problem(error, f"{self._path}: cannot be written") from error
        self._size += len(line)
        self._synced = False

    def _sync(self) -> None:
        if self._synced:
            return
        began = time.monotonic()
        try:
            os.fsync(self._file)
            if not self._settled:
                settle(self._path.parent)
        except OSError as error:
            raise problem(error, f"{self._path}: cannot be put on the disk") from error
        self._synced = self._settled = True
        now = time.monotonic()
        self._due = now + (now - began) / SYNC_SHARE


def _line(values: Mapping[str, Any]) -> bytes:
    return json.dumps(values, separators=(",", ":")).encode() + b"\n"


def read_journal(folder: Path) -> Journaled | None:
    """The journal of a run; None if its folder has none. Raises ``BadInput`` for a file that is no journal.

    Unreadable lines at the end of the file are left out: the run was killed there.
    """
    path = folder / JOURNAL
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise problem(error, f"{path}: cannot be read") from error
    documents, size = _documents(path, content)
    return _journal_of(path, documents, size)


def _documents(path: Path, content: bytes) -> tuple[list[Any], int]:
    """The lines of a journal, and their size in bytes. Raises ``BadInput`` for an unreadable line that is not at the
    end."""
    documents: list[Any] = []
    size, torn = 0, 0
    for number, line in enumerate(content.splitlines(keepends=True), 1):
        value = _value(line)
        if value is None:
            torn = torn or number
        elif torn:
            raise BadInput(f"{path}:{torn}: expected a line of JSON, got something else with more lines behind it")
        else:
            documents.append(value)
            size += len(line)
    return documents, size


def _value(line: bytes) -> Any:
    """The object on a whole line; None for half a line, and for anything else."""
    if not line.endswith(b"\n"):
        return None
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _journal_of(path: Path, documents: Sequence[dict[str, Any]], size: int) -> Journaled:
    from pydantic import TypeAdapter, ValidationError

    head = documents[0] if documents else {}
    run = head.get("run")
    run = run if isinstance(run, dict) else {}
    if head.get("journal") != _VERSION or run.get("format") != FORMAT:
        by = run.get("harness", "an unknown version")
        raise BadInput(f"{path}: expected the journal of a run of this version, got one of {by}; read it with that one")
    try:
        cases = [each["case"] for each in documents[1:] if "case" in each]
        last = documents[-1]
        return Journaled(
            TypeAdapter(JournalHead).validate_python({name: head[name] for name in head if name != "journal"}),
            tuple(TypeAdapter(list[CaseResult]).validate_python(cases)),
            TypeAdapter(RunResult).validate_python(last["end"]) if "end" in last else None,
            TypeAdapter(frozenset[str]).validate_python(last.get("xpassed", ())),
            size,
        )
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
        where = ".".join(map(str, wrong["loc"]))
        raise BadInput(f"{path}: expected the journal of a run, got something else: {where}: {wrong['msg']}") from None
