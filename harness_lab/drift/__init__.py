"""The fake against reality: do the renderers of the wires write what providers write?

A sample of everything that the fake model can say is compared with recordings, in its shape and not in its values:
which events there are and which may follow which, which members they have and of what type, which headers come.

    shape             what a response is made of
    sample            what is rendered: turns, the requests that they answer, errors
    recordings        what is real, and whose server sent it
    comparison        the one against the other
    known, features   why something is rendered that is not recorded, and the other way round
    verdict, report   the comparison with these reasons laid beside it
"""

from __future__ import annotations

from harness.recording.forms import Shape, shapes_of
from harness_lab.drift.comparison import ENOUGH, Comparison, Shapes, comparisons, of_recordings, of_sample
from harness_lab.drift.features import FEATURES, Feature
from harness_lab.drift.known import KNOWN, Known
from harness_lab.drift.recordings import Recording, Server, read_recordings
from harness_lab.drift.report import report
from harness_lab.drift.sample import Sampled, sample
from harness_lab.drift.verdict import Verdict, judge

__all__ = [
    "ENOUGH",
    "FEATURES",
    "KNOWN",
    "Comparison",
    "Feature",
    "Known",
    "Recording",
    "Sampled",
    "Server",
    "Shape",
    "Shapes",
    "Verdict",
    "comparisons",
    "judge",
    "of_recordings",
    "of_sample",
    "read_recordings",
    "report",
    "sample",
    "shapes_of",
]
