"""All broken traces, and the changes that break none, by name."""

from __future__ import annotations

from harness.mutants.traces import endings, limits, previews, replies, retries, telling
from harness.mutants.traces.mutant import TraceMutant, TraceVariant

__all__ = ["TAKEN_BACK", "TRACES", "TRACE_VARIANTS"]

TRACES: dict[str, TraceMutant] = {
    mutant.name: mutant
    for mutants in (
        telling.MUTANTS,
        previews.MUTANTS,
        limits.MUTANTS,
        replies.MUTANTS,
        endings.MUTANTS,
        retries.MUTANTS,
    )
    for mutant in mutants
}
"""Every breakage of a trace."""

TRACE_VARIANTS: dict[str, TraceVariant] = {
    variant.name: variant
    for variants in (previews.VARIANTS, replies.VARIANTS, retries.VARIANTS)
    for variant in variants
}
"""Every harmless change of a trace."""

TAKEN_BACK: dict[frozenset[str], str] = {
    frozenset({"first-turn-for-the-last", "asked-on-after-the-output"}): (
        "a run that ends at the turn whose call was its output is right"
    ),
    frozenset({"pause-for-an-end", "paused-beyond-the-limit"}): (
        "the run ends at its limit; that it does so in silence is another mistake"
    ),
}
"""Pairs of which one mistake takes the other back, and why: together they are not found by what they name."""
