"""Any JSON where a request should be: it is read and judged, and nothing falls over."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.mutants.requests.openai_responses.specimens import CUSTOM, NAMED, PICTURES, REFERENCES, SEVERAL, STRICT
from harness.wire import Sent
from harness.wire.openai_responses import WIRE
from tests.wire.openai_responses.speak import ROUTE

PLAYED = [specimen.play() for specimen in (SEVERAL, NAMED, REFERENCES, CUSTOM, PICTURES, STRICT)]

leaves = st.one_of(st.none(), st.booleans(), st.integers(-2, 200), st.floats(allow_nan=False), st.text(max_size=3))
anything = st.recursive(
    leaves | st.sampled_from(["function_call", "message", "reasoning", "item_reference", "user", "required"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["type", "id", "role", "name"]), inner),
    max_leaves=4,
)


def paths(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value inside."""
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in steps:
        yield (*way, step)
        yield from paths(inner, (*way, step))


@st.composite
def odd_requests(draw: Any) -> tuple[Any, Sent]:
    """The last request of a loop with other values in a few places, beside what was sent in that loop."""
    played = draw(st.sampled_from(PLAYED))
    body: Any = played.last.body
    for _ in range(draw(st.integers(1, 3))):
        *way, step = draw(st.sampled_from(list(paths(body))))
        holder = body
        for each in way:
            holder = holder[each]
        if draw(st.booleans()):
            holder[step] = draw(anything)
        else:
            del holder[step]
        if not body:
            break
    return body, played.sent


@settings(max_examples=300, deadline=None)
@given(odd_requests())
def test_any_request_is_judged(odd: tuple[Any, Sent]) -> None:
    body, sent = odd
    conversation = WIRE.read(ROUTE, json.dumps(body).encode())
    for known in (sent, Sent()):
        known.memory = None
        for violation in WIRE.violations(WIRE.resolve(conversation, known), known):
            assert violation.rule.startswith("OAI-")
            assert violation.message
            assert violation.expected
            assert violation.got
            assert len(violation.got) < 400
