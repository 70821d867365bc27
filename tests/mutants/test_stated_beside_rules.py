"""What a rule states of its wrong requests is what they get: the rule finds each, with the answer that it names."""

from __future__ import annotations

import pytest

from harness.wire import OWN_WIRES, WireName, WireRule, wire
from harness.wire.posted import Wrong
from harness_lab.mutants.requests import mutants

STATED = [(name, rule, wrong) for name in OWN_WIRES for rule in wire(name).rules for wrong in rule.wrong]


@pytest.mark.parametrize(("name", "rule", "wrong"), STATED, ids=[wrong.name for _, _, wrong in STATED])
def test_a_wrong_request_gets_the_answer_that_is_stated(name: WireName, rule: WireRule, wrong: Wrong) -> None:
    mutant = next(each for each in mutants(name) if each.name == wrong.name)
    played = mutant.base_requests[0].play()
    posted = played.last
    assert wrong.edit(posted)
    found = next(finding for finding in played.judge(posted) if finding.id == rule.id)
    assert rule.template(wrong.says or None).matches(found.answered.message)
