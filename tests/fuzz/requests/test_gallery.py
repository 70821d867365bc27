"""Every validator of the gallery is found, shrunk, and by the oracle that it offends; the right one is not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from harness.fuzz.chunks import Chunk, Found
from harness.fuzz.requests.campaign import CAMPAIGN
from harness.fuzz.requests.example import change_of
from harness.fuzz.search import run_chunk
from harness_lab.gallery import requests as gallery

OFFENDED = {
    gallery.any_result_anywhere: ("finds", gallery.PAIRING),
    gallery.results_before_calls: ("finds", gallery.PAIRING),
    gallery.order_forgotten: ("finds", gallery.PAIRING),
    gallery.duplicates_accepted: ("finds", gallery.DUPLICATES),
    gallery.predecessor_only: ("accepts", None),
    gallery.nothing_behind_results: ("accepts", None),
    gallery.empty_content_ignored: ("finds", gallery.EMPTY),
    gallery.roles_ignored: ("finds", gallery.ROLES),
    gallery.ask_for_ids: ("accepts", None),
    gallery.last_message_only: ("finds", None),
}
"""The oracle that must object, and the rules one of which the mistake that is missed must be about."""

SEEDS = {gallery.duplicates_accepted: (7, 0, 1, 2)}
"""Of which seed to begin with, where the first ones find nothing."""


def found_in(name: str, seeds: Sequence[int], examples: int = 250) -> Found | None:
    """The first finding of the seeds, which are a part of what a CI run tries."""
    assert examples * len(seeds) <= CAMPAIGN.budget["ci"]
    for seed in seeds:
        result = run_chunk(Chunk("requests", f"harness_lab.gallery.requests:{name}", "drawn", seed, examples))
        assert not result.error
        if result.found:
            return result.found[0]
    return None


def test_the_whole_gallery_is_looked_at() -> None:
    assert list(OFFENDED) == list(gallery.GALLERY)


@pytest.mark.exhaustive
@pytest.mark.parametrize("validator", OFFENDED, ids=lambda each: each.__name__)
def test_every_validator_is_found(validator: gallery.Validator) -> None:
    oracle, rules = OFFENDED[validator]
    found = found_in(validator.__name__, SEEDS.get(validator, range(4)))
    assert found is not None
    assert found.oracle == oracle
    example = CAMPAIGN.from_json(found.example)
    assert len(example.turns) <= 3
    assert sum(len(turn.parts) for turn in example.turns) <= 4
    if rules is not None:
        mistake = change_of(example)
        assert mistake is not None
        assert rules.intersection(mistake.rules)


def test_the_right_one_is_not() -> None:
    assert found_in("right", [0], 120) is None
    subject = CAMPAIGN.open("harness_lab.gallery.requests:right")
    assert sum(CAMPAIGN.check(each, subject) for at, each in enumerate(CAMPAIGN.enumerated()) if at % 80 == 0) > 50
