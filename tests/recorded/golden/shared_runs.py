"""The shared recordings of the real loop beside the reference loop, compared once for all tests."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from harness.imports.comparison import RecordedComparison
from harness_lab.recorded.golden import against_reference
from harness_lab.recorded.golden.happened import PlayedRun
from harness_lab.recorded.reading.golden import read_runs


@cache
def compared(folder: Path, *, habits: bool = False) -> Sequence[RecordedComparison[PlayedRun]]:
    """Every recording in a folder; with the engine's ``habits`` no difference is explained."""
    runs = read_runs(folder)
    alike = against_reference(runs, (), habits=True) if habits else against_reference(runs)
    return asyncio.run(alike)
