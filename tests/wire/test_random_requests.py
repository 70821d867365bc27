"""Random loops with harmless changes break no rule, and whatever is anywhere in a request, it is read and judged.

(``tests/mutants/test_random_loops.py`` makes a mistake in each, and ``harness fuzz`` draws such loops by the thousand.)
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.fuzz.strategies.requests import loops
from harness.wire import OWN_WIRES, WireName
from harness_lab.mutants.requests import base_requests, equivalents

ONLY_THERE = {
    "gem-unsigned": "only old models take calls without signatures",
    "gem-level-lower-case": "old models take no thinking level",
}
"""Harmless changes that are mistakes in other base requests than theirs, and why."""

ANYWHERE: tuple[WireName, ...] = ("gemini-generate", "gemini-interactions", "openai-responses", "text-tags")
"""Wires all of whose other harmless changes are harmless in any base request."""


@pytest.mark.parametrize("name", ANYWHERE)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_harmless_changes_of_a_random_loop_are_accepted(name: WireName, data: st.DataObject) -> None:
    base = data.draw(loops(name))
    played = base.play()
    for change in equivalents(name):
        posted = played.last
        if change.name not in ONLY_THERE and change.edit(posted):
            found = [finding.id for finding in played.judge(posted) if finding.level != "INFO"]
            assert found == [], (base.name, change.name)


texts = st.text(st.sampled_from("ab ä😀\n<&"), max_size=6)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts | st.just("\ud83d"),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["text", "id", "x"]), inner, max_size=2)
    ),
    max_leaves=4,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value."""
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(below for step, member in steps for below in places(member, (*path, step)))]


@pytest.mark.parametrize("name", OWN_WIRES)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_whatever_is_anywhere_the_request_is_read_and_judged(name: WireName, data: st.DataObject) -> None:
    played = data.draw(st.sampled_from(base_requests(name))).play()
    posted = played.last
    *path, last = data.draw(st.sampled_from(places(posted.body)[1:]))
    holder = posted.body
    for step in path:
        holder = holder[step]
    holder[last] = data.draw(anything)
    for finding in played.judge(posted):
        assert finding.answered.message
        assert finding.expected
