"""What a wire writes says the turn, and the wire reads back what it writes: turns of every kind, and any turn."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.wire import (
    OWN_NATIVE_WIRES,
    OWN_WIRES,
    FinishReason,
    StreamError,
    Text,
    Turn,
    WireName,
    wire,
)
from harness.wire.turn import Deltas, ErrorKind
from tests.wire.spoken import DELTAS, TURNS, any_turn, rendered

ERRORS = get_args(ErrorKind)

OTHER_STOPS: dict[tuple[WireName, str], FinishReason] = {
    ("openai-chat", "refused"): FinishReason.END,
    ("openai-responses", "refused"): FinishReason.END,
    ("anthropic-messages", "filtered"): FinishReason.REFUSAL,
}
"""OpenAI has a part for refusals and no reason, Anthropic one reason for both."""

EACH = pytest.mark.parametrize("name", OWN_WIRES)
IN_BOTH_FORMS = pytest.mark.parametrize("stream", [True, False])


@IN_BOTH_FORMS
@pytest.mark.parametrize("deltas", DELTAS)
@pytest.mark.parametrize("said", TURNS)
@pytest.mark.parametrize("name", OWN_NATIVE_WIRES)
def test_what_is_written_says_the_turn(name: WireName, said: str, deltas: Deltas, stream: bool) -> None:
    turn = replace(TURNS[said], deltas=deltas)
    answer = rendered(name, turn, stream=stream)
    read = wire(name).parse(answer.content_type, answer.body)
    assert read == answer.reply
    assert read.complete
    assert (read.turn.text, read.turn.stop) == (turn.text, OTHER_STOPS.get((name, said), turn.stop))
    wanted = [(call.name, json.loads(call.arguments or "{}")) for call in turn.calls]
    assert [(call.name, json.loads(call.arguments or "{}")) for call in read.turn.calls] == wanted
    spent = replace(turn.usage, reasoning=0) if name == "bedrock-converse" else turn.usage
    assert read.turn.usage == spent


@IN_BOTH_FORMS
@pytest.mark.parametrize("kind", ERRORS)
@EACH
def test_an_error_is_read_as_it_was_scripted(name: WireName, kind: ErrorKind, stream: bool) -> None:
    answer = rendered(name, Turn((Text("I"),), error=StreamError(kind)), stream=stream)
    assert answer.reply.turn.error is not None
    assert answer.reply.turn.error.kind == kind
    assert not answer.reply.complete or name == "openai-responses", "an answer of Responses says that it has failed"


@EACH
def test_a_stream_without_its_end_is_not_complete(name: WireName) -> None:
    answer = rendered(name, Turn((Text("I"),), ending="eof"), stream=True)
    assert (answer.reply.complete, answer.reply.turn.ending, answer.terminal) == (False, "eof", 0)
    whole = rendered(name, Turn((Text("I"),)), stream=True)
    assert whole.terminal > 0
    assert not wire(name).parse(whole.content_type, b"".join(whole.frames[: -whole.terminal])).complete


@EACH
@settings(max_examples=60, deadline=None)
@given(turn=any_turn, stream=st.booleans())
def test_any_turn_is_read_back_as_its_reply(name: WireName, turn: Turn, stream: bool) -> None:
    answer = rendered(name, turn, stream=stream)
    assert wire(name).parse(answer.content_type, answer.body) == answer.reply
