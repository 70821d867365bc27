"""All broken traces, and the changes that break none, by name."""

from __future__ import annotations

from harness_lab.mutants.traces import (
    arguments,
    callers,
    endings,
    events,
    limits,
    offers,
    previews,
    replies,
    reports,
    retries,
    returned,
    silence,
)
from harness_lab.mutants.traces.mutant import EquivalentTrace, TraceMutant
from harness_lab.mutants.traces.small_run import SmallRun
from harness_lab.mutants.traces.small_runs import EVERY

TRACES: dict[str, TraceMutant] = {
    mutant.name: mutant
    for mutants in (
        events.MUTANTS,
        previews.MUTANTS,
        limits.MUTANTS,
        reports.MUTANTS,
        reports.CONCURRENT,
        offers.MUTANTS,
        replies.MUTANTS,
        endings.MUTANTS,
        retries.MUTANTS,
        silence.MUTANTS,
        arguments.MUTANTS,
        returned.MUTANTS,
        callers.MUTANTS,
    )
    for mutant in mutants
}
"""Every breakage of a trace."""

EQUIVALENT_TRACES: dict[str, EquivalentTrace] = {
    equivalent.name: equivalent
    for equivalents in (
        limits.EQUIVALENTS,
        endings.EQUIVALENTS,
        previews.EQUIVALENTS,
        reports.EQUIVALENTS,
        offers.EQUIVALENTS,
        replies.EQUIVALENTS,
        retries.EQUIVALENTS,
        silence.EQUIVALENTS,
        arguments.EQUIVALENTS,
        returned.EQUIVALENTS,
    )
    for equivalent in equivalents
}
"""Every harmless change of a trace."""

SMALL_RUNS: dict[str, SmallRun] = {small_run.name: small_run for small_run in EVERY}
"""Every run that was written down for a sentence of a rule."""
