"""The fake against reality: do the renderers of the wires write what providers write?

A sample of everything that the fake model can say is compared with recordings, in its shape and not in its values:
which events there are and which may follow which, which members they have and of what type, which headers come.

    sample            what is rendered: turns, the requests that they answer, errors
    shapes            what is rendered and what was recorded, by its shapes
    known, features   why something is rendered that is not recorded, and the other way round
    verdict, report   the comparison, and what it came to
"""

from __future__ import annotations

from harness.cassette.forms import Shape, shapes_of
from harness_lab.recorded.drift.features import FEATURES, feature
from harness_lab.recorded.drift.known import KNOWN, known
from harness_lab.recorded.drift.report import report
from harness_lab.recorded.drift.sample import sample
from harness_lab.recorded.drift.shapes import ENOUGH, ServedShapes, Shapes, of_recordings, of_sample, served_shapes
from harness_lab.recorded.drift.verdict import Drift, judge
from harness_lab.recorded.reading.servers import Server, ServerResponse, read_responses

__all__ = [
    "ENOUGH",
    "FEATURES",
    "KNOWN",
    "Drift",
    "ServedShapes",
    "Server",
    "ServerResponse",
    "Shape",
    "Shapes",
    "feature",
    "judge",
    "known",
    "of_recordings",
    "of_sample",
    "read_responses",
    "report",
    "sample",
    "served_shapes",
    "shapes_of",
]
