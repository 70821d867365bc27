"""Recorded runs of a real loop: imported as traces, held against the reference loop and against the rules.

read_recordings(folder)          the recordings of a folder (``form`` says what one is)
traces_of(recordings)            the recordings in our trace form
against_reference(recordings)    where the reference loop differs on the same scripts, and whether that is listed
against_rules(recordings)        what the rules find in them, and whether that is listed
"""

from harness.golden.comparison import against_reference, against_rules
from harness.golden.form import Recording, read_recordings
from harness.golden.imported import traces_of
from harness.golden.reasons import Account, Observation, Reason

__all__ = [
    "Account",
    "Observation",
    "Reason",
    "Recording",
    "against_reference",
    "against_rules",
    "read_recordings",
    "traces_of",
]
