"""Recorded runs of a real loop: imported as traces, held against the reference loop and against the rules.

read_recordings(folder)          the recordings of a folder (``form`` says what one is)
traces_of(recordings)            the recordings in our trace form
against_reference(recordings)    where the reference loop differs on the same scripts, and whether that is listed
against_rules(recordings)        what the rules find in them, and whether that is listed

Beside recordings there are measured cases of one program (``text_cases``): ``read_text_cases``, ``against_text_cases``.
"""

from harness_lab.golden.comparison import against_reference, against_rules
from harness_lab.golden.form import Recording, read_recordings
from harness_lab.golden.imported import traces_of
from harness_lab.golden.reasons import Account, Observation, Reason
from harness_lab.golden.text_cases import CASES, TextCase, against_text_cases, read_text_cases

__all__ = [
    "CASES",
    "Account",
    "Observation",
    "Reason",
    "Recording",
    "TextCase",
    "against_reference",
    "against_rules",
    "against_text_cases",
    "read_recordings",
    "read_text_cases",
    "traces_of",
]
