"""Foreign recordings as replayable cases.

recordings    cassettes, responses and corpora of others, in one form
loops         which of their exchanges are one loop
links         how such a loop goes on from step to step, and what stands in the way of a replay
replay        the reference adapters, given the recorded responses, go on as the recorded loop did
comparison    what they send held against what it sent; judging: held against the rules of the wire
writing       what is replayed, as cassettes and scenarios of ours
"""

from __future__ import annotations

from harness_lab.imports.loops import Loop, Outside, find_loops
from harness_lab.imports.outcome import DIFFERENCES, OBSTACLES, Finding, Outcome
from harness_lab.imports.recordings import Recordings, read_recordings
from harness_lab.imports.replay import Replayer
from harness_lab.imports.report import report
from harness_lab.imports.writing import UNWRITTEN, Writer, Written

__all__ = [
    "DIFFERENCES",
    "OBSTACLES",
    "UNWRITTEN",
    "Finding",
    "Loop",
    "Outcome",
    "Outside",
    "Recordings",
    "Replayer",
    "Writer",
    "Written",
    "find_loops",
    "read_recordings",
    "report",
]
