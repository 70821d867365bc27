"""Runs that were written down for the sentences of rules, module by module as ``harness.rules`` has them."""

from __future__ import annotations

from harness_lab.mutants.traces.specimen import Specimen
from harness_lab.mutants.traces.specimens import first

__all__ = ["EVERY"]

EVERY: tuple[Specimen, ...] = (*first.SPECIMENS,)
"""All of them."""
