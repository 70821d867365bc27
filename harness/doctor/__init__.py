"""Calibration: a few cases that every correct loop passes test the driver, before the loop is judged.

A driver is what somebody writes to connect a loop with the harness: a function of the case, or a program. Where it is
wrong (it sends no system prompt, it emits texts under wrong ids ...), every loop behind it would look wrong. ``cases``
are the scenarios, ``probing`` runs them and finds the wires that the loop speaks, ``checks`` judges the results.
"""

from harness.doctor.checks import CHECKS, Check, named
from harness.doctor.probing import Calibration, calibrate, probes, unspoken

__all__ = ["CHECKS", "Calibration", "Check", "calibrate", "named", "probes", "unspoken"]
