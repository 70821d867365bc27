"""The wires by their names, and the facts that each of them states."""

from __future__ import annotations

from collections import Counter

import pytest

from harness.errors import BadInput
from harness.loop.sessions import session_of
from harness.wire import (
    NATIVE_WIRES,
    OWN_NATIVE_WIRES,
    OWN_WIRES,
    WIRES,
    Claim,
    Wire,
    native_wires,
    recognise,
    route_of,
    wire,
    wire_names,
    wires,
)
from harness.wire.names import known_wire

ALL = [wire(name) for name in OWN_WIRES]


def test_without_other_packages_the_wires_are_those_of_the_harness() -> None:
    assert wire_names() == OWN_WIRES
    assert native_wires() == OWN_NATIVE_WIRES
    assert [each.name for each in wires()] == list(OWN_WIRES)


def test_the_wires_of_a_run_that_names_none_are_those_that_are_not_on_request() -> None:
    assert [each.name for each in ALL if not each.on_request] == list(WIRES)
    assert [each.name for each in ALL if not each.on_request and each.native] == list(NATIVE_WIRES)


@pytest.mark.parametrize("each", ALL, ids=OWN_WIRES)
def test_a_wire_has_its_name_and_is_native_or_a_dialect_of_one(each: Wire) -> None:
    assert wire(each.name) is each
    assert each.native is (each.name in OWN_NATIVE_WIRES)
    assert each.native or each.dialect_of in OWN_NATIVE_WIRES


@pytest.mark.parametrize("each", ALL, ids=OWN_WIRES)
def test_every_rule_has_the_prefix_of_its_wire(each: Wire) -> None:
    assert {rule.id.partition("-")[0] for rule in each.rules} == {each.rule_prefix}


@pytest.mark.parametrize("fact", ["name", "label", "rule_prefix", "default_model"])
def test_no_two_wires_share_what_tells_them_apart(fact: str) -> None:
    assert [value for value, count in Counter(getattr(each, fact) for each in ALL).items() if count > 1] == []


@pytest.mark.parametrize("each", ALL, ids=OWN_WIRES)
def test_the_settings_and_an_empty_history_are_no_request_of_another_wire(each: Wire) -> None:
    body = {**each.settings, each.history: []}
    claims = {other.name: other.claim(body, {}) for other in ALL if other.native}
    surest = max(claims.values())
    assert surest > Claim.NONE
    assert claims[each.dialect_of or each.name] == surest


@pytest.mark.parametrize("each", [wire(name) for name in WIRES], ids=WIRES)
def test_sessions_of_the_reference_loop_share_a_client_where_providers_have_one_sdk(each: Wire) -> None:
    lender = session_of(each.name).client
    assert [name for name in WIRES if session_of(name).client is lender] == [
        name for name in WIRES if wire(name).provider.sdk == each.provider.sdk
    ]


@pytest.mark.parametrize("name", ["openai-char", "shared", "wire-only"])
def test_a_wire_without_a_session_is_bad_input(name: str) -> None:
    with pytest.raises(BadInput, match=f"no session on {name}"):
        session_of(name)


@pytest.mark.parametrize("ask", [wire, known_wire])
def test_an_unknown_wire_is_bad_input_that_lists_the_known(ask: object) -> None:
    with pytest.raises(BadInput) as refusal:
        ask("openai-char")  # type: ignore[operator]
    assert str(refusal.value) == f"expected a wire of {', '.join(OWN_WIRES)}; got 'openai-char': choose one of these"


def test_a_wire_that_is_declined_a_member_is_another_value() -> None:
    declining = wire("anthropic-messages", ("thread",))
    assert declining is not wire("anthropic-messages")
    assert declining.rules == wire("anthropic-messages").rules
    assert wire("openai-chat", ("thread",)) is wire("openai-chat")


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://proxy.example/tenant/7/v1/messages?beta=true", "anthropic-messages"),
        ("/v1/chat/completions", "openai-chat"),
        ("https://example.com/v1beta/models/m:generateContent?key=k", "gemini-generate"),
        ("https://example.com/tenant/v1beta/models/m:generateContent", "gemini-generate"),
        ("https://example.com/v1/embeddings", None),
        ("http://[", None),
    ],
)
def test_the_wire_of_a_recorded_request(url: str, name: str | None) -> None:
    route = route_of("post", url)
    assert (route.wire if route else None) == name


def test_a_dialect_is_not_recognised() -> None:
    route = recognise("POST", "/v1/chat/completions")
    assert route is not None
    assert route.wire == "openai-chat"
