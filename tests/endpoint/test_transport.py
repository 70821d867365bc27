"""The in-process driver against the loopback server: an HTTP client must not be able to tell them apart."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from traceback import walk_tb

import httpx2
import pytest

from harness.endpoint import CaseEndpoint, Endpoints
from harness.endpoint.server import serving
from harness.endpoint.source import RecordedResponse
from harness.endpoint.transport import EndpointTransport
from harness.errors import BadInput
from harness.scenario import Cut, HttpErrorStep, TurnStep
from harness.trace import Assistant, EventRecord, ResponseRecord, Trace
from harness.wire import Text, Turn, wire
from harness.wire.as_far import parsed_as_far
from harness.wire.chunking import CHUNKINGS, Chunking
from harness.wire.sse import parse_events
from tests.endpoint.drivers import DRIVERS, in_process, over_loopback
from tests.endpoint.endpoint import PATH, desk, opened, question

pytestmark = pytest.mark.anyio

HELLO = TurnStep(Turn((Text("Hello, wörld 🙂 and good bye."),)))


def response(trace: Trace) -> ResponseRecord:
    (found,) = [record for record in trace.records if isinstance(record, ResponseRecord)]
    return found


async def ended(case: CaseEndpoint) -> ResponseRecord:
    """The response's record: the server writes it when it notices the end, a moment after the client."""
    for _ in range(1000):
        if any(isinstance(record, ResponseRecord) for record in case.recorder.trace().records):
            break
        await asyncio.sleep(0)
        await asyncio.to_thread(lambda: None)
    return response(case.recorder.trace())


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("chunking", CHUNKINGS)
async def test_every_byte_arrives_and_is_recorded_whatever_the_chunking(driver, chunking: Chunking) -> None:
    case = desk([HELLO], chunking=chunking)
    async with driver(opened(case)) as client:
        answer = await client.post(f"/case/a-case{PATH}", content=question())
    record = await ended(case)
    assert answer.status_code == record.status == 200
    assert answer.content == record.body
    assert (record.end, sum(record.chunks)) == ("eof", len(record.body))
    assert case.replies[0].turn.text == "Hello, wörld 🙂 and good bye."


async def test_chunks_arrive_one_by_one_in_process() -> None:
    case = desk([HELLO], chunking="token")
    async with (
        in_process(opened(case)) as client,
        client.stream("POST", f"/case/a-case{PATH}", content=question()) as answer,
    ):
        pieces = [piece async for piece in answer.aiter_raw()]
    assert tuple(map(len, pieces)) == response(case.recorder.trace()).chunks
    assert len(pieces) > 20


@pytest.mark.parametrize("chunking", CHUNKINGS)
@pytest.mark.parametrize("cut", [None, Cut(after=2, how="cut")])
async def test_a_loop_that_reads_lines_gets_no_part_of_one_and_the_trace_has_every_piece(
    chunking: Chunking, cut: Cut | None
) -> None:
    step = TurnStep(HELLO.turn, cut=cut)
    plain, joined = desk([step], chunking=chunking), desk([step], chunking=chunking)
    await _pieces(plain, whole_lines=False)
    pieces = await _pieces(joined, whole_lines=True)
    assert response(joined.recorder.trace()) == response(plain.recorder.trace())
    assert b"".join(pieces) == response(joined.recorder.trace()).body
    assert all(b"\n" in piece for piece in pieces[:-1])


async def _pieces(case: CaseEndpoint, *, whole_lines: bool) -> list[bytes]:
    transport = EndpointTransport(opened(case), whole_lines=whole_lines)
    pieces = []
    async with (
        httpx2.AsyncClient(transport=transport, base_url="http://harness") as client,
        client.stream("POST", f"/case/a-case{PATH}", content=question()) as answer,
    ):
        with suppress(httpx2.RemoteProtocolError):
            async for piece in answer.aiter_raw():
                pieces.append(piece)
    return pieces


async def test_iterated_anew_a_stream_goes_on_where_it_stopped() -> None:
    """The OpenAI SDK drains a stream after its last event by iterating over it a second time."""
    case = desk([HELLO])
    async with in_process(opened(case)) as client:
        request = client.build_request("POST", f"/case/a-case{PATH}", content=question())
        answer = await client.send(request, stream=True)
        pieces = [piece async for piece in answer.aiter_raw()]
        again = [piece async for piece in answer.stream]  # type: ignore[union-attr]
        await answer.aclose()
    assert again == []
    assert response(case.recorder.trace()).body == b"".join(pieces)


@asynccontextmanager
async def streamed(case: CaseEndpoint) -> AsyncIterator[httpx2.Response]:
    async with (
        in_process(opened(case)) as client,
        client.stream("POST", f"/case/a-case{PATH}", content=question()) as answer,
    ):
        yield answer


async def test_a_body_that_needs_no_decoding_passes_none_of_the_clients_generators(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def taken(*_: object) -> object:
        raise AssertionError("passed through the client's own generators")

    case = desk([HELLO], chunking="byte")
    async with streamed(case) as answer:
        monkeypatch.setattr(httpx2.Response, "aiter_bytes", taken)
        monkeypatch.setattr(httpx2.Response, "aiter_raw", taken)
        pieces = [piece async for piece in answer.aiter_bytes()]
    record = response(case.recorder.trace())
    assert (b"".join(pieces), len(pieces), record.end) == (record.body, len(record.chunks), "eof")


@pytest.mark.parametrize("read", ["aiter_bytes", "aiter_raw"])
async def test_pieces_of_a_size_are_cut_as_the_client_cuts_them(read: str) -> None:
    case = desk([HELLO], chunking="byte")
    async with streamed(case) as answer:
        sizes = [len(piece) async for piece in getattr(answer, read)(chunk_size=100)]
    total = len(response(case.recorder.trace()).body)
    assert sizes == [100] * (total // 100) + [total % 100] * bool(total % 100)


async def test_an_encoded_body_is_decoded() -> None:
    body = gzip.compress(b"what was said")
    step = RecordedResponse(200, {"content-encoding": "gzip"}, (body[:9], body[9:]))
    async with streamed(desk([step])) as answer:
        assert b"".join([piece async for piece in answer.aiter_bytes()]) == b"what was said"


async def test_a_body_that_was_read_is_there_again_and_one_that_was_streamed_is_not() -> None:
    async with streamed(desk([HELLO])) as answer:
        body = await answer.aread()
        assert b"".join([piece async for piece in answer.aiter_bytes()]) == body != b""
    async with streamed(desk([HELLO])) as answer:
        assert b"".join([piece async for piece in answer.aiter_bytes()]) == body
        with pytest.raises(httpx2.StreamConsumed):
            [piece async for piece in answer.aiter_bytes()]
    async with streamed(desk([HELLO])) as answer:
        await answer.aclose()
        with pytest.raises(httpx2.StreamClosed):
            [piece async for piece in answer.aiter_bytes()]


@pytest.mark.parametrize("waits", [(), (0.0, 0.0)], ids=["at once", "with waits"])
async def test_a_body_that_breaks_off_is_known_by_its_frame(waits: tuple[float, ...]) -> None:
    """The session of Gemini tells a body that broke off from a request without an answer by the name ``aiter_raw``."""
    step = RecordedResponse(200, {"content-type": "text/event-stream"}, (b"data: ", b"{}"), waits, "cut")
    async with streamed(desk([step])) as answer:
        with pytest.raises(httpx2.RemoteProtocolError) as broken:
            [piece async for piece in answer.aiter_bytes()]
    assert "aiter_raw" in [frame.f_code.co_name for frame, _ in walk_tb(broken.value.__traceback__)]


async def test_what_is_delivered_after_the_end_counts_for_no_event() -> None:
    case = desk([HELLO], chunking="byte")
    async with streamed(case) as answer:
        pieces = answer.aiter_raw()
        for _ in range(5):
            await anext(pieces)
        case.ended(0, "closed")
        await anext(pieces)
        case.recorder.emitted(Assistant("x", "a"))
        told = case.recorder.trace().records[-1]
    assert isinstance(told, EventRecord)
    assert (told.offset, len(response(case.recorder.trace()).body)) == (5, 5)


async def test_an_event_notes_how_much_had_been_delivered_when_it_was_told() -> None:
    case = desk([HELLO], chunking="event")
    async with (
        in_process(opened(case)) as client,
        client.stream("POST", f"/case/a-case{PATH}", content=question()) as answer,
    ):
        arrived = 0
        async for piece in answer.aiter_raw():
            arrived += len(piece)
            case.recorder.emitted(Assistant("x", "a"))
            told = case.recorder.trace().records[-1]
            assert isinstance(told, EventRecord)
            assert (told.exchange, told.offset) == (0, arrived)
    assert arrived > 0


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize(("how", "error"), [("cut", httpx2.RemoteProtocolError), ("reset", httpx2.ReadError)])
async def test_a_broken_connection_is_an_exception_of_the_http_library(driver, how, error) -> None:
    case = desk([TurnStep(HELLO.turn, Cut(after=2, how=how))])
    async with driver(opened(case)) as client:
        with pytest.raises(error):
            await client.post(f"/case/a-case{PATH}", content=question())
    assert (await ended(case)).end == how


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize(
    ("connection", "end", "error"),
    [("closed", "cut", httpx2.RemoteProtocolError), ("reset", "reset", httpx2.ReadError)],
)
async def test_a_connection_may_end_before_the_first_byte_of_an_answer(driver, connection, end, error) -> None:
    case = desk([HttpErrorStep(0, connection=connection), HELLO])
    async with driver(opened(case)) as client:
        with pytest.raises(error):
            await client.post(f"/case/a-case{PATH}", content=question())
        record = await ended(case)
        assert (record.status, record.headers, record.body, record.end) == (0, {}, b"", end)
        assert not record.is_turn
        assert (await client.post(f"/case/a-case{PATH}", content=question())).status_code == 200
    assert len(case.replies) == 1, "no answer is no turn"


@pytest.mark.parametrize("driver", DRIVERS)
async def test_an_event_that_is_no_json_ends_the_body_and_what_came_before_it_counts(driver) -> None:
    case = desk([TurnStep(Turn((Text("One two three."),)), Cut(after=2, how="garbled"))])
    async with driver(opened(case)) as client:
        answer = await client.post(f"/case/a-case{PATH}", content=question())
    events = list(parse_events(answer.content))
    assert [_is_json(event.data) for event in events] == [True, True, False]
    reply = case.replies[0]
    assert (await ended(case)).end == "eof"
    assert not reply.complete
    assert parsed_as_far(wire("openai-chat"), answer.headers["content-type"], answer.content) == reply


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("driver", DRIVERS)
async def test_a_client_that_leaves_early_is_recorded_as_that(driver) -> None:
    long = TurnStep(Turn((Text("word " * 20_000),)))
    case = desk([long])
    async with driver(opened(case)) as client:
        async with client.stream("POST", f"/case/a-case{PATH}", content=question()) as answer:
            async for _ in answer.aiter_raw():
                break
        record = await ended(case)
    assert record.end == "closed"
    assert 0 < sum(record.chunks) == len(record.body)


async def test_one_connection_serves_many_requests_and_a_chunked_request_body() -> None:
    case = desk([HELLO, HELLO])

    async def pieces() -> AsyncIterator[bytes]:
        body = question()
        yield body[:10]
        yield body[10:]

    async with over_loopback(opened(case)) as client:
        first = await client.post(f"/case/a-case{PATH}", content=pieces())
        second = await client.post(f"/case/a-case{PATH}", content=question())
    assert (first.status_code, second.status_code) == (200, 200)


async def test_many_cases_are_served_at_once_and_do_not_mix() -> None:
    endpoints = Endpoints()
    cases = [desk([TurnStep(Turn((Text(f"I am {number}."),)))], name=f"case-{number}") for number in range(20)]
    for case in cases:
        endpoints.open(case.case.id, case)
    async with over_loopback(endpoints) as client:
        paths = [f"/case/{case.case.id}{PATH}" for case in cases]
        answers = await asyncio.gather(*(client.post(path, content=question()) for path in paths))
    for number, answer in enumerate(answers):
        assert f'" {number}"' in answer.text or f"{number}" in answer.text
        assert cases[number].replies[0].turn.text == f"I am {number}."


async def test_a_taken_port_is_said_in_one_message() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(BadInput, match=f"cannot listen on 127.0.0.1:{port}: .*choose another --port"):
            async with serving(Endpoints(), port):
                raise AssertionError("the port was free")


async def test_a_server_that_stops_says_nothing_of_connections_that_are_open(caplog: pytest.LogCaptureFixture) -> None:
    """Python 3.11 logs a connection's task as failed when it is cancelled."""
    async with httpx2.AsyncClient(trust_env=False) as client:
        async with serving(Endpoints()) as base:
            assert (await client.get(base)).status_code == 404
        await asyncio.sleep(0)
    assert caplog.records == []
