"""The folder of a run: its journal, results.json, junit.xml, summary.md, the page, and for each case a trace and the
script that loads it into the page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Final

from harness.errors import BadInput
from harness.ground.disk import DRAFT, locked, make_folder, problem, put
from harness.report.causes import causes
from harness.report.formats.junit import junit
from harness.report.formats.markdown import markdown
from harness.report.journal import JOURNAL, Journal, JournalHead, read_journal
from harness.report.older_results import FIRST_WITH_REFERENCES, upgraded
from harness.report.page import page, shown_run, trace_of, trace_script
from harness.runner.execute import Finished
from harness.runner.redacting import redacted_run
from harness.runner.results import FORMAT, READABLE, RunResult
from harness.trace import dumps

_REPORTS: Final = ("results.json", "junit.xml", "summary.md", "index.html")
_LOCK: Final = ".lock"


class RunFolder:
    """Writes a run's files. Each trace is written when its case ends, so an interrupted run keeps its traces so far.

    Its methods raise ``BadInput`` or ``Breakdown`` if they cannot write.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def create(cls, path: Path) -> RunFolder:
        """Make the folder."""
        try:
            (path / "traces").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            found = problem(error, f"{path}: cannot create the results folder")
            raise BadInput(f"{found}; choose another --out") if isinstance(found, BadInput) else found from None
        return cls(path)

    @classmethod
    def unused(cls, reports: Path) -> RunFolder:
        """Make a folder with a new name, made of the time. Two runs that begin in the same second get two folders."""
        make_folder(reports, f"{reports}: cannot create the folder of results; choose another one with --out")
        stem = f"run-{datetime.now(UTC):%Y%m%d-%H%M%S}"
        for number in count(1):
            path = reports / (stem if number == 1 else f"{stem}-{number}")
            try:
                path.mkdir()
            except FileExistsError:
                continue
            except OSError as error:
                raise problem(error, f"{path}: cannot create the results folder") from error
            break
        return cls.create(path)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other runs out of the folder while the block runs: their results would mix."""
        with locked(self.path / _LOCK, partial(_taken, self.path), str(self.path)):
            yield

    def begin(self, head: JournalHead) -> Journal:
        """Begin the journal of a run, which replaces the journal of an earlier one, and ``clear`` the folder."""
        self._remove(*_REPORTS)
        return Journal.begin(self.path, head)

    def clear(self) -> None:
        """Remove the reports of an earlier run in this folder, which are no longer true."""
        self._remove(*_REPORTS, JOURNAL)

    def _remove(self, *names: str) -> None:
        for name in names:
            try:
                (self.path / name).unlink(missing_ok=True)
            except OSError as error:
                raise problem(error, f"{self.path / name}: cannot be removed, and is of an earlier run") from error

    def write_trace(self, finished: Finished) -> None:
        """Write one case's trace to the place in its result, and next to it the script that loads it into the page."""
        assert finished.result.trace is not None  # noqa: S101 - the runner names a file for every case
        place = self.path / finished.result.trace
        lines = dumps(finished.trace)
        # What a loop emits may have half characters; a trace is read as it is written here.
        put(place, lines.encode("utf-8", "surrogatepass"), synced=False)
        put(place.with_suffix(".js"), trace_script(lines), synced=False)

    def write_results(self, result: RunResult) -> None:
        """Write all files about the whole run, and remove what a process was writing when it was killed."""
        result = redacted_run(result)
        for draft in (self.path / "traces").glob(f".*{DRAFT}"):
            with suppress(OSError):  # it is in nobody's way
                draft.unlink()
        put(self.path / "results.json", results_json(result).encode())
        put(self.path / "junit.xml", junit(result).encode(), synced=False)
        put(self.path / "summary.md", markdown(result).encode(), synced=False)
        put(self.path / "index.html", page([shown_run(result, self.path)]).encode(), synced=False)


def _taken(folder: Path, process: int | None) -> str:
    by = "another run" if process is None else f"another run (process {process})"
    return f"{folder}: {by} is writing to this folder; wait until it has ended, or choose another --out"


def results_json(result: RunResult) -> str:
    """results.json of a run: the run itself, and its causes (``harness.report.causes``)."""
    values = {**result.to_json(), "causes": [asdict(cause) for cause in causes(result)]}
    return json.dumps(values, indent=1) + "\n"


def read_results(path: Path) -> RunResult:
    """A run from its results.json. If that was never written, the part of the run that is in the journal beside it.

    Raises ``BadInput`` for a file that is no results.json, or one of another version.
    """
    from pydantic import TypeAdapter, ValidationError

    if not path.exists() and (journaled := read_journal(path.parent)) is not None:
        return journaled.result
    values = _json_of(path)
    version = values.get("format", FORMAT) if isinstance(values, dict) else FORMAT
    if version not in READABLE:
        raise BadInput(f"{path}: expected results in format {FORMAT}, got format {version}; run again")
    try:
        return TypeAdapter(RunResult).validate_python(upgraded(values) if version < FIRST_WITH_REFERENCES else values)
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
        where = ".".join(map(str, wrong["loc"]))
        raise BadInput(f"{path}: expected results of a run, got something else: {where}: {wrong['msg']}") from None


def _json_of(path: Path) -> Any:
    """The file's JSON, read by the standard library: pydantic refuses half characters, which findings may quote."""
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise problem(error, f"{path}: cannot be read") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path}: expected results of a run, got something that is no JSON: {error}") from None


def hand_over(path: Path, result: RunResult) -> None:
    """Write the scripts anew that load the traces into the page. The page executes them, and whoever has sent the run
    may have changed them."""
    for case in result.cases:
        if (trace := trace_of(case, path)) is not None:
            lines = trace.read_bytes().decode("utf-8", "surrogatepass")
            put(trace.with_suffix(".js"), trace_script(lines), synced=False)
