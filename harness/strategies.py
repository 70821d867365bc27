"""Hypothesis strategies for what models and servers send, for tests of your own. They need the extra ``fuzz``.

from hypothesis import given
from harness.strategies import argument_texts, pieces, sizes

@given(argument_texts(), sizes())
def test_my_parser(text, sizes):
    for delta in pieces(text, sizes):
        ...

docs/fuzzing.md lists them.
"""

from __future__ import annotations

from harness.fuzz.strategies.arguments import argument_texts
from harness.fuzz.strategies.damage import damage
from harness.fuzz.strategies.events import broken_event_streams, event_streams
from harness.fuzz.strategies.malformed import malformed_arguments
from harness.fuzz.strategies.requests import loops
from harness.fuzz.strategies.schemas import tool_arguments
from harness.fuzz.strategies.scripts import scripts
from harness.fuzz.strategies.splits import pieces, sizes
from harness.fuzz.strategies.sse import FAULTS, sse_streams
from harness.fuzz.strategies.text_tags import answers, deltas
from harness.fuzz.strategies.turns import turns

__all__ = [
    "FAULTS",
    "answers",
    "argument_texts",
    "broken_event_streams",
    "damage",
    "deltas",
    "event_streams",
    "loops",
    "malformed_arguments",
    "pieces",
    "scripts",
    "sizes",
    "sse_streams",
    "tool_arguments",
    "turns",
]
