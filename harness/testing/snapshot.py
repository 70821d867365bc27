"""The fixture ``trace_snapshot``: traces in files, without values that are new in every run."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from typing import Any

from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from harness.trace import Trace
from harness.trace.canonical import canonical

_AROUND = 1
"""Lines that are shown before and after a difference; pytest cuts what is longer than eight."""


class TraceSnapshot(SingleFileSnapshotExtension):
    """One file of JSON Lines for each trace, a line for each record."""

    _write_mode = WriteMode.TEXT
    file_extension = "jsonl"

    def serialize(self, data: object, **_: Any) -> str:
        """The trace in its canonical form. Raises ``TypeError`` for anything else."""
        if not isinstance(data, Trace):
            raise TypeError(f"trace_snapshot compares traces (model.trace, harness_case.trace), got {data!r:.80}")
        return "".join(f"{line}\n" for line in canonical(data))

    def diff_lines(self, serialized_data: Any, snapshot_data: Any) -> Iterator[str]:
        """The difference, with one JSON value per line: a record is often too long to read."""
        before, now = _spelt_out(snapshot_data), _spelt_out(serialized_data)
        yield from list(difflib.unified_diff(before, now, n=_AROUND, lineterm=""))[2:]


def _spelt_out(lines: str) -> list[str]:
    records = [json.dumps(json.loads(line), indent=1, sort_keys=True) for line in (lines or "").splitlines()]
    return [line for record in records for line in record.splitlines()]
