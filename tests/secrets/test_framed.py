"""Secrets in AWS's binary frames: redacted where they come in pieces, in frames that are still frames."""

from __future__ import annotations

import base64
import json
from itertools import accumulate

import pytest

from harness.secrets.redactor import Redactor
from harness.secrets.scan import scan
from harness.wire import Conversation, FinishReason, Identity, Text, Turn, wire
from harness.wire.aws_events import AWS_EVENTS, frames
from harness.wire.turn import Call, Deltas
from tests.secrets.samples import sample

WIRE = wire("bedrock-converse")
SECRET = sample("openai-project-key").secret
REDACTOR = Redactor()


def streamed(deltas: Deltas) -> tuple[bytes, ...]:
    turn = Turn(
        (Text(f"The key is {SECRET}."), Call("keep", json.dumps({"key": SECRET}))),
        FinishReason.TOOL_CALLS,
        deltas=deltas,
    )
    return WIRE.render(turn, Identity("a"), Conversation(WIRE.name, WIRE.default_model, True, ())).frames


@pytest.mark.parametrize("deltas", ["whole", "token", "character"])
def test_a_secret_in_pieces_is_taken_out_and_the_frames_are_whole(deltas: Deltas) -> None:
    pieces = streamed(deltas)
    body, chunks = REDACTOR.redact_chunks(b"".join(pieces), AWS_EVENTS, [len(piece) for piece in pieces])
    reply = WIRE.parse(AWS_EVENTS, body)
    assert reply.complete
    assert reply.turn.text == "The key is REDACTED-openai-project-key."
    assert json.loads(reply.turn.calls[0].arguments) == {"key": "REDACTED-openai-project-key"}
    assert list(accumulate(chunks)) == [frame.end for frame in frames(body)], "a chunk is a frame, as before"


def test_frames_without_a_secret_stay_as_they_are() -> None:
    turn = Turn((Text("It prints a line."),))
    body = WIRE.render(turn, Identity("a"), Conversation(WIRE.name, WIRE.default_model, True, ())).body
    assert REDACTOR.redact_body(body, AWS_EVENTS) == body


@pytest.mark.parametrize("left", [1, 5, 40])
def test_a_frame_that_was_cut_is_redacted_as_far_as_it_goes(left: int) -> None:
    pieces = streamed("whole")
    cut = b"".join(pieces[:2])[:-left]
    redacted = REDACTOR.redact_body(cut, AWS_EVENTS)
    assert SECRET.encode() in cut or left > 20
    assert SECRET.encode() not in redacted


def test_what_only_says_that_it_has_frames_is_redacted_as_text() -> None:
    assert REDACTOR.redact_body(f"key {SECRET}".encode(), AWS_EVENTS) == b"key REDACTED-openai-project-key"


@pytest.mark.parametrize("deltas", ["whole", "token", "character"])
def test_the_scan_sees_what_redaction_has_left(deltas: Deltas) -> None:
    body = b"".join(streamed(deltas))
    text = f"interactions:\n- response:\n    body:\n      string: !!binary {base64.b64encode(body).decode()}\n"
    assert {leak.kind for leak in scan(text)} == {"key"}
    kept = base64.b64encode(REDACTOR.redact_body(body, AWS_EVENTS)).decode()
    assert scan(text.replace(base64.b64encode(body).decode(), kept)) == []
