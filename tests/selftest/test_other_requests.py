"""Requests that no base request is like: settings on each model, values of other types, tools and histories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from importlib import import_module

import pytest

from harness.wire import OWN_WIRES, WireName
from harness.wire.bedrock_converse.rules import body as converse_body
from harness.wire.models import ModelTable
from harness.wire.openai_models import OPENAI_MODELS
from harness_lab.mutants.requests import base_requests
from harness_lab.mutants.requests.asked_for import HEADERS, MODELS, AskedFor, asked_for, in_pairs, of_any_type
from harness_lab.mutants.requests.odd_values import odd_values
from harness_lab.mutants.requests.other_parts import other_parts
from harness_lab.mutants.requests.small_changes import everywhere, pattern_of
from harness_lab.selftest.stated import lines_of, own_rules_of
from harness_lab.selftest.stated_requests import judgements_of_others

SMALL: WireName = "bedrock-converse"
"""The wire with the fewest of these requests."""

OF_A_PROVIDER = [name for name in OWN_WIRES if name != "text-tags"]


def _table(name: WireName) -> ModelTable:
    if name == "openai-responses":
        return OPENAI_MODELS
    table: ModelTable = import_module(f"harness.wire.{name.replace('-', '_')}.models").MODELS
    return table


@pytest.mark.parametrize("name", OF_A_PROVIDER)
def test_of_the_models_one_is_of_each_fact_that_is_known(name: WireName) -> None:
    uncovered = [
        f"{fact.name}: {fact.models}" for fact in _table(name).facts if not any(map(fact.covers, MODELS[name]))
    ]
    assert uncovered == []


@pytest.mark.parametrize("name", OF_A_PROVIDER)
def test_a_setting_changes_a_member_and_nothing_in_place(name: WireName) -> None:
    body = base_requests(name)[0].play().last.body
    before = repr(body)
    for each in (*asked_for(name), *of_any_type(name), *other_parts(name)):
        member = each.place.partition(".")[0]
        made = each.made(body)
        assert {key: value for key, value in made.items() if key != member} == {
            key: value for key, value in body.items() if key != member
        }
    assert repr(body) == before


def test_a_setting_may_be_deep_inside() -> None:
    made = AskedFor("a.b.c", 1).made({"a": {"d": 2}, "e": 3})
    assert made == {"a": {"d": 2, "b": {"c": 1}}, "e": 3}


def test_pairs_are_of_two_members_and_others_for_each_model() -> None:
    pairs = {model: list(in_pairs("openai-chat", model, 24)) for model in MODELS["openai-chat"][:2]}
    assert all(len(each) == 24 for each in pairs.values())
    assert all(one.place != other.place for each in pairs.values() for one, other in each)
    assert len(set(map(repr, pairs.values()))) == 2


def test_each_kind_of_place_has_odd_values_in_two_requests_at_most() -> None:
    bodies = [{"messages": [{"role": "user", "content": "Hi"}]}] * 5
    before = repr(bodies)
    made = list(odd_values(bodies))
    assert all(repr(change.made(bodies[number])) != before for number, change in made)
    assert repr(bodies) == before
    tried = Counter((pattern_of(change.place), change.what) for _, change in made)
    assert max(tried.values()) == 2
    assert {"messages.*.content", "messages.*", "messages"} <= {place for place, _ in tried}


def test_all_texts_of_a_kind_are_changed_at_once() -> None:
    body = {"calls": [{"id": "a", "name": "f"}, {"id": "b", "name": "g"}], "results": [{"call": "b"}, {"call": "a"}]}
    made = {change.what: change.made({}) for change in everywhere(body)}
    calls = {what: [call.get("id") for call in each["calls"]] for what, each in made.items()}
    assert calls["calls.*.id left out"] == [None, None]
    assert calls["calls.*.id numbered"] == ["a0", "b1"]
    assert calls["calls.*.id the next"] == ["b", "a"]
    assert calls["calls.*.id renamed"] == ["a", "bx"]
    assert made["calls.*.id renamed"]["results"] == [{"call": "bx"}, {"call": "a"}]
    assert body["calls"][0] == {"id": "a", "name": "f"}


def test_headers_are_other_ones_than_base_requests_have() -> None:
    for name, others in HEADERS.items():
        assert not [headers for headers in others if any(base.headers == headers for base in base_requests(name))]


def _lines() -> Mapping[str, str]:
    return lines_of(judgements_of_others(SMALL), own_rules_of(SMALL))


@pytest.fixture(scope="module")
def lines() -> Mapping[str, str]:
    """What is stated of them as the rules are."""
    return _lines()


@pytest.mark.parametrize(
    ("member", "value"), [("_MOST_DOCUMENTS", 6), ("_LONGEST", 65), ("_NAME", converse_body._ID), ("brief", str)]
)
def test_a_limit_that_is_one_more_is_reported(
    lines: Mapping[str, str], monkeypatch: pytest.MonkeyPatch, member: str, value: object
) -> None:
    monkeypatch.setattr(converse_body, member, value)
    assert _lines() != lines
