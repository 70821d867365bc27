"""Runs that were written down for the sentences of rules, by what they are about."""

from __future__ import annotations

from harness_lab.mutants.traces.specimen import Specimen
from harness_lab.mutants.traces.specimens import ended, schemas, sent, shown, told

__all__ = ["EVERY"]

EVERY: tuple[Specimen, ...] = (*schemas.SPECIMENS, *told.SPECIMENS, *sent.SPECIMENS, *ended.SPECIMENS, *shown.SPECIMENS)
"""All of them."""
