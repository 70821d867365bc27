"""Loops that are broken on purpose: each must be caught by the rule that it names."""

from harness.mutants.loops import LOOPS, Mutant

__all__ = ["LOOPS", "Mutant"]
