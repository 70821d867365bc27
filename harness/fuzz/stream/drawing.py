"""The examples that Hypothesis makes."""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st

from harness.fuzz.strategies.splits import sizes
from harness.fuzz.strategies.sse import StreamFault, variations
from harness.fuzz.strategies.turns import turns
from harness.fuzz.stream.dialects import DIALECTS, FUZZED
from harness.fuzz.stream.example import StreamExample, sent
from harness.wire import Turn, WireName

_WITHOUT_ID: Final[tuple[str | None, ...]] = (None, "")
"""Older servers of these wires send calls without an id; on the others the id is what a result names."""


_MAY_LACK_IDS: Final = frozenset({"openai-chat", "gemini-generate"})
"""Wires on which some servers send calls without an id."""


def stream_examples() -> st.SearchStrategy[StreamExample]:
    """Any turn on any wire, spelled and cut in any way; every third with a fault."""
    return st.sampled_from(FUZZED).flatmap(lambda wire: _ON[wire])


@st.composite
def _on(draw: st.DrawFn, wire: WireName) -> StreamExample:
    turn = draw(_TURNS_WITHOUT_ID if wire in _MAY_LACK_IDS else _TURNS)
    varied = draw(variations(DIALECTS[wire].legal))
    kind = draw(_FAULTS[wire])
    if kind is None:
        return StreamExample(wire, turn, varied, None, draw(_SIZES))
    whole = sent(StreamExample(wire, turn, varied))
    longest = len(whole.body) if kind == "cut" else len(whole.events)
    at = 0 if kind in ("no end", "end twice") else draw(st.integers(0, max(longest - 1, 0)))
    return StreamExample(wire, turn, varied, StreamFault(kind, at), draw(_SIZES))


_TURNS: Final[st.SearchStrategy[Turn]] = turns()
_TURNS_WITHOUT_ID: Final[st.SearchStrategy[Turn]] = turns(ids=_WITHOUT_ID)
_FAULTS: Final = {wire: st.sampled_from((None,) * 10 + dialect.faults) for wire, dialect in DIALECTS.items()}
_SIZES: Final = sizes()
_ON: Final = {wire: _on(wire) for wire in FUZZED}
