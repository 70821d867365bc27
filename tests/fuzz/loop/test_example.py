"""An example as a file: written, read back, loaded as a scenario."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from harness.fuzz.loop.campaign import CAMPAIGN
from harness.fuzz.loop.example import Play, scenario_of
from harness.scenario import load

SETTINGS = settings(
    max_examples=60, deadline=None, database=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)


@SETTINGS
@given(CAMPAIGN.examples())
def test_json_round_trip(play: Play) -> None:
    assert CAMPAIGN.from_json(CAMPAIGN.to_json(play)) == play


def test_the_enumeration_round_trips() -> None:
    for play in islice(CAMPAIGN.enumerated(), 0, None, 3):
        assert CAMPAIGN.from_json(CAMPAIGN.to_json(play)) == play


def test_the_scenario_file_says_the_same(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("adopted")

    @settings(SETTINGS, max_examples=20)
    @given(CAMPAIGN.examples())
    def says_the_same(play: Play) -> None:
        files = CAMPAIGN.scenario(play, "adopted", "Something that was found.")
        assert files is not None
        (loaded,) = load([_written(folder, files)])
        said = scenario_of(play)
        assert (loaded.name, loaded.summary) == ("adopted", "Something that was found.")
        for member in ("profile", "wires", "prompt", "tools", "steps", "chunkings", "dialects", "stream", "turn_limit"):
            assert getattr(loaded, member) == getattr(said, member)

    says_the_same()


def _written(folder: Path, files: object) -> Path:
    assert isinstance(files, dict)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder / "adopted.yaml"
