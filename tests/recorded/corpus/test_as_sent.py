"""Recordings put back into the form in which they were sent, and only those that lost it."""

from __future__ import annotations

import json

import pytest

from harness.cassette.recordings.as_sent import RESTORED, as_sent
from harness.wire import NativeWireName, Text, Turn
from harness.wire.aws_events import frames
from harness.wire.sse import parse_events
from tests.recorded.corpus.recordings import WIRES, recorded, spoken

SAID = Turn((Text("Paris."),))


def body_of(name: NativeWireName) -> bytes:
    return spoken(name, SAID).response or b""


@pytest.mark.parametrize("name", WIRES)
def test_a_recording_that_lost_nothing_stays_as_it_is(name: NativeWireName) -> None:
    for exchange in (spoken(name, SAID), spoken(name, SAID, stream=False)):
        (response,), restored = as_sent(exchange, name)
        assert (response.body, restored) == (exchange.response, [])


def test_event_names_come_back_from_the_type_of_the_event() -> None:
    whole = body_of("anthropic-messages")
    lost = b"\n".join(line for line in whole.split(b"\n") if not line.startswith(b"event:"))
    (response,), restored = as_sent(recorded("anthropic-messages", lost), "anthropic-messages")
    assert list(parse_events(response.body)) == list(parse_events(whole))
    assert restored == ["event names"]


@pytest.mark.parametrize("name", ["anthropic-messages", "openai-responses"])
def test_the_last_blank_line_comes_back(name: NativeWireName) -> None:
    whole = body_of(name)
    for lost in (b"\n", b"\n\n"):
        (response,), restored = as_sent(recorded(name, whole.removesuffix(lost)), name)
        assert (response.body, restored) == (whole, ["last blank line"])


@pytest.mark.parametrize("name", ["anthropic-messages", "openai-responses"])
def test_responses_in_a_row_are_taken_apart(name: NativeWireName) -> None:
    whole = body_of(name)
    responses, restored = as_sent(recorded(name, b": hello\n\n" + whole * 3), name)
    assert [response.body for response in responses] == [b": hello\n\n" + whole, whole, whole]
    assert restored == ["several in one body"]


def test_words_that_look_like_an_opening_take_nothing_apart() -> None:
    turn = Turn((Text('"message_start" and "message_start"'),))
    exchange = spoken("anthropic-messages", turn)
    assert len(as_sent(exchange, "anthropic-messages")[0]) == 1


def test_an_array_becomes_the_stream_that_the_sdk_asks_for() -> None:
    objects = [json.loads(event.data) for event in parse_events(body_of("gemini-generate"))]
    (response,), restored = as_sent(recorded("gemini-generate", json.dumps(objects).encode()), "gemini-generate")
    assert [json.loads(event.data) for event in parse_events(response.body)] == objects
    assert (response.streamed, restored) == (True, ["JSON array"])
    (broken,), _ = as_sent(recorded("gemini-generate", b"[{"), "gemini-generate")
    assert broken.body == b"[{"


def test_an_error_is_no_stream_whatever_its_header_says() -> None:
    headers = {"content-type": "text/event-stream"}
    exchange = recorded("gemini-generate", b'[{"error": {}}]', status=400, headers=headers)
    (response,), restored = as_sent(exchange, "gemini-generate")
    assert (response.body, response.streamed, restored) == (exchange.response, False, [])


def test_every_repair_is_explained() -> None:
    of_streams = {"event names", "last blank line", "several in one body", "JSON array"}
    assert set(RESTORED) == {*of_streams, "frames of AWS", "binary frames"}


def test_events_without_their_frames_get_them_back() -> None:
    """A recorder may keep what the frames of Bedrock say, and write it as server-sent events."""
    whole = body_of("bedrock-converse")
    events = [{each.headers[":event-type"]: json.loads(each.payload)} for each in frames(whole)]
    lost = b"".join(b"data: %s\n\n" % json.dumps(event).encode() for event in events)
    (response,), restored = as_sent(recorded("bedrock-converse", lost), "bedrock-converse")
    again = [{each.headers[":event-type"]: json.loads(each.payload)} for each in frames(response.body)]
    assert (again, restored) == (events, ["binary frames"])


@pytest.mark.parametrize("headers", [{}, {"content-type": "application/vnd.amazon.eventstream"}])
def test_frames_of_a_wire_of_its_own_stay_frames(headers: dict[str, str]) -> None:
    """A recording without headers shows that it is a stream by the first byte; no recording of another wire has it."""
    said = recorded("bedrock-converse", body_of("bedrock-converse"), headers=headers)
    (response,), restored = as_sent(said, "bedrock-converse")
    assert (response.body, response.streamed, restored) == (said.response, True, [])
