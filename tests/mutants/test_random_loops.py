"""Random loops without a mistake break no rule, on any wire; with any one mistake they break one of its rules.

A few of each: the campaign ``requests`` of ``harness fuzz`` draws such loops by the thousand, and
``harness lab selftest`` makes every mistake in every specimen. .ci/run calls both.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from harness.fuzz.strategies.requests import loops
from harness.wire import WIRES, WireName
from harness_lab.mutants.requests import mutants


@pytest.mark.parametrize("name", WIRES)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_loop_without_a_mistake_breaks_no_rule(name: WireName, data: st.DataObject) -> None:
    played = data.draw(loops(name)).play()
    assert played.judge(played.last) == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", WIRES)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(data=st.data())
def test_any_mistake_breaks_one_of_its_rules(name: WireName, data: st.DataObject) -> None:
    played = data.draw(loops(name, foreign=False)).play()
    mistake = data.draw(st.sampled_from(mutants(name)))
    posted = played.last
    assume(mistake.edit(posted))
    broken = {violation.id for violation in played.judge(posted)}
    assert broken & set(mistake.rules), (mistake.name, broken)
