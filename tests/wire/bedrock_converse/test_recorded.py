"""Recorded traffic of Bedrock: no accepted request is blamed, refusals are found with their texts, answers are read."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from harness.cassette.recordings.recording import RecordedExchange
from harness.wire import IssuedState, UnreadableRequest, route_of, wire
from harness.wire.aws_events import AWS_EVENTS, frames
from tests.recorded.corpus.shared_exchanges import all_exchanges

WIRE = wire("bedrock-converse")
EXAMPLES = Path("wire") / "examples" / "bedrock"


@cache
def recorded(shared: Path) -> list[RecordedExchange]:
    return [each for each in all_exchanges(shared, "corpus2") if each.api.startswith("bedrock-converse")]


def judged(shared: Path, *statuses: int) -> Iterator[tuple[RecordedExchange, list[Any]]]:
    """The requests that were answered so, each with what is found in it. One of them is no JSON as it was kept."""
    for exchange in recorded(shared):
        route = route_of("POST", exchange.url)
        if exchange.status in statuses and route is not None and exchange.request is not None:
            try:
                asked = WIRE.read(route, exchange.request)
            except UnreadableRequest:
                continue
            yield exchange, WIRE.violations(asked, IssuedState())


def test_no_accepted_request_is_blamed(shared: Path) -> None:
    accepted = list(judged(shared, 200))
    assert len(accepted) > 250
    assert [(exchange.file, finding.id) for exchange, found in accepted for finding in found] == []


def test_a_refusal_about_form_is_found_with_its_text(shared: Path) -> None:
    refused = [(json.loads(exchange.response or b"")["message"], found) for exchange, found in judged(shared, 400)]
    about_form = [(text, found) for text, found in refused if "model identifier" not in text and "model ID" not in text]
    assert len(about_form) >= 11
    for text, found in about_form:
        assert [each.answered.message for each in found] == [text]
    assert Counter(found[0].id for _, found in about_form).keys() == {"BED-01", "BED-32", "BED-33"}
    others = [found for text, found in refused if (text, found) not in about_form]
    assert not any(others)


def test_every_answer_is_read(shared: Path) -> None:
    stops: Counter[str] = Counter()
    for exchange in recorded(shared):
        if exchange.status == 200:
            reply = WIRE.parse(exchange.headers.get("content-type", ""), exchange.response or b"")
            assert reply.complete, exchange.file
            assert bool(reply.turn.calls) is (reply.turn.stop.value == "tool_calls"), exchange.file
            stops[reply.turn.stop.value] += 1
    assert stops.total() > 250
    assert stops["tool_calls"] > 80


def test_a_request_is_written_as_it_was_read(shared: Path) -> None:
    for exchange, _ in judged(shared, 200):
        route = route_of("POST", exchange.url)
        assert route is not None
        asked = WIRE.read(route, exchange.request or b"")
        written = WIRE.write(asked)
        again = route_of("POST", written.path)
        assert again is not None
        read = WIRE.read(again, written.body)
        assert (read.messages, read.tools, read.model, read.stream) == (
            asked.messages, asked.tools, asked.model, asked.stream,
        )  # fmt: skip


# --- the proven bodies of the wire document ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        *("bed-text", "bed-tool", "bed-parallel", "bed-nova-tool", "bed-no-args", "bed-reasoning-tool", "bed-redacted"),
        *("bed-server-tool", "bed-max-tokens-in-tool", "bed-guardrail", "bed-odd", "bed-malformed-tool-use"),
        *("bed-error-midstream", "bed-throttle-midstream", "bed-error-frame"),
    ],
)
def test_frames_are_read_as_they_were_written(shared: Path, name: str) -> None:
    stream = (shared / EXAMPLES / f"{name}.eventstream").read_bytes()
    lines = (shared / EXAMPLES / f"{name}.frames.jsonl").read_text(encoding="utf-8").splitlines()
    read = list(frames(stream))
    assert [each.headers[":message-type"] for each in read] == [json.loads(line)["message-type"] for line in lines]
    assert read[-1].end == len(stream)
    kinds = [next(each.headers[key] for key in each.headers if key.endswith(("-type", "-code"))) for each in read]
    assert kinds[0] == json.loads(lines[0])["type"]
    for each, line in zip(read, lines, strict=True):
        if each.payload:
            assert json.loads(each.payload) == json.loads(line)["payload"]


ENDS = {
    "bed-text": (True, "end", None, ()),
    "bed-tool": (True, "tool_calls", None, ('{"path": "src/app.py"}',)),
    "bed-no-args": (True, "tool_calls", None, ("",)),
    "bed-max-tokens-in-tool": (True, "max_tokens", None, None),
    "bed-guardrail": (True, "content_filter", None, ()),
    "bed-malformed-tool-use": (False, "end", "server_error", None),
    "bed-error-midstream": (False, "end", "server_error", None),
    "bed-throttle-midstream": (False, "end", "rate_limit", None),
    "bed-error-frame": (False, "end", "server_error", None),
    "bed-truncated-between-frames": (False, "end", None, None),
    "bed-truncated-in-frame": (False, "end", None, None),
}


@pytest.mark.parametrize("name", ENDS)
def test_a_stream_is_read_to_its_end(shared: Path, name: str) -> None:
    reply = WIRE.parse(AWS_EVENTS, (shared / EXAMPLES / f"{name}.eventstream").read_bytes())
    complete, stop, error, arguments = ENDS[name]
    assert (reply.complete, reply.turn.stop.value) == (complete, stop)
    assert (reply.turn.error.kind if reply.turn.error else None) == error
    if arguments is not None:
        assert tuple(call.arguments for call in reply.turn.calls) == arguments


def test_a_frame_with_a_wrong_checksum_is_none(shared: Path) -> None:
    with pytest.raises(ValueError, match="checksum"):
        WIRE.parse(AWS_EVENTS, (shared / EXAMPLES / "bed-bad-crc.eventstream").read_bytes())


@pytest.mark.parametrize("name", ["bed-tool", "bed-parallel", "bed-reasoning-tool"])
def test_how_a_client_goes_on_is_accepted(shared: Path, name: str) -> None:
    request = json.loads((shared / EXAMPLES / f"{name}.continue.json").read_text(encoding="utf-8"))
    route = route_of("POST", f"/model/{WIRE.default_model}/converse")
    assert route is not None
    assert WIRE.violations(WIRE.read(route, json.dumps(request).encode()), IssuedState()) == []
