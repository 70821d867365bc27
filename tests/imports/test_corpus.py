"""Recorded traffic: every loop replays through the reference adapters, or says why not."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from harness.wire import NativeWireName
from tests.corpus.shared_exchanges import exchanges
from tests.imports.replaying import replayed_exchanges

REPLAYED = {"openai-responses": 172, "openai-chat": 243, "anthropic-messages": 89, "gemini-generate": 100}
"""Loops of each wire that replayed when this was written: fewer would mean that loops are no longer found."""


@pytest.mark.anyio
@pytest.mark.parametrize("wire", list(REPLAYED))
async def test_recorded_loops_replay(wire: NativeWireName, shared: Path) -> None:
    outcomes, _ = await replayed_exchanges(exchanges(shared, wire))
    failed = [(each.loop.name, each.findings) for each in outcomes if each.verdict == "failed"]
    assert failed == []
    verdicts = Counter(each.verdict for each in outcomes)
    assert verdicts["replayed"] + verdicts["differs"] >= REPLAYED[wire]
    assert verdicts["replayed"] >= 16
