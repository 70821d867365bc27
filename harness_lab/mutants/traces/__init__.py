"""Runs that are broken on purpose once they are recorded: each in one thing, and each names the rule that must see it.

draft           a trace, for somebody to change
edits           the simplest changes; conversations has those of what goes back to the model, parsers those of previews
mutant          breakages of a trace, and changes that break nothing
mutant_files    the breakages and changes as the files of this folder have them
plain, small_run, small_runs   runs that are written down, each for one sentence of a rule
stated.json     digests of what is found in them, to the word
catalogue       all of them
"""

from harness_lab.mutants.traces.catalogue import EQUIVALENT_TRACES, SMALL_RUNS, TRACES
from harness_lab.mutants.traces.mutant import Edit, EquivalentTrace, TraceMutant, both, changed
from harness_lab.mutants.traces.small_run import SmallRun

__all__ = [
    "EQUIVALENT_TRACES",
    "SMALL_RUNS",
    "TRACES",
    "Edit",
    "EquivalentTrace",
    "SmallRun",
    "TraceMutant",
    "both",
    "changed",
]
