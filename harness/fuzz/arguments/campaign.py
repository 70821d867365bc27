"""The campaign ``arguments``: partial parsing of a tool call's arguments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar

from harness.fuzz.arguments import example as examples
from harness.fuzz.arguments.checking import check
from harness.fuzz.arguments.drawn import drawn
from harness.fuzz.arguments.example import ArgumentsExample
from harness.fuzz.arguments.features import FEATURES, features_of
from harness.fuzz.arguments.judging import ORACLES
from harness.fuzz.arguments.nasty import enumerated
from harness.fuzz.arguments.scenario import scenario
from harness.fuzz.arguments.smaller import smaller
from harness.fuzz.arguments.subjects import SIGNATURE, Parser, by_name
from harness.fuzz.campaign import Campaign, Profile

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from harness.trace import JsonValue


class ArgumentsCampaign(Campaign[ArgumentsExample, Parser]):
    """What a parser shows of arguments that are still arriving, compared with the final result of ``json.loads``."""

    name: ClassVar[str] = "arguments"
    summary: ClassVar[str] = "partial parsing of tool-call arguments: any text, in any deltas"
    signature: ClassVar[str] = SIGNATURE
    oracles: ClassVar[Mapping[str, str]] = ORACLES
    features: ClassVar[tuple[str, ...]] = FEATURES
    budget: ClassVar[Mapping[Profile, int]] = {"ci": 4_000, "nightly": 1_000_000}
    chunk: ClassVar[int] = 1_000

    def open(self, target: str | None) -> Parser:
        """Return the parser that ``target`` names, ours if it is None. Raises ``BadInput``."""
        return by_name(target)

    def enumerated(self) -> Iterator[ArgumentsExample]:
        """Yield the examples that every campaign begins with, always the same."""
        return enumerated()

    def examples(self) -> SearchStrategy[ArgumentsExample]:
        """Return the strategy that draws random examples."""
        return drawn()

    def check(self, example: ArgumentsExample, subject: Parser) -> int:
        """Compare what the parser shows, delta by delta, with the whole text.

        Returns the number of runs; raises ``Falsified`` for a mistake.
        """
        return check(example, subject)

    def features_of(self, example: ArgumentsExample) -> Iterable[str]:
        """Return the features of the grammar that the example has, for the coverage."""
        return features_of(example)

    def smaller(self, example: ArgumentsExample) -> Iterator[ArgumentsExample]:
        """Yield simpler examples, the simplest first. Shrinking keeps one that still fails."""
        return smaller(example)

    def to_json(self, example: ArgumentsExample) -> Mapping[str, JsonValue]:
        """Return the example as the JSON of a reproducer."""
        return examples.to_json(example)

    def from_json(self, document: Mapping[str, JsonValue]) -> ArgumentsExample:
        """Return the example of a reproducer. Raises ``ValueError`` for what is none."""
        return examples.from_json(document)

    def scenario(self, example: ArgumentsExample, name: str, summary: str) -> Mapping[str, str] | None:
        """Return the files of a scenario with this example by their names; None if it cannot be scripted."""
        return scenario(example, name, summary)
