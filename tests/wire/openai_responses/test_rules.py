"""Histories as a case goes on: what must be accepted, and what only some state of a case shows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.wire import IssuedState
from harness.wire.openai_responses import WIRE
from tests.wire.openai_responses.histories import Items, asked_and_answered, continuation, judge, outputs, returned
from tests.wire.openai_responses.speak import ODD_IDS, QUESTION, ROUTE, TURNS, ask

# --- what must be accepted ---------------------------------------------------------------------------------


def test_a_conversation_of_the_provider_is_accepted() -> None:
    sent = asked_and_answered(TURNS["parallel calls"], conversation="conv_1")
    assert judge(sent, outputs(returned(sent)), conversation="conv_1") == []
    unknown: Items = [{"type": "function_call_output", "call_id": "call_x", "output": "ok"}]
    assert judge(IssuedState(), unknown, conversation={"id": "conv_2"}) == []


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


def test_oai_17_the_same_bytes_in_another_spelling_are_inferred() -> None:
    sent = asked_and_answered(TURNS["parallel calls"])
    items = continuation(sent)
    token = items[1]["encrypted_content"]
    assert "-" in token or "_" in token
    items[1]["encrypted_content"] = token.rstrip("=").replace("-", "+").replace("_", "/")
    (violation,) = judge(sent, items)
    assert (violation.id, violation.level) == ("OAI-17", "INFO")


def test_rules_complain_in_the_order_of_the_table() -> None:
    sent = asked_and_answered(TURNS["parallel calls"])
    items = continuation(sent)
    broken = [items[0], {**items[1], "status": "completed", "encrypted_content": "gAAAAABx"}, *items[3:5]]
    found = [
        violation.id for violation in judge(sent, broken, model="gpt-5", previous_response_id="resp_x", temperature=9)
    ]
    assert found == sorted(found)
    assert found == ["OAI-05", "OAI-10", "OAI-14", "OAI-17", "OAI-18", "OAI-22", "OAI-26"]


@pytest.mark.parametrize("text", ["word " * 8_192, "x" * 100_000, "- " * 50_000, "    \n" * 50_000, "\u3042" * 50_000])
def test_oai_27_is_told_only_where_it_is_certain(text: str) -> None:
    """Long words, punctuation, white space and scripts without spaces may be few tokens."""
    assert judge(IssuedState(), text, model="gpt-4") == []


def test_oai_27_named_turns_count_and_pictures_do_not() -> None:
    sent = asked_and_answered(TURNS["text"], model="gpt-4", input="word " * 5_000)
    named = {"model": "gpt-4", "previous_response_id": sent.replies[0].id}
    assert judge(sent, "word " * 1_000, **named) == []
    assert [violation.id for violation in judge(sent, "word " * 4_000, **named)] == ["OAI-27"]
    picture = {"type": "input_image", "detail": "auto", "image_url": f"data:image/png;base64,{'iVBO' * 9_000}"}
    assert judge(IssuedState(), [{"role": "user", "content": [picture]}], model="gpt-4") == []
