"""The examples that Hypothesis makes."""

from __future__ import annotations

from hypothesis import strategies as st

from harness.fuzz.arguments.example import ArgumentsExample
from harness.fuzz.strategies.arguments import argument_texts
from harness.fuzz.strategies.splits import sizes

__all__ = ["drawn"]


def drawn() -> st.SearchStrategy[ArgumentsExample]:
    return st.builds(ArgumentsExample, argument_texts(), sizes())
