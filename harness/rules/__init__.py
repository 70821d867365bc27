"""Conformance rules: pure functions over a trace.

judge(trace)                    every finding of every rule
judge(reading, ["preview"])     of a family, a rule or a wire rule, with replies that are already known
rule("preview/prefix")          what a rule states, why, and where it comes from
"""

from harness.rules.catalogue import FAMILIES, RULES, Selection, families, judge, rule, select
from harness.rules.model import Breach, Finding, Impact, Level, Rule
from harness.rules.trace_view import Need, TraceView, readings

__all__ = [
    "FAMILIES",
    "RULES",
    "Breach",
    "Finding",
    "Impact",
    "Level",
    "Need",
    "Rule",
    "Selection",
    "TraceView",
    "families",
    "judge",
    "readings",
    "rule",
    "select",
]
