"""The examples that Hypothesis makes."""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st

from harness.fuzz.arguments.example import ArgumentsExample
from harness.fuzz.strategies.arguments import argument_texts
from harness.fuzz.strategies.malformed import malformed_arguments
from harness.fuzz.strategies.schemas import tool_arguments
from harness.fuzz.strategies.splits import sizes

_SCHEMA: Final = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "content": {"type": "string"},
        "edits": {"type": "array", "items": {"type": "object", "properties": {"content": {"type": "string"}}}},
        "count": {"type": ["integer", "null"]},
        "mode": {"enum": ["path", "content", "all"]},
    },
    "required": ["content"],
}


def drawn() -> st.SearchStrategy[ArgumentsExample]:
    """Mostly free-form objects; also a tool's arguments, and texts that are no JSON. A delta may be empty."""
    texts = st.one_of(argument_texts(), argument_texts(), malformed_arguments(), tool_arguments(_SCHEMA))
    return st.builds(ArgumentsExample, texts, st.one_of(sizes(), st.sampled_from([(1,), (2,), (0, 3), (1, 0, 7)])))
