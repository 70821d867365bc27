"""Every mutant of a request is found by a rule that it names, every specimen and every harmless variant by none."""

from __future__ import annotations

import pytest

from harness.finding import Finding
from harness.wire import WIRES, WireName, WireRule, wire, wire_rules
from harness_lab.mutants.requests import (
    BaseRequest,
    EquivalentRequest,
    RequestMutant,
    base_requests,
    composed,
    equivalents,
    equivalents_of,
    mutants,
    mutants_of,
)
from harness_lab.mutants.requests.openai_chat import ONE_CALL

BASE_REQUESTS = [base for name in WIRES for base in base_requests(name)]
MUTANTS = [mutant for name in WIRES for mutant in mutants(name)]
EQUIVALENTS = [variant for name in WIRES for variant in equivalents(name)]


def named(value: object) -> str:
    return value.name if isinstance(value, BaseRequest | RequestMutant | EquivalentRequest) else str(value)


@pytest.mark.parametrize("base", BASE_REQUESTS, ids=named)
def test_a_specimen_breaks_no_rule(base: BaseRequest) -> None:
    played = base.play()
    assert len(played.requests) == len(base.turns) + 1
    assert played.judge(played.last) == []


def judged(changed: RequestMutant | EquivalentRequest) -> dict[str, list[Finding]]:
    """What is found in each specimen, after the change."""
    found = {}
    for base in changed.base_requests:
        played = base.play()
        posted = played.last
        assert changed.edit(posted), f"it changes nothing in {base.name}"
        found[base.name] = played.judge(posted)
    return found


@pytest.mark.parametrize("mutant", MUTANTS, ids=named)
def test_a_mutant_is_found_by_a_rule_that_it_names(mutant: RequestMutant) -> None:
    """In the first specimen by the first rule."""
    found = {name: {violation.id for violation in violations} for name, violations in judged(mutant).items()}
    assert mutant.rules[0] in found[mutant.base_requests[0].name], found
    assert {name: rules for name, rules in found.items() if not rules & set(mutant.rules)} == {}


@pytest.mark.parametrize("variant", EQUIVALENTS, ids=named)
def test_a_harmless_variant_is_accepted(variant: EquivalentRequest) -> None:
    found = judged(variant)
    assert [(name, each) for name, violations in found.items() for each in violations if each.level != "INFO"] == []


@pytest.mark.parametrize("rule", wire_rules().values(), ids=lambda rule: rule.id)
def test_every_rule_is_proven(rule: WireRule) -> None:
    if rule.permits:
        assert equivalents_of(rule.id), "no equivalent mutant shows what it allows"
    else:
        assert mutants_of(rule.id), "no mutant names it first"


@pytest.mark.parametrize("name", [name for name in WIRES if wire(name).rules])
def test_mutants_and_variants_name_rules_that_there_are(name: WireName) -> None:
    for mutant in mutants(name):
        assert set(mutant.rules) <= set(wire_rules()), mutant.name
    for variant in equivalents(name):
        assert set(variant.allows) <= set(wire_rules()), variant.name


def test_names_are_used_once() -> None:
    names = [thing.name for name in WIRES for thing in (*base_requests(name), *mutants(name), *equivalents(name))]
    assert sorted(set(names)) == sorted(names)


def test_mistakes_can_be_composed() -> None:
    forgotten = next(mutant for mutant in mutants("openai-chat") if mutant.name == "chat-result-forgotten")
    twice = composed(forgotten, forgotten)
    played = ONE_CALL.play()
    posted = played.last
    assert twice.edit(posted)
    assert [violation.id for violation in played.judge(posted)] == ["OAC-03"]
    assert not twice.edit(posted), "there is no second result to forget"
