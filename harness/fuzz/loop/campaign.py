"""The campaign: whole runs of a loop, on all wires, checked by the rules and compared with each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from harness.fuzz.campaign import Campaign
from harness.fuzz.loop.document import document, play_of, written
from harness.fuzz.loop.example import Play
from harness.fuzz.loop.features import FEATURES, features_of
from harness.fuzz.loop.kinds import enumerated
from harness.fuzz.loop.oracles import ORACLES, hold, hold_to_the_library
from harness.fuzz.loop.smaller import smaller
from harness.fuzz.loop.stage import LoopSubject, opened

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


def _examples() -> SearchStrategy[Play]:
    from harness.fuzz.loop.drawn import plays

    return plays()


def _check(play: Play, subject: LoopSubject) -> int:
    """Run the play on every wire and compare the runs (``Campaign.check``)."""
    runs = subject.run(play)
    hold(play, runs, subject.expected, strictly=subject.ours)
    beside = subject.of_the_library(play)
    hold_to_the_library(runs, beside)
    return len(runs) + len(beside)


def _scenario(play: Play, name: str, summary: str) -> Mapping[str, str] | None:
    text = written(document(play, name, summary))
    return None if text is None else {f"{name}.yaml": text}


CAMPAIGN: Final[Campaign[Play, LoopSubject]] = Campaign(
    name="loop",
    summary="whole runs of a loop against scripted models, on every wire",
    signature="a target as 'harness run --target' takes it",
    oracles=ORACLES,
    features=FEATURES,
    budget={"ci": 150, "nightly": 50_000},
    chunk=50,
    open=opened,
    enumerated=enumerated,
    examples=_examples,
    check=_check,
    features_of=features_of,
    smaller=smaller,
    to_json=document,
    from_json=play_of,
    scenario=_scenario,
)
"""A scripted model plays against a loop, which is any target of ``harness run``."""
