"""The campaign: whole runs of a loop, on all wires, checked by the rules and compared with each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar

from harness.fuzz.campaign import Campaign, Profile
from harness.fuzz.loop.document import document, play_of, written
from harness.fuzz.loop.example import Play
from harness.fuzz.loop.features import FEATURES, features
from harness.fuzz.loop.kinds import enumerated
from harness.fuzz.loop.oracles import ORACLES, hold, hold_to_the_library
from harness.fuzz.loop.smaller import smaller
from harness.fuzz.loop.stage import LoopSubject, opened
from harness.trace import JsonValue

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


class LoopCampaign(Campaign[Play, LoopSubject]):
    """A scripted model plays against a loop, which is any target of ``harness run``."""

    name: ClassVar[str] = "loop"
    summary: ClassVar[str] = "whole runs of a loop against scripted models, on every wire"
    signature: ClassVar[str] = "a target as 'harness run --target' takes it"
    oracles: ClassVar[Mapping[str, str]] = ORACLES
    features: ClassVar[tuple[str, ...]] = FEATURES
    budget: ClassVar[Mapping[Profile, int]] = {"ci": 150, "nightly": 50_000}
    chunk: ClassVar[int] = 50

    def open(self, target: str | None) -> LoopSubject:
        """A target by its name, the reference loop if it is None. Raises ``BadInput`` for an unknown one."""
        return opened(target)

    def enumerated(self) -> Iterator[Play]:
        """Yield the examples that every campaign begins with, always the same."""
        return enumerated()

    def examples(self) -> SearchStrategy[Play]:
        """Return the strategy that draws random examples."""
        from harness.fuzz.loop.drawn import plays

        return plays()

    def check(self, example: Play, subject: LoopSubject) -> int:
        """Run the play on every wire and compare the runs.

        Returns the number of runs; raises ``Falsified`` for a mistake.
        """
        runs = subject.run(example)
        hold(example, runs, subject.expected, strictly=subject.ours)
        beside = subject.of_the_library(example)
        hold_to_the_library(runs, beside)
        return len(runs) + len(beside)

    def features_of(self, example: Play) -> Iterable[str]:
        """Return the features of the grammar that the example has, for the coverage."""
        return set(features(example))

    def smaller(self, example: Play) -> Iterator[Play]:
        """Yield simpler examples, the simplest first. Shrinking keeps one that still fails."""
        return smaller(example)

    def to_json(self, example: Play) -> Mapping[str, JsonValue]:
        """Return the example as the JSON of a reproducer."""
        return document(example)

    def from_json(self, document: Mapping[str, JsonValue]) -> Play:
        """Return the example of a reproducer. Raises ``ValueError`` for what is none."""
        return play_of(document)

    def scenario(self, example: Play, name: str, summary: str) -> Mapping[str, str] | None:
        """Return the files of a scenario with this example by their names; None if it cannot be scripted."""
        text = written(document(example, name, summary))
        return None if text is None else {f"{name}.yaml": text}
