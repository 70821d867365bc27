"""Recorded runs of a real loop, and measured cases of a program that calls tools in text.

expressible(runs)            those that can be put in our trace form; traces_of(runs) does it
against_reference(runs)      where the reference loop differs on the same scripts, and which reason explains it
against_rules(runs)          what the rules find in them, and which reason explains it
against_text_cases(cases)    where our text protocol differs from the program, and which reason explains it
"""

from harness_lab.recorded.golden.comparison import against_reference, against_rules
from harness_lab.recorded.golden.imported import expressible, traces_of
from harness_lab.recorded.golden.text_cases import CASES, against_text_cases, read_text_cases

__all__ = [
    "CASES",
    "against_reference",
    "against_rules",
    "against_text_cases",
    "expressible",
    "read_text_cases",
    "traces_of",
]
