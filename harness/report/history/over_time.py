"""A history for the page of a run, which plots how often rules were broken."""

from __future__ import annotations

from harness.report.history.model import RunHistory
from harness.report.page import RuleCount


def over_time(history: RunHistory, target: str) -> list[RuleCount]:
    """For each run of the target, the oldest first, how many cases broke each rule; 0 is included."""
    runs = history.targets.get(target, [])
    rules = dict.fromkeys(rule for run in runs for rule in run.rules)
    return [RuleCount(run.started, rule, run.rules.get(rule, 0)) for run in runs for rule in rules]
