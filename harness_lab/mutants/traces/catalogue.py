"""All broken traces, and the changes that break none, by name."""

from __future__ import annotations

from harness_lab.mutants.traces import endings, given, limits, previews, replies, retries, returned, silence, telling
from harness_lab.mutants.traces.mutant import TraceMutant, TraceVariant

__all__ = ["TRACES", "TRACE_VARIANTS"]

TRACES: dict[str, TraceMutant] = {
    mutant.name: mutant
    for mutants in (
        telling.MUTANTS,
        previews.MUTANTS,
        limits.MUTANTS,
        replies.MUTANTS,
        endings.MUTANTS,
        retries.MUTANTS,
        silence.MUTANTS,
        given.MUTANTS,
        returned.MUTANTS,
    )
    for mutant in mutants
}
"""Every breakage of a trace."""

TRACE_VARIANTS: dict[str, TraceVariant] = {
    variant.name: variant
    for variants in (
        endings.VARIANTS,
        previews.VARIANTS,
        replies.VARIANTS,
        retries.VARIANTS,
        silence.VARIANTS,
        given.VARIANTS,
        returned.VARIANTS,
    )
    for variant in variants
}
"""Every harmless change of a trace."""
