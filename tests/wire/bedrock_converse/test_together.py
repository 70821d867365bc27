"""Messages of the user that a client has put together are one message; a request that was read stays as it was."""

from __future__ import annotations

import json

import pytest

from harness.wire import Conversation, Message, Text, wire
from harness.wire.bedrock_converse.write import together
from tests.wire.bedrock_converse.requests import CLAUDE, LLAMA, assistant, body, call, found, read, result, user

WIRE = wire("bedrock-converse")
ANSWERED = (user("Look."), assistant(call("tooluse_1")), user(result("tooluse_1")), user("And there?"))


def test_roles_alternate_once_they_are_together() -> None:
    assert [each.id for each in found(body(*ANSWERED))] == ["BED-11"]
    assert found(body(*together(ANSWERED, CLAUDE))) == []


def test_results_stay_alone_where_nothing_may_be_beside_them() -> None:
    assert together(ANSWERED, LLAMA) == [*ANSWERED]
    assert together([user("a"), user("b")], LLAMA) == [user("a", "b")]


@pytest.mark.parametrize("content", [None, "words"])
def test_content_that_is_no_list_stays_as_it_is(content: str | None) -> None:
    odd = {"role": "user", "content": content}
    assert together([user("a"), odd, user("b")], CLAUDE) == [user("a"), odd, user("b")]


def test_two_messages_of_the_model_stay_two() -> None:
    said = [user("a"), assistant("b"), assistant("c")]
    assert together(said, CLAUDE) == said


def test_a_request_that_was_read_is_written_as_it_was() -> None:
    conversation = read(body(user("a"), user("b")))
    assert json.loads(WIRE.write(conversation).body)["messages"] == [user("a"), user("b")]


def test_what_a_client_says_in_two_messages_is_written_as_one() -> None:
    messages = tuple(Message("user", (Text(text),), "") for text in "ab")
    written = WIRE.write(Conversation(WIRE.name, CLAUDE, False, messages))
    assert json.loads(written.body)["messages"] == [user("a", "b")]
