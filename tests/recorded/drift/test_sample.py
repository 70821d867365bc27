"""The sample has all that a renderer can say."""

from __future__ import annotations

import json
from typing import get_args

import pytest

from harness.wire import Call, FinishReason, NativeWireName, Refusal, Text, ThinkingPart
from harness.wire.turn import ErrorKind
from harness_lab.recorded.drift.turns import TURNS
from harness_lab.recorded.reading.servers import MAKERS
from tests.recorded.drift.responses import sampled


def test_the_turns_have_every_part_stop_error_and_count() -> None:
    turns = TURNS.values()
    assert {type(part) for turn in turns for part in turn.parts} == {Text, ThinkingPart, Call, Refusal}
    assert {part.form for turn in turns for part in turn.parts if isinstance(part, ThinkingPart)} == {
        "plain",
        "redacted",
        "omitted",
    }
    assert {turn.stop for turn in turns} == set(FinishReason)
    assert {turn.error.kind for turn in turns if turn.error} == set(get_args(ErrorKind))
    assert any(turn.usage.cached and turn.usage.reasoning for turn in turns)


@pytest.mark.parametrize("wire", tuple(MAKERS))
def test_a_wire_is_sampled_streamed_and_whole_with_errors_and_refusals(wire: NativeWireName) -> None:
    responses = [each.response for each in sampled(wire)]
    assert {response.streamed for response in responses} == {True, False}
    assert {response.status for response in responses} >= {200, 400, 401, 403, 404, 429, 500, 503, 529}
    assert all(response.headers for response in responses)
    assert any(each.name.startswith("scenario ") for each in sampled(wire))


def test_only_two_wires_pause() -> None:
    assert [wire for wire in tuple(MAKERS) if any("a pause, " in each.name for each in sampled(wire))] == [
        *("anthropic-messages", "gemini-interactions"),
    ]


def test_chat_speaks_as_deepseek_where_it_thinks() -> None:
    for each in sampled("openai-chat"):
        if each.response.status == 200 and each.response.streamed:
            assert (each.server == "deepseek") == (b'"reasoning_content"' in each.response.body), each.name


def test_a_refusal_has_the_words_of_its_rule() -> None:
    refused = {each.name: json.loads(each.response.body) for each in sampled("openai-chat") if "OAC-" in each.name}
    assert len(refused) > 10
    assert all(body["error"]["message"] for body in refused.values())
