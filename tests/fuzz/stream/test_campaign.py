"""The campaign itself: what it makes, what it covers, what it writes down, and that ours survives it."""

from __future__ import annotations

import json

import hypothesis
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from harness.fuzz.stream import StreamCampaign
from harness.fuzz.stream.campaign import Readers
from harness.fuzz.stream.example import StreamExample

CAMPAIGN = StreamCampaign()

generated = settings(
    database=None, deadline=None, phases=(Phase.generate,), suppress_health_check=list(HealthCheck), max_examples=300
)


@pytest.fixture(scope="module")
def ours() -> Readers:
    return CAMPAIGN.open(None)


def test_ours_survives_shapes(ours: Readers) -> None:
    runs = 0

    @hypothesis.seed(7)
    @generated
    @given(CAMPAIGN.examples())
    def hold(example: StreamExample) -> None:
        nonlocal runs
        runs += CAMPAIGN.check(example, ours)

    hold()
    assert runs > 400


@given(CAMPAIGN.examples())
@settings(generated, max_examples=150)
def test_every_example_goes_to_json_and_back(example: StreamExample) -> None:
    assert CAMPAIGN.from_json(json.loads(json.dumps(CAMPAIGN.to_json(example)))) == example
