"""An example as a file: loaded as a scenario."""

from __future__ import annotations

from pathlib import Path

from harness.fuzz.loop.campaign import CAMPAIGN
from harness.fuzz.loop.example import scenario_of
from tests.fuzz.adopted import SUMMARY, written
from tests.fuzz.examples import drawn


def test_the_scenario_file_says_the_same(tmp_path: Path) -> None:
    for play in drawn(CAMPAIGN, 20, seed=1):
        (loaded,) = written(CAMPAIGN, tmp_path, [play])
        said = scenario_of(play)
        assert (loaded.name, loaded.summary) == ("found-0", SUMMARY)
        for member in ("profile", "wires", "prompt", "tools", "steps", "chunkings", "dialects", "stream", "turn_limit"):
            assert getattr(loaded, member) == getattr(said, member)
