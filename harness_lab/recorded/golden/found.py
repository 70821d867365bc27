"""The findings of the rules in the recorded engine, and why. Every reason but the first is a bug of the engine."""

from __future__ import annotations

from pathlib import Path

from harness.imports.comparison import Reason
from harness_lab.recorded.golden.happened import PlayedRun
from harness_lab.recorded.golden.reasons import read_reasons

FOUND: tuple[Reason[PlayedRun], ...] = read_reasons(Path(__file__).with_suffix(".yaml"))
