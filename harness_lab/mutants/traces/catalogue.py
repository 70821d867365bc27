"""All broken traces, and the changes that break none, by name."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from harness_lab.mutants.traces import (
    arguments,
    callers,
    endings,
    events,
    limits,
    offers,
    parsers,
    previews,
    reports,
    retries,
    returned,
    silence,
)
from harness_lab.mutants.traces.mutant import EquivalentTrace, TraceMutant
from harness_lab.mutants.traces.mutant_files import read_mutants
from harness_lab.mutants.traces.small_run import SmallRun
from harness_lab.mutants.traces.small_runs import EVERY, WORDS, words_of

_MODULES: Final = (
    *(arguments, callers, endings, events, limits, offers, parsers, previews, reports, retries, returned, silence),
)
_FILES: Final = (
    *("events", "previews", "limits", "reports", "offers", "replies", "endings", "retries", "silence"),
    *("arguments", "returned", "callers"),
)
"""In the order in which pairs of mutants are made of them."""

_WRITTEN: Final = [
    each
    for name in _FILES
    for each in read_mutants(Path(__file__).with_name(f"{name}.yaml"), {**WORDS, **words_of(*_MODULES)})
]

TRACES: dict[str, TraceMutant] = {each.name: each for each in _WRITTEN if isinstance(each, TraceMutant)}
"""Every breakage of a trace."""

EQUIVALENT_TRACES: dict[str, EquivalentTrace] = {
    each.name: each for each in _WRITTEN if isinstance(each, EquivalentTrace)
}
"""Every harmless change of a trace."""

SMALL_RUNS: dict[str, SmallRun] = {small_run.name: small_run for small_run in EVERY}
"""Every run that was written down for a sentence of a rule."""
