"""Any JSON where a request should be: it is read and judged, and nothing falls over."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.fuzz.strategies.damage import Splice, damage, damaged
from harness.wire import IssuedState
from harness.wire.openai_responses import WIRE
from harness.wire.openai_responses.rules.right import (
    CUSTOM,
    NAMED,
    PICTURES,
    REFERENCES,
    SEVERAL,
    STRICT,
)
from tests.wire.openai_responses.speak import ROUTE

PLAYED = [base.play() for base in (SEVERAL, NAMED, REFERENCES, CUSTOM, PICTURES, STRICT)]


@st.composite
def odd_requests(draw: st.DrawFn) -> tuple[Any, IssuedState]:
    """The last request of a loop with other values in a few places, beside what was sent in that loop."""
    played = draw(st.sampled_from(PLAYED))
    body = played.last.body
    done = draw(damage(body))
    return json.loads(damaged(body, tuple(each for each in done if not isinstance(each, Splice)))), played.issued


@settings(max_examples=300, deadline=None)
@given(odd_requests())
def test_any_request_is_judged(odd: tuple[Any, IssuedState]) -> None:
    body, sent = odd
    conversation = WIRE.read(ROUTE, json.dumps(body).encode())
    for known in (sent, IssuedState()):
        known.memory = None
        for violation in WIRE.violations(WIRE.resolve(conversation, known), known):
            assert violation.id.startswith("OAI-")
            assert violation.answered.message
            assert violation.expected
            assert violation.got
            assert len(violation.got) < 400
