"""What is recorded of a case while a response arrives in one thread and the loop emits events in another."""

from __future__ import annotations

import pytest

from harness.endpoint import Recorder
from harness.endpoint.request import ReceivedRequest
from harness.trace import Assistant, Case, EventRecord
from harness.wire import Route

ROUTE = Route("openai-chat", "gpt-4.1", stream=True)


def test_a_piece_that_arrives_while_an_event_is_recorded_is_counted_for_the_next_one() -> None:
    arriving: list[bytes] = []

    def clock() -> float:
        while arriving:
            deliver([arriving.pop()])
        return 0.0

    recorder = Recorder(Case("a-case", "a-case", "openai-chat"), clock)
    exchange = recorder.request(ReceivedRequest(ROUTE, "POST", "/v1/chat/completions", {}, b"{}"))
    deliver = recorder.respond(exchange, 200, {})
    deliver([b"data: ", b"one\n\n"])
    arriving.append(b"data: two\n\n")
    recorder.emitted(Assistant("one", "text-1"))
    recorder.emitted(Assistant("two", "text-1"))
    response = recorder.ended(exchange, "eof")
    told = [record for record in recorder.trace().records if isinstance(record, EventRecord)]
    assert [record.offset for record in told] == [11, 22]
    assert response is not None
    assert (response.body, response.chunks) == (b"data: one\n\ndata: two\n\n", (6, 5, 11))


@pytest.mark.parametrize(
    ("pieces", "sizes"),
    [
        ([b"a", b"b", b"c"], (1, 1, 1)),
        ([b"", b"ab", b"c"], (0, 2, 1)),
        ([], ()),
    ],
)
def test_every_piece_has_its_length_and_what_comes_behind_the_end_has_none(
    pieces: list[bytes], sizes: tuple[int, ...]
) -> None:
    recorder = Recorder(Case("a-case", "a-case", "openai-chat"), clock=lambda: 0.0)
    exchange = recorder.request(ReceivedRequest(ROUTE, "POST", "/v1/chat/completions", {}, b"{}"))
    deliver = recorder.respond(exchange, 200, {})
    assert deliver(pieces) == b"".join(pieces)
    response = recorder.ended(exchange, "eof")
    assert deliver([b"late"]) == b"late"
    recorder.emitted(Assistant("a", "text-1"))
    assert response is not None
    assert (response.body, response.chunks) == (b"".join(pieces), sizes)
    told = recorder.trace().records[-1]
    assert isinstance(told, EventRecord)
    assert told.offset == len(response.body)


SIGNED = "AWS4-HMAC-SHA256 Credential={key}/20261126/eu-west-1/bedrock/aws4_request, SignedHeaders=host, Signature={of}"


@pytest.mark.parametrize(
    ("sent", "marks"),
    [
        (({"authorization": "Bearer a"}, {"x-api-key": "a"}, {"authorization": "Bearer b"}), ["", "", " 2"]),
        (({"authorization": SIGNED.format(key="k", of=1)}, {"authorization": SIGNED.format(key="k", of=2)}), ["", ""]),
        (
            ({"authorization": SIGNED.format(key="k", of=1)}, {"authorization": SIGNED.format(key="l", of=2)}),
            ["", " 2"],
        ),
        (({"authorization": "Basic a"}, {"cookie": "b"}, {"authorization": "Basic c"}), ["", "", " 2"]),
        (({"authorization": "Digest a, b=c"}, {"authorization": "Digest d, e=f"}), ["", ""]),
    ],
)
def test_no_key_is_recorded_but_whether_it_is_another_one(sent: tuple[dict[str, str], ...], marks: list[str]) -> None:
    recorder = Recorder(Case("a-case", "a-case", "openai-chat"), clock=lambda: 0.0)
    for headers in sent:
        recorder.request(ReceivedRequest(ROUTE, "POST", "/v1/chat/completions", headers, b"{}"))
    recorded = [each.request.headers for each in recorder.trace().exchanges]
    assert [value for headers in recorded for value in headers.values()] == [f"[redacted{mark}]" for mark in marks]
