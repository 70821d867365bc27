"""Runs that were written down for the sentences of rules, by what they are about."""

from __future__ import annotations

from harness_lab.mutants.traces.small_run import SmallRun
from harness_lab.mutants.traces.small_runs import (
    agui,
    cancelled,
    declarations,
    edges,
    ended,
    in_order,
    in_series,
    last_turns,
    limits,
    matched,
    reported,
    results,
    returned,
    schemas,
    seconds,
    sent,
    several_acts,
    shortcuts,
    shown,
    sockets,
    switches,
    totals,
    turns,
    user_messages,
    values,
    whole,
)

__all__ = ["EVERY"]

EVERY: tuple[SmallRun, ...] = (
    *schemas.SMALL_RUNS,
    *reported.SMALL_RUNS,
    *totals.SMALL_RUNS,
    *sent.SMALL_RUNS,
    *values.SMALL_RUNS,
    *ended.SMALL_RUNS,
    *limits.SMALL_RUNS,
    *returned.SMALL_RUNS,
    *shown.SMALL_RUNS,
    *cancelled.CANCELLED,
    *user_messages.USER_MESSAGES,
    *several_acts.SEVERAL_ACTS,
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
