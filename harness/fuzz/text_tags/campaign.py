"""The campaign ``text-tags``: tool calls that are written as text."""

from __future__ import annotations

from typing import Final

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


def _examples() -> st.SearchStrategy[ArrivingText]:
    return st.builds(lambda text, drawn: arriving(in_units(text, drawn)), answers(), sizes())


def _check(example: ArrivingText, subject: TagParser) -> int:
    """Compare the parser's result with the grammar of the text (``Campaign.check``)."""
    before = subject.runs
    judge(example, subject)
    return subject.runs - before


CAMPAIGN: Final[Campaign[ArrivingText, TagParser]] = Campaign(
    name="text-tags",
    summary="A parser of tool calls that models write as text, between tags.",
    signature=SIGNATURE,
    oracles=ORACLES,
    features=FEATURES,
    budget={"ci": 4_000, "nightly": 200_000},
    chunk=1_000,
    open=opened,
    enumerated=enumerated,
    examples=_examples,
    check=_check,
    features_of=features_of,
    smaller=smaller,
    to_json=ArrivingText.to_json,
    from_json=ArrivingText.from_json,
    scenario=scenario,
)
"""Texts of whole answers, cut in any way, against a parser of calls in text."""
