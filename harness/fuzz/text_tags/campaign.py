"""The campaign ``text-tags``: tool calls that are written as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from harness.fuzz.campaign import Campaign
from harness.fuzz.strategies.splits import sizes
from harness.fuzz.strategies.text_tags import answers, in_units
from harness.fuzz.text_tags.enumeration import enumerated
from harness.fuzz.text_tags.example import ArrivingText, arriving
from harness.fuzz.text_tags.features import FEATURES, features_of
from harness.fuzz.text_tags.oracles import ORACLES, judge
from harness.fuzz.text_tags.parser import SIGNATURE, TagParser, opened
from harness.fuzz.text_tags.scenario import scenario
from harness.fuzz.text_tags.shrinking import smaller

if TYPE_CHECKING:
    from harness.trace import JsonValue


class TextTagsCampaign(Campaign[ArrivingText, TagParser]):
    """Texts of whole answers, cut in any way, against a parser of calls in text."""

    name = "text-tags"
    summary = "A parser of tool calls that models write as text, between tags."
    signature = SIGNATURE
    oracles = ORACLES
    features = FEATURES
    budget = MappingProxyType({"ci": 4_000, "nightly": 200_000})
    chunk = 1_000

    def open(self, target: str | None) -> TagParser:
        """Return the parser that ``target`` names, ours if it is None. Raises ``BadInput``."""
        return opened(target)

    def enumerated(self) -> Iterator[ArrivingText]:
        """Yield the examples that every campaign begins with, always the same."""
        return enumerated()

    def examples(self) -> st.SearchStrategy[ArrivingText]:
        """Return the strategy that draws random examples."""
        return st.builds(lambda text, drawn: arriving(in_units(text, drawn)), answers(), sizes())

    def check(self, example: ArrivingText, subject: TagParser) -> int:
        """Compare the parser's result with the grammar of the text.

        Returns the number of runs; raises ``Falsified`` for a mistake.
        """
        before = subject.runs
        judge(example, subject)
        return subject.runs - before

    def features_of(self, example: ArrivingText) -> Iterable[str]:
        """Return the features of the grammar that the example has, for the coverage."""
        return features_of(example)

    def smaller(self, example: ArrivingText) -> Iterator[ArrivingText]:
        """Yield simpler examples, the simplest first. Shrinking keeps one that still fails."""
        return smaller(example)

    def to_json(self, example: ArrivingText) -> Mapping[str, JsonValue]:
        """Return the example as the JSON of a reproducer."""
        return example.to_json()

    def from_json(self, document: Mapping[str, JsonValue]) -> ArrivingText:
        """Return the example of a reproducer. Raises ``ValueError`` for what is none."""
        return ArrivingText.from_json(document)

    def scenario(self, example: ArrivingText, name: str, summary: str) -> Mapping[str, str] | None:
        """Return the files of a scenario with this example by their names; None if it cannot be scripted."""
        return scenario(example, name, summary)
