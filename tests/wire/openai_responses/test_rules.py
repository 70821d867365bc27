"""Histories as a case goes on: what must be accepted, and what only some state of a case shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.wire import Identity, IssuedState
from harness.wire.openai_responses import WIRE
from tests.wire.openai_responses.histories import Items, asked_and_answered, continuation, judge, outputs, returned
from tests.wire.openai_responses.speak import ODD_IDS, QUESTION, ROUTE, TURNS, ask

# --- what must be accepted ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TURNS)
@pytest.mark.parametrize("store", [True, False])
def test_a_full_history_is_accepted(name: str, store: bool) -> None:
    sent = asked_and_answered(TURNS[name], store=store)
    assert judge(sent, continuation(sent), store=store) == []


@pytest.mark.parametrize("name", TURNS)
def test_a_named_history_is_accepted(name: str) -> None:
    sent = asked_and_answered(TURNS[name])
    previous = sent.replies[0].id
    assert judge(sent, outputs(returned(sent)), previous_response_id=previous) == []
    references = [{"type": "item_reference", "id": item["id"]} for item in returned(sent)]
    assert judge(sent, [QUESTION, *references, *outputs(returned(sent))]) == []


def test_a_conversation_of_the_provider_is_accepted() -> None:
    sent = asked_and_answered(TURNS["parallel calls"], conversation="conv_1")
    assert judge(sent, outputs(returned(sent)), conversation="conv_1") == []
    unknown: Items = [{"type": "function_call_output", "call_id": "call_x", "output": "ok"}]
    assert judge(IssuedState(), unknown, conversation={"id": "conv_2"}) == []


def test_foreign_items_are_accepted() -> None:
    call = {"type": "function_call", "id": "fc_foreign", "call_id": "call_f", "name": "read_file", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "call_f", "output": "ok"}
    reasoning = {"type": "reasoning", "id": "rs_foreign", "summary": [], "encrypted_content": "gAAAAABforeign=="}
    tools = {"type": "additional_tools", "role": "developer", "tools": []}
    history = [QUESTION, reasoning, call, tools, output]
    assert judge(IssuedState(), history) == []
    sent = IssuedState()
    first = ask(input=history)
    sent.add(first, WIRE.render(TURNS["text"], Identity("x"), first).reply)
    assert judge(sent, [*history, *returned(sent), QUESTION]) == []


@pytest.mark.parametrize("name", ODD_IDS)
def test_a_loop_may_mend_odd_ids(name: str) -> None:
    sent = asked_and_answered(ODD_IDS[name])
    items = returned(sent)
    for number, item in enumerate(items):
        item["call_id"] = f"call_mended_{number}"
    assert judge(sent, [QUESTION, *items, *outputs(items)]) == []


def test_the_examples_are_accepted(shared: Path) -> None:
    found = sorted((shared / "wire" / "examples").glob("oai-responses-*.json"))
    assert len(found) >= 5
    for path in found:
        conversation = WIRE.read(ROUTE, path.read_bytes())
        sent = IssuedState()
        if conversation.continues:
            first = ask()
            reply = WIRE.parse("", (path.parent / "oai-responses-tool.sse").read_bytes())
            sent.add(first, reply)
            assert reply.id == conversation.continues
        assert WIRE.violations(WIRE.resolve(conversation, sent), sent) == [], path.name


# --- what must be found ------------------------------------------------------------------------------------


def test_oai_12_two_calls_share_an_id() -> None:
    sent = asked_and_answered(ODD_IDS["the same id twice"])
    items = [QUESTION, *returned(sent), outputs(returned(sent))[0]]
    (violation,) = judge(sent, items)
    assert (violation.id, violation.level, violation.answered.place) == ("OAI-12", "SHOULD", "input[2]")


def test_oai_14_a_call_may_have_its_item_id_for_call_id() -> None:
    """Recorded: api.openai.com accepted a call without its item id, whose call_id was that id."""
    sent = asked_and_answered(TURNS["parallel calls"])
    items = continuation(sent)
    for call, output in ((2, 4), (3, 5)):
        items[call]["call_id"] = items[output]["call_id"] = items[call].pop("id")
    assert judge(sent, items) == []
    items[2]["call_id"] = items[4]["call_id"] = "fc_of_nobody"
    assert [violation.id for violation in judge(sent, items)] == ["OAI-14"]


def test_items_without_ids_have_no_links() -> None:
    reasoning = {"type": "reasoning", "summary": []}
    call = {"type": "function_call", "call_id": "call_1", "name": "read_file", "arguments": "{}"}
    sent = IssuedState()
    body = json.dumps({"id": "resp_1", "output": [reasoning, call]}).encode()
    sent.add(ask(), WIRE.parse("application/json", body))
    assert judge(sent, [QUESTION, call, *outputs([call])]) == []
    assert judge(sent, [QUESTION, reasoning, call, *outputs([call])]) == []
    (violation,) = judge(sent, [QUESTION, reasoning, QUESTION])
    assert (violation.id, violation.level) == ("OAI-14", "INFO")


def test_oai_16_reasoning_in_plain_text_is_whole() -> None:
    """As llama.cpp's server sends it: an empty ``encrypted_content``, and the text beside it."""
    told = [{"type": "reasoning_text", "text": "Hm."}]
    plain = {"type": "reasoning", "id": "rs_plain", "summary": [], "content": told, "encrypted_content": ""}
    answer = {"id": "msg_1", "role": "assistant", "content": "Yes."}
    for reasoning, broken in ((plain, []), ({**plain, "content": []}, ["OAI-16"])):
        violations = judge(IssuedState(), [reasoning, answer], store=False, model="smollm2-135m-instruct")
        assert [violation.id for violation in violations if violation.id != "OAI-02"] == broken


@pytest.mark.parametrize(
    ("follower", "level"),
    [
        (None, "MUST"),
        (QUESTION, "MUST"),
        ({"type": "function_call_output", "call_id": "c", "output": ""}, "MUST"),
        # Accepted in three recorded requests, and refused in one, where the message had been rewritten.
        ({"role": "assistant", "content": "Rewritten."}, "INFO"),
    ],
)
def test_oai_14_nothing_of_the_models_follows_foreign_reasoning(follower: dict[str, Any] | None, level: str) -> None:
    foreign = {"type": "reasoning", "id": "rs_foreign", "summary": [], "encrypted_content": "gAAAAABforeign=="}
    call = {"type": "function_call", "call_id": "c", "name": "read_file", "arguments": "{}"}
    items = [call, foreign] if follower and "output" in follower else [foreign]
    (violation,) = judge(IssuedState(), [*items, *([follower] if follower else [])])
    assert (violation.id, violation.level) == ("OAI-14", level)


def test_oai_17_the_same_bytes_in_another_spelling_are_inferred() -> None:
    sent = asked_and_answered(TURNS["parallel calls"])
    items = continuation(sent)
    token = items[1]["encrypted_content"]
    assert "-" in token or "_" in token
    items[1]["encrypted_content"] = token.rstrip("=").replace("-", "+").replace("_", "/")
    (violation,) = judge(sent, items)
    assert (violation.id, violation.level) == ("OAI-17", "INFO")


def test_oai_18_what_was_not_stored_is_not_found() -> None:
    sent = asked_and_answered(TURNS["text"], store=False)
    previous = sent.replies[0].id
    (violation,) = judge(sent, "more", previous_response_id=previous)
    assert (violation.id, violation.level) == ("OAI-18", "MUST")
    assert violation.got == f"{previous}, which was asked for with store: false"


def test_rules_complain_in_the_order_of_the_table() -> None:
    sent = asked_and_answered(TURNS["parallel calls"])
    items = continuation(sent)
    broken = [items[0], {**items[1], "status": "completed", "encrypted_content": "gAAAAABx"}, *items[3:5]]
    found = [
        violation.id for violation in judge(sent, broken, model="gpt-5", previous_response_id="resp_x", temperature=9)
    ]
    assert found == sorted(found)
    assert found == ["OAI-05", "OAI-10", "OAI-14", "OAI-17", "OAI-18", "OAI-22", "OAI-26"]
