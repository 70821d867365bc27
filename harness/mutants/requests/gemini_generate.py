"""Requests of this wire, broken on purpose."""

from __future__ import annotations

from harness.mutants.requests.mutant import Mutant, Variant
from harness.mutants.requests.specimens import Specimen

__all__ = ["MUTANTS", "SPECIMENS", "VARIANTS"]

SPECIMENS: tuple[Specimen, ...] = ()
MUTANTS: tuple[Mutant, ...] = ()
VARIANTS: tuple[Variant, ...] = ()
