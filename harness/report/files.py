"""The folder of a run: results.json, junit.xml, summary.md, the page, and a trace per case with what hands it over."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

from harness.errors import BadInput
from harness.report.causes import causes
from harness.report.junit import junit
from harness.report.markdown import markdown
from harness.report.older_results import FIRST_WITH_REFERENCES, upgraded
from harness.report.page import page, shown_run, trace_of, trace_script
from harness.runner.execute import Finished
from harness.runner.results import FORMAT, READABLE, RunResult
from harness.trace import dumps

__all__ = ["RunFolder", "hand_over", "read_results", "results_json", "write_file"]


class RunFolder:
    """Writes a run's files. A trace is written as its case ends, so an interrupted run keeps what it has."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def create(cls, path: Path) -> RunFolder:
        """Make the folder. Raises ``BadInput`` when that cannot be done."""
        try:
            (path / "traces").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(
                f"{path}: cannot create the results folder: {error.strerror}; choose another --out"
            ) from None
        return cls(path)

    def write_trace(self, finished: Finished) -> None:
        """Write one case's trace where its result says it is, and beside it what hands it to the page."""
        assert finished.result.trace is not None  # noqa: S101 - the runner names a file for every case
        place = self.path / finished.result.trace
        lines = dumps(finished.trace)
        # What a loop tells may hold half characters; a trace is read as it is written here.
        write_file(place, lines.encode("utf-8", "surrogatepass"))
        write_file(place.with_suffix(".js"), trace_script(lines))

    def write_results(self, result: RunResult) -> None:
        """Write all that is about the whole run, and drop what a process was writing when it was ended."""
        for draft in (self.path / "traces").glob("*.part"):
            draft.unlink()
        write_file(self.path / "results.json", results_json(result).encode())
        write_file(self.path / "junit.xml", junit(result).encode())
        write_file(self.path / "summary.md", markdown(result).encode())
        write_file(self.path / "index.html", page([shown_run(result, self.path)]).encode())


def results_json(result: RunResult) -> str:
    """results.json of a run: the run itself, and its causes (``harness.report.causes``)."""
    values = {**result.to_json(), "causes": [asdict(cause) for cause in causes(result)]}
    return json.dumps(values, indent=1) + "\n"


def read_results(path: Path) -> RunResult:
    """A run from its results.json. Raises ``BadInput`` for what is none, or one of another version."""
    from pydantic import TypeAdapter, ValidationError

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
        raise BadInput(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path}: expected results of a run, got something that is no JSON: {error}") from None


def hand_over(path: Path, result: RunResult) -> None:
    """Write anew what hands the traces of a run to its page: whoever sends somebody a run may have put there what they
    like, and the page runs it."""
    for case in result.cases:
        if (trace := trace_of(case, path)) is not None:
            lines = trace.read_bytes().decode("utf-8", "surrogatepass")
            write_file(trace.with_suffix(".js"), trace_script(lines))


def write_file(path: Path, data: bytes) -> None:
    """Replace the file in one step, so that a reader never sees half of it."""
    draft = path.with_name(path.name + ".part")
    draft.write_bytes(data)
    os.replace(draft, path)  # noqa: PTH105 - Path.replace is the same call; os.replace says that it is atomic
