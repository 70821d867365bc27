"""Foreign recordings as replayable cases.

recordings    cassettes, responses and corpora of others, in one form
loops         which of their exchanges are one loop
links         how such a loop goes on from step to step, and why it cannot be replayed
replay        the reference adapters go on from the recorded responses as the recorded loop did
continued     what they send beside what it sent, with reasons; judging: under the rules of the wire
writing       what is replayed, as cassettes and scenarios of ours
"""

from __future__ import annotations

from harness.imports.loops import Outside, RecordedLoop, find_loops
from harness.imports.obstacles import OBSTACLES
from harness.imports.reasons import DIFFERENCES
from harness.imports.replay import Replayer
from harness.imports.report import report
from harness.imports.writing import UNWRITTEN, Writer, Written

__all__ = [
    "DIFFERENCES",
    "OBSTACLES",
    "UNWRITTEN",
    "Outside",
    "RecordedLoop",
    "Replayer",
    "Writer",
    "Written",
    "find_loops",
    "report",
]
