"""Conformance rules: pure functions over a trace.

judge(trace)                    every finding of every rule
judge(view, ["preview"])        of a family, a rule or a wire rule, with replies that are already known
rule("preview/prefix")          what a rule states, why, and where it comes from
"""

from harness.finding import Finding, Impact, Level, broken
from harness.rules.catalogue import FAMILIES, RULES, Selection, families, judge, rule, select
from harness.rules.model import Rule
from harness.rules.trace_view import Need, TraceView, views

__all__ = [
    "FAMILIES",
    "RULES",
    "Finding",
    "Impact",
    "Level",
    "Need",
    "Rule",
    "Selection",
    "TraceView",
    "broken",
    "families",
    "judge",
    "rule",
    "select",
    "views",
]
