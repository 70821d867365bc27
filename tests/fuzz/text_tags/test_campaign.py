"""Our parser survives what the campaign makes, and what it makes covers the grammar."""

from __future__ import annotations

from collections import Counter

import hypothesis
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from harness.fuzz.text_tags.campaign import CAMPAIGN
from harness.fuzz.text_tags.example import ArrivingText


@pytest.fixture(scope="module")
def met() -> Counter[str]:
    """How often each feature is met in a part of the enumeration and in 200 examples; ours survives them all.

    The part is every tenth example, and of the long texts every other, which is each long document at least once. The
    whole enumeration and 4,000 examples are what ``harness fuzz`` tries, which .ci/run calls.
    """
    parser, features = CAMPAIGN.open(None), Counter[str]()

    def hold(example: ArrivingText) -> None:
        CAMPAIGN.check(example, parser)
        features.update(CAMPAIGN.features_of(example))

    enumerated = list(CAMPAIGN.enumerated())
    for example in [each for each in enumerated if each.times > 1][::2]:
        hold(example)
    for example in [each for each in enumerated if each.times == 1][::10]:
        hold(example)
    drawn = given(CAMPAIGN.examples())(hold)
    phases = (Phase.generate,)
    limits = settings(max_examples=200, deadline=None, phases=phases, suppress_health_check=list(HealthCheck))
    hypothesis.seed(7)(limits(drawn))()
    return features


@pytest.mark.parametrize("feature", CAMPAIGN.features)
def test_every_feature_is_met(feature: str, met: Counter[str]) -> None:
    assert met[feature] >= 3


def test_no_other_feature_is_told(met: Counter[str]) -> None:
    assert set(met) == set(CAMPAIGN.features)
