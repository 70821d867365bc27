"""The table of the rules: what each must have, and that it has the rules that users have asked for."""

from __future__ import annotations

from typing import get_args

import pytest

from harness.servers.rules import ProbeStep, every_rule, inevitable, probe_rule, rules_of
from harness.servers.rules.table import TRANSFER_RULES
from harness.wire import OWN_NATIVE_WIRES, wire
from harness.wire.response_rule import CONTENTS, Content

ASKED = {
    **{f"SC-{number:02}": "Chat" for number in range(1, 21)},
    "SC-08a": "Chat",
    **{f"SR-{number:02}": "Responses" for number in range(1, 17)},
    **{f"SA-{number:02}": "Messages" for number in range(1, 14)},
    **{f"SG-{number:02}": "Gemini" for number in range(1, 8)},
    **dict.fromkeys(("SX-END", "SX-SAME", "SX-ORDER", "SX-STATUS", "SX-CUT", "SX-INDEX", "SX-EVENT"), "all"),
}
"""The rules that public threads and a trial of gateways have led to."""


def test_every_rule_that_was_asked_for_is_there() -> None:
    assert ASKED.keys() - every_rule().keys() == set()


def test_every_rule_has_a_statement_and_evidence() -> None:
    for rule in every_rule().values():
        assert rule.statement.endswith("."), rule.id
        assert rule.evidence, rule.id
        assert bool(rule.probe) == (rule.shown_by == "request"), rule.id
        assert not rule.permits or (rule.level, rule.shown_by) == ("INFO", "nothing"), rule.id


def test_one_id_means_one_rule() -> None:
    rules = [*TRANSFER_RULES, *(rule for name in OWN_NATIVE_WIRES for rule in rules_of(name))]
    assert all(every_rule()[rule.id] is rule for rule in rules)


def test_what_another_rule_sees_too_is_a_rule() -> None:
    also = [each for rule in every_rule().values() for each in rule.also]
    assert {every_rule()[each].shown_by for each in also} == {"transfer"}


@pytest.mark.parametrize("name", OWN_NATIVE_WIRES)
def test_every_wire_of_the_harness_is_read_strictly(name: str) -> None:
    assert wire(name).strict is not None
    assert wire(name).response_rules
    assert wire(name).lacks.keys() <= CONTENTS.keys()


def test_contents_are_all_there() -> None:
    assert set(CONTENTS) == set(get_args(Content))


def test_a_probe_finds_its_rule() -> None:
    steps = get_args(ProbeStep)
    for name in OWN_NATIVE_WIRES:
        found = {step: probe_rule(name, step) for step in steps}
        assert all(found[step] for step in ("own answer back", "continuation", "wrong request", "wrong key"))
    chat = probe_rule("openai-chat", "own answer back")
    gemini = probe_rule("gemini-generate", "own answer back")
    assert chat is not None
    assert gemini is not None
    assert (chat.id, gemini.id) == ("SC-15", "SX-BACK")
    assert probe_rule("gemini-generate", "unknown earlier response") is None


def test_what_must_be_lost_is_what_the_one_can_say_and_the_other_cannot() -> None:
    lost = {each.content: each.source for each in inevitable("anthropic-messages", "openai-chat")}
    assert set(lost) == {"thinking signature", "redacted thinking", "order", "pause"}
    assert all(lost.values())
    assert inevitable("openai-chat", "openai-chat") == ()
    assert [each.content for each in inevitable("openai-chat", "anthropic-messages")] == [
        "call signature",
        "content filter",
    ]
