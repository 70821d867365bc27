"""Recorded traffic: loops replay through the reference adapters, or say why not."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from harness.imports import find_loops
from harness.wire import NativeWireName
from tests.imports.replaying import replayed_exchanges
from tests.recorded.corpus.shared_exchanges import exchanges

FOUND = {"openai-responses": 199, "openai-chat": 286, "anthropic-messages": 106, "gemini-generate": 110}
"""Loops of each wire that were found when this was written: fewer would mean that loops are no longer found."""

EVERY = 3
"""One loop in so many is replayed: the recordings of one program stand next to each other."""


@pytest.mark.sampled(4)
@pytest.mark.anyio
@pytest.mark.parametrize("wire", list(FOUND))
async def test_recorded_loops_replay(wire: NativeWireName, shared: Path) -> None:
    found, _ = find_loops(exchanges(shared, wire))
    assert len(found) >= FOUND[wire]
    outcomes, _ = await replayed_exchanges(exchanges(shared, wire), every=EVERY)
    failed = [(each.happened.name, each.differences) for each in outcomes if each.verdict == "differs"]
    assert failed == []
    verdicts = Counter(each.verdict for each in outcomes)
    assert verdicts["agrees"] + verdicts["explained"] >= 0.8 * len(outcomes)
    assert verdicts["agrees"] >= 5
