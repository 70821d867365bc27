"""What a request must say: texts wherever they stand in it, and texts in pieces."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.finding import Finding
from harness.scenario import Expect, compare
from harness.scenario.model import SentExpect
from harness.trace import Case, EventRecord, Final, RequestRecord, ResponseRecord, Trace
from harness.wire import Call, Conversation, Message, Opaque, Result, Text, ThinkingPart
from tests.case_tables import from_table


def mismatches(body: Any, request: int = 1, **said: tuple[Any, ...]) -> list[str]:
    return [each.expected for each in _compared(body, request, **said)]


def _compared(body: Any, request: int = 1, **said: tuple[Any, ...]) -> list[Finding]:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    records = (RequestRecord(0, "POST", "/v1/responses", {}, raw), EventRecord(Final("")))
    expect = Expect(("completed",), sent=(SentExpect(request, **said),))
    return compare(expect, Trace(Case("c", "s", "openai-responses"), records))


NESTED = {"model": "m", "input": [{"role": "user", "content": [{"type": "input_text", "text": "Go on."}]}]}
PIECES = [{"text": "Let me ", "thought": True}, {"text": "see."}, {"text": " It"}, {"text": " is.", "signature": "s"}]


@pytest.mark.parametrize("text", ["Go on.", "o o", "m", "user"])
def test_a_text_counts_wherever_it_stands(text: str) -> None:
    assert mismatches(NESTED, contains=(text,)) == []
    assert mismatches(NESTED, lacks=(text,)) == [f"request 1 without '{text}'"]


def test_a_member_is_named_wherever_it_stands() -> None:
    assert mismatches(NESTED, without=("text",)) == ["request 1 without a member 'text'"]
    assert mismatches({"input": [{"content": [{"citations": None}]}]}, without=("citations", "caller")) == [
        "request 1 without a member 'citations'"
    ]
    assert mismatches(NESTED, without=("Go on.", "caller")) == []


@pytest.mark.parametrize("text", ["role", "Go on. user", "7"])
def test_a_key_or_what_is_no_text_does_not(text: str) -> None:
    body = {**NESTED, "n": 7}
    assert mismatches(body, lacks=(text,)) == []
    assert mismatches(body, contains=(text,)) == [f"request 1 with '{text}'"]


def test_neighbouring_pieces_of_a_text_are_one() -> None:
    """Else a text in pieces could not be found, and one that must not be there would pass for absent."""
    body = {"contents": [{"role": "model", "parts": PIECES}]}
    assert mismatches(body, contains=("see. It is.", "Let me", " It")) == []
    assert mismatches(body, lacks=("see. It is.",)) == ["request 1 without 'see. It is.'"]


def test_pieces_in_contents_of_their_own_are_one_text() -> None:
    """A chat of Gemini's SDK records each chunk of a stream as a content, so its text is parted anywhere."""
    model = [{"role": "model", "parts": [piece]} for piece in PIECES]
    body = {"contents": [*model, {"role": "user", "parts": [{"text": "And"}]}, {"role": "user", "parts": []}]}
    assert mismatches(body, contains=("see. It is.", "Let me", "And")) == []
    assert mismatches(body, lacks=("see. It is.",)) == ["request 1 without 'see. It is.'"]
    parted = [*model[:2], {"role": "user", "parts": [{"text": "And"}]}, *model[2:]]
    assert mismatches({"contents": parted}, lacks=("see. It", "see.And", "And It")) == []


def test_a_thought_and_a_call_part_texts() -> None:
    body = {"parts": [*PIECES, {"functionCall": {"name": "look"}}, {"text": " Really."}]}
    assert mismatches(body, lacks=("Let me see.", "It is. Really.")) == []


@from_table(__file__, "test_texts_that_stand_there_once_and_in_this_order")
def test_texts_that_stand_there_once_and_in_this_order(once: Any, expected: str | None, got: str | None) -> None:
    body = {"contents": [{"role": "model", "parts": PIECES}, {"role": "user", "parts": [{"text": "Go on."}]}]}
    found = mismatches(body, once=once)
    assert found == ([] if expected is None else [expected])
    assert got is None or got in repr(_compared(body, once=once))


def test_a_request_that_is_missing_or_no_json_says_nothing() -> None:
    assert mismatches(NESTED, request=2, lacks=("x",)) == ["request 2"]
    assert mismatches(b"Go on.", contains=("Go",)) == ["request 1 with 'Go'"]


HISTORY = Conversation(
    "anthropic-messages",
    "m",
    stream=True,
    messages=(
        Message("user", (Text("Warm?"),), "thread.messages.0"),
        Message("assistant", (ThinkingPart("Hm."), Text("Let me "), Text("look."), Call("w", '{"in": "Oslo"}')), "t.1"),
        Message("user", (Result("toolu_1", '{"sky": "clear"}', "w"), Opaque("image", {"url": "i.png"})), "messages.0"),
    ),
    continues="msg_1",
)


@pytest.mark.parametrize("text", ["Warm?", "Hm.", "Let me look.", "Oslo", "clear", "i.png", "toolu_1"])
def test_of_a_request_that_names_earlier_turns_the_whole_history_counts(text: str) -> None:
    records = (
        RequestRecord(0, "POST", "/v1/messages", {}, b'{"thread": {"type": "continue"}}'),
        EventRecord(Final("")),
    )
    trace = Trace(Case("c", "s", "anthropic-messages"), records)
    once = Expect(("completed",), sent=(SentExpect(1, once=(text,)),))
    assert compare(once, trace, {0: HISTORY}) == []
    assert [each.rule for each in compare(once, trace)] == ["expect/sent"]
    lacking = Expect(("completed",), sent=(SentExpect(1, lacks=(text,)),))
    assert [each.rule for each in compare(lacking, trace, {0: HISTORY})] == ["expect/sent"]


@pytest.mark.parametrize(
    "text",
    [
        '[1, [2, "\\u4e09"]]',
        '{"a": "{\\"b\\": \\"\\\\u4e09\\"}"}',
        'The tool says: {"a": "\\u4e09"}',
        '"\\u4e09"',
        "三",
    ],
    ids=["a list", "JSON in JSON", "JSON in words", "a text", "as it is"],
)
def test_a_character_is_the_same_however_json_spells_it(text: str) -> None:
    body = {"messages": [{"role": "tool", "content": text}]}
    assert mismatches(body, contains=("三",)) == []
    assert mismatches(body, once=("三",)) == []
    assert mismatches(body, lacks=("三",)) == ["request 1 without '三'"]
    assert mismatches(body, contains=("四",)) == ["request 1 with '四'"]


def test_what_is_said_in_json_is_counted_once_and_in_its_order() -> None:
    body = {"messages": [{"role": "tool", "content": json.dumps({"a": "三", "b": ["三"]})}]}
    assert mismatches(body, once=("三",)) == ["request 1 with '三' exactly once"]
    body = {"messages": [{"role": "tool", "content": json.dumps(["三", "四"])}]}
    assert mismatches(body, once=("三", "四")) == []
    assert mismatches(body, once=("四", "三")) == ["request 1 with '三' after '四'"]


@pytest.mark.parametrize(
    ("pointer", "value", "there"),
    [
        ("/model", "m", True),
        ("/input/0/content/0/text", "Go on.", True),
        ("/input/0", NESTED["input"][0], True),
        ("/input/1", None, True),
        ("/input/x", None, True),
        ("/store", None, True),
        ("/a~1b/~0", 1, True),
        ("/model/0", None, True),
        ("/model", "M", False),
        ("/a~1b/~0", True, False),
        ("/store", False, False),
        ("/input/0/role", "assistant", False),
    ],
)
def test_a_value_is_looked_for_where_its_pointer_leads(pointer: str, value: Any, there: bool) -> None:
    body = {**NESTED, "a/b": {"~": 1}}
    expect = Expect(("completed",), sent=(SentExpect(1, values={pointer: value}),))
    records = (RequestRecord(0, "POST", "/v1/responses", {}, json.dumps(body).encode()), EventRecord(Final("")))
    found = compare(expect, Trace(Case("c", "s", "openai-responses"), records))
    assert [each.expected.rpartition(" at ")[2] for each in found] == ([] if there else [pointer])


def waited(seconds: float, **said: tuple[Any, ...]) -> list[tuple[str, str]]:
    """What is found of two requests, the second of them so many seconds after the answer to the first."""
    records = (
        RequestRecord(0, "POST", "/v1/responses", {}, b"{}", at=1.0),
        ResponseRecord(0, 429, {}, b"", at=2.0),
        RequestRecord(1, "POST", "/v1/responses", {}, b"{}", at=2.0 + seconds),
        EventRecord(Final("")),
    )
    expect = Expect(("completed",), sent=(SentExpect(2, **said),))
    found = compare(expect, Trace(Case("c", "s", "openai-responses"), records))
    return [(each.expected, each.got) for each in found]


def test_a_request_is_made_no_sooner_than_it_may_be() -> None:
    expected = "request 2 5 or more seconds after the answer before"
    assert waited(4.9, waits=(5,)) == [(expected, "4.90 seconds")]
    assert waited(4.96, waits=(5,)) == waited(5, waits=(5,)) == waited(500, waits=(5,)) == []


def test_nor_later_where_the_most_is_said() -> None:
    assert waited(6.1, waits=(5, 6)) == [("request 2 5 to 6 seconds after the answer before", "6.10 seconds")]
    assert waited(5.9, waits=(5, 6)) == []


def test_the_first_request_waits_for_no_answer() -> None:
    assert mismatches(NESTED, waits=(0, 1)) == []
    assert mismatches(NESTED, waits=(1,)) == ["request 1 1 or more seconds after the answer before"]
