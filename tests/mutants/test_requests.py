"""Mutants of requests, and changes that are none: their names, and two at once. The selftest tries them."""

from __future__ import annotations

import pytest

from harness.wire import OWN_WIRES, WireName, wire, wire_rules
from harness.wire.openai_chat.rules.right import ONE_CALL
from harness_lab.mutants.requests import (
    base_requests,
    composed,
    equivalents,
    mutants,
)


@pytest.mark.parametrize("name", [name for name in OWN_WIRES if wire(name).rules])
def test_mutants_and_variants_name_rules_that_there_are(name: WireName) -> None:
    for mutant in mutants(name):
        assert set(mutant.rules) <= set(wire_rules()), mutant.name
    for variant in equivalents(name):
        assert set(variant.allows) <= set(wire_rules()), variant.name


def test_names_are_used_once() -> None:
    names = [thing.name for name in OWN_WIRES for thing in (*base_requests(name), *mutants(name), *equivalents(name))]
    assert sorted(set(names)) == sorted(names)


def test_mistakes_can_be_composed() -> None:
    forgotten = next(mutant for mutant in mutants("openai-chat") if mutant.name == "chat-result-forgotten")
    twice = composed(forgotten, forgotten)
    played = ONE_CALL.play()
    posted = played.last
    assert twice.edit(posted)
    assert [violation.id for violation in played.judge(posted)] == ["OAC-03"]
    assert not twice.edit(posted), "there is no second result to forget"
