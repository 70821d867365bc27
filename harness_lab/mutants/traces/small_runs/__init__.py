"""Runs that were written down for the sentences of rules, by what they are about."""

from __future__ import annotations

from harness_lab.mutants.traces.small_run import SmallRun
from harness_lab.mutants.traces.small_runs import (
    acts,
    agui,
    declarations,
    edges,
    ended,
    in_order,
    in_series,
    last_turns,
    matched,
    reported,
    results,
    schemas,
    seconds,
    sent,
    shortcuts,
    shown,
    sockets,
    switches,
    turns,
    whole,
)

__all__ = ["EVERY"]

EVERY: tuple[SmallRun, ...] = (
    *schemas.SMALL_RUNS,
    *reported.SMALL_RUNS,
    *sent.SMALL_RUNS,
    *ended.SMALL_RUNS,
    *shown.SMALL_RUNS,
    *acts.ACTS,
    *switches.SWITCHES,
    *sockets.SOCKETS,
    *agui.AGUI,
    *edges.EDGES,
    *matched.MATCHED,
    *declarations.DECLARATIONS,
    *whole.WHOLE,
    *seconds.SECONDS,
    *turns.TURNS,
    *in_order.IN_ORDER,
    *last_turns.LAST_TURNS,
    *in_series.IN_SERIES,
    *results.RESULTS,
    *shortcuts.SHORTCUTS,
)
"""All of them."""
