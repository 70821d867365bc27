"""Declared tests: what a scenario file says, checked and compiled, and how a trace is held against it.

``load`` reads files, ``compare`` judges. Importing this package imports no YAML, no pydantic and no jsonschema;
they come with the first ``load``. The format is described in docs/scenarios.md.
"""

from harness.scenario.automaton import EventExpression
from harness.scenario.expectations import Mismatch, compare
from harness.scenario.loader import load, outline, shipped
from harness.scenario.model import (
    CHUNKINGS,
    PROFILES,
    Chunking,
    Cut,
    Expect,
    ExpectedError,
    FinalExpect,
    HttpErrorStep,
    Outcome,
    Outline,
    Scenario,
    Step,
    Tool,
    TurnStep,
)
from harness.scenario.tools import CANONICAL

__all__ = [
    "CANONICAL",
    "CHUNKINGS",
    "PROFILES",
    "Chunking",
    "Cut",
    "EventExpression",
    "Expect",
    "ExpectedError",
    "FinalExpect",
    "HttpErrorStep",
    "Mismatch",
    "Outcome",
    "Outline",
    "Scenario",
    "Step",
    "Tool",
    "TurnStep",
    "compare",
    "load",
    "outline",
    "shipped",
]
