"""A model that is recorded: a scripted endpoint on a loopback port, asked by the endpoint that the loop asks."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from harness.cassette import Cassette, Delivery, Interaction
from harness.cassette.matching import Player
from harness.cassette.record import RecordSource
from harness.cassette.replay import ReplaySource, recorded
from harness.cassette.upstream import upstream_of
from harness.endpoint import CaseEndpoint, Endpoints
from harness.endpoint.server import serving
from harness.errors import BadInput
from harness.scenario import Cut, HttpErrorStep, Step, TurnStep
from harness.trace import ResponseRecord
from harness.wire import Text, Turn
from tests.endpoint.drivers import DRIVERS, in_process
from tests.endpoint.endpoint import CALL, DONE, PATH, opened, question, result_for, turn_back
from tests.endpoint.endpoint import desk as case_desk

pytestmark = pytest.mark.anyio

HELLO = TurnStep(Turn((Text("Hello, wörld 🙂 and good bye."),)))
RECORDED = f"/case/recorded{PATH}"


class FakeTape:
    """A tape in memory."""

    def __init__(self, known: Sequence[Interaction] = (), *, records: bool = True, refuses: str = "") -> None:
        self.known = tuple(known)
        self.records = records
        self.added: list[Interaction] = []
        self._refuses = refuses

    def add(self, interaction: Interaction) -> None:
        if self._refuses:
            raise BadInput(self._refuses)
        self.added.append(interaction)


def cassette(interactions: Sequence[Interaction]) -> Cassette:
    return Cassette(Path("a.yaml"), tuple(interactions))


def desk(source: RecordSource | ReplaySource, name: str = "recorded") -> tuple[CaseEndpoint, Endpoints]:
    made = case_desk(name=name, model=source, source="live")
    return made, opened(made)


@asynccontextmanager
async def a_model(steps: Sequence[Step]) -> AsyncIterator[tuple[str, CaseEndpoint]]:
    """A server that answers with ``steps``; gives its base URL."""
    scripted = case_desk(steps, name="model", chunking="token")
    async with serving(opened(scripted)) as base:
        yield f"{base}/case/model", scripted


@asynccontextmanager
async def recording(base: str, tape: FakeTape) -> AsyncIterator[RecordSource]:
    ticks = itertools.count()
    async with httpx2.AsyncClient(trust_env=False) as client:
        yield RecordSource(
            tape,  # type: ignore[arg-type]
            Player(cassette(tape.known)),
            upstream_of("openai-chat", base, {}),
            client,
            lambda: next(ticks) / 1000,
        )


async def last_response(case: CaseEndpoint) -> ResponseRecord:
    """The record of the last response: the server writes it a moment after the client has all."""
    for _ in range(1000):
        if case.recorder.trace().records and not case.recorder.open:
            break
        await asyncio.to_thread(lambda: None)
    return [each for each in case.recorder.trace().records if isinstance(each, ResponseRecord)][-1]


@pytest.mark.parametrize("driver", DRIVERS)
async def test_what_a_model_says_reaches_the_loop_and_the_tape_byte_for_byte(driver) -> None:
    tape = FakeTape()
    async with a_model([HELLO]) as (base, model), recording(base, tape) as source:
        case, endpoints = desk(source)
        async with driver(endpoints) as client:
            answer = await client.post(RECORDED, content=question(), headers={"authorization": "Bearer the-loops-own"})
        response = await last_response(case)
    said = [each for each in model.recorder.trace().records if isinstance(each, ResponseRecord)]
    (kept,) = tape.added
    assert answer.content == kept.response == response.body == said[0].body
    assert (kept.status, kept.request, kept.url) == (200, question(), base + PATH)
    assert kept.delivery is not None
    assert sum(kept.delivery.chunks) == len(kept.response)
    assert kept.delivery.chunks == response.chunks
    assert len(kept.delivery.waits) == len(kept.delivery.chunks)
    assert all(wait > 0 for wait in kept.delivery.waits)
    assert kept.delivery.end == "eof"
    assert "the-loops-own" not in str(kept)
    assert case.replies[0].turn.text == "Hello, wörld 🙂 and good bye."


@pytest.mark.parametrize("driver", DRIVERS)
async def test_a_whole_loop_is_judged_against_what_the_model_really_sent(driver) -> None:
    tape = FakeTape()
    async with a_model([CALL, DONE]) as (base, _), recording(base, tape) as source:
        case, endpoints = desk(source)
        async with driver(endpoints) as client:
            await client.post(RECORDED, content=question())
            await last_response(case)
            wrong = question(turn_back(case), result_for(case, "call_of_another_kind"))
            refused = await client.post(RECORDED, content=wrong)
    assert refused.status_code == 400
    assert {violation.id for _, violation in case.violations} == {"OAC-03", "OAC-05"}
    assert len(tape.added) == 1  # what the endpoint refuses itself, nobody else is asked


@pytest.mark.parametrize("driver", DRIVERS)
async def test_a_stream_that_breaks_off_is_kept_as_far_as_it_came(driver) -> None:
    tape = FakeTape()
    async with a_model([TurnStep(HELLO.turn, Cut(2))]) as (base, _), recording(base, tape) as source:
        case, endpoints = desk(source)
        async with driver(endpoints) as client:
            with pytest.raises(httpx2.RemoteProtocolError):
                await client.post(RECORDED, content=question())
        response = await last_response(case)
    (kept,) = tape.added
    assert kept.delivery is not None
    assert (kept.delivery.end, response.end) == ("cut", "cut")
    assert kept.response == response.body != b""


@pytest.mark.parametrize("driver", DRIVERS)
async def test_an_error_of_the_model_is_handed_on_and_kept(driver) -> None:
    tape = FakeTape()
    async with a_model([HttpErrorStep(429, 3.0)]) as (base, _), recording(base, tape) as source:
        case, endpoints = desk(source)
        async with driver(endpoints) as client:
            answer = await client.post(RECORDED, content=question())
        await last_response(case)
    assert answer.status_code == tape.added[0].status == 429
    assert answer.headers["retry-after"] == tape.added[0].response_headers["retry-after"][0]
    assert case.replies == {}


async def test_a_loop_that_goes_away_is_kept_as_closed() -> None:
    tape = FakeTape()
    async with a_model([HELLO]) as (base, _), recording(base, tape) as source:
        _, endpoints = desk(source)
        async with in_process(endpoints) as client, client.stream("POST", RECORDED, content=question()) as answer:
            first = await anext(aiter(answer.aiter_raw()))
    (kept,) = tape.added
    assert kept.delivery is not None
    assert (kept.delivery.end, kept.response) == ("closed", first)


@pytest.mark.parametrize("driver", DRIVERS)
async def test_a_model_that_is_not_there_is_told_and_nothing_is_kept(driver) -> None:
    tape = FakeTape()
    async with a_model([]) as (base, _):
        pass
    async with recording(base, tape) as source:
        _, endpoints = desk(source)
        async with driver(endpoints) as client:
            answer = await client.post(RECORDED, content=question())
        assert answer.status_code == 502
        assert "does not answer" in answer.json()["error"]["message"]
        assert "is it running" in str(source.problem)
    assert tape.added == []


async def test_what_may_not_be_kept_is_told_while_the_loop_goes_on() -> None:
    tape = FakeTape(refuses="a.yaml: still holds an api-key")
    async with a_model([HELLO]) as (base, _), recording(base, tape) as source:
        _, endpoints = desk(source)
        async with in_process(endpoints) as client:
            answer = await client.post(RECORDED, content=question())
        assert answer.status_code == 200
        assert str(source.problem) == "a.yaml: still holds an api-key"


async def kept_of(steps: Sequence[Step]) -> list[Interaction]:
    tape = FakeTape()
    async with a_model(steps) as (base, _), recording(base, tape) as source:
        _, endpoints = desk(source)
        async with in_process(endpoints) as client:
            for _ in steps:
                await client.post(RECORDED, content=question())
    return tape.added


async def test_what_the_tape_knows_is_played_and_the_model_is_asked_for_the_rest() -> None:
    known = await kept_of([HELLO])
    tape = FakeTape(known)
    async with a_model([DONE]) as (base, model), recording(base, tape) as source:
        _, endpoints = desk(source)
        async with in_process(endpoints) as client:
            answers = [(await client.post(RECORDED, content=question())).content for _ in range(2)]
    assert answers[0] == known[0].response
    assert [each.response for each in tape.added] == answers[1:]
    assert len(model.recorder.trace().exchanges) == 1


async def test_a_tape_that_records_nothing_asks_nobody() -> None:
    tape = FakeTape(records=False)
    async with a_model([HELLO]) as (base, model), recording(base, tape) as source:
        case, endpoints = desk(source)
        async with in_process(endpoints) as client:
            answer = await client.post(RECORDED, content=question())
    assert answer.status_code == 400
    assert len(case.unknown) == 1
    assert model.recorder.trace().exchanges == ()


@pytest.mark.parametrize("driver", DRIVERS)
async def test_a_replay_is_exact_to_the_chunk_and_to_its_end(driver) -> None:
    recordings = await kept_of([HELLO, HELLO])
    source = ReplaySource(Player(cassette(recordings)))
    case, endpoints = desk(source)
    async with driver(endpoints) as client:
        answer = await client.post(RECORDED, content=question())
        response = await last_response(case)
        assert source.left() == [f"POST {recordings[1].url}"]
    assert answer.content == recordings[0].response
    assert recordings[0].delivery is not None
    assert response.chunks == recordings[0].delivery.chunks
    assert case.replies[0].turn.text == "Hello, wörld 🙂 and good bye."


@pytest.mark.parametrize("driver", DRIVERS)
async def test_a_cut_that_was_recorded_cuts_again(driver) -> None:
    tape = FakeTape()
    async with a_model([TurnStep(HELLO.turn, Cut(2))]) as (base, _), recording(base, tape) as source:
        _, endpoints = desk(source)
        async with in_process(endpoints) as client:
            with pytest.raises(httpx2.RemoteProtocolError):
                await client.post(RECORDED, content=question())
    case, endpoints = desk(ReplaySource(Player(cassette(tape.added))))
    async with driver(endpoints) as client:
        with pytest.raises(httpx2.RemoteProtocolError):
            await client.post(RECORDED, content=question())
    assert (await last_response(case)).end == "cut"


@pytest.mark.parametrize("driver", DRIVERS)
async def test_the_recorded_waits_are_kept_when_asked_for(driver, monkeypatch: pytest.MonkeyPatch) -> None:
    recordings = await kept_of([HELLO])
    assert recordings[0].delivery is not None
    waited: list[float] = []
    sleep = asyncio.sleep

    async def noted(seconds: float) -> None:
        waited.append(seconds)
        await sleep(0)

    _, endpoints = desk(ReplaySource(Player(cassette(recordings)), timed=True))
    async with driver(endpoints) as client:
        monkeypatch.setattr(asyncio, "sleep", noted)
        await client.post(RECORDED, content=question())
    assert [seconds for seconds in waited if seconds] == [wait / 1000 for wait in recordings[0].delivery.waits]


async def test_a_request_that_is_not_recorded_is_refused_with_what_differs() -> None:
    recordings = await kept_of([HELLO])
    case, endpoints = desk(ReplaySource(Player(cassette(recordings))))
    async with in_process(endpoints) as client:
        answer = await client.post(RECORDED, content=question().replace(b'"hi"', b'"ho"'))
    ((exchange, unknown),) = case.unknown
    assert answer.status_code == 400
    assert exchange == 0
    assert "ho" in unknown.got
    assert answer.json()["error"]["message"] == unknown.why


def test_a_piece_of_which_nothing_is_left_is_waited_for_and_not_sent() -> None:
    delivery = Delivery((2, 0, 3), (10.0, 20.0, 30.0), "cut")
    interaction = Interaction("POST", f"http://model{PATH}", {}, b"{}", 200, {}, b"abcde", delivery=delivery)
    timed = recorded(interaction, timed=True)
    assert (timed.chunks, timed.waits, timed.end) == ((b"ab", b"cde"), (0.01, 0.05), "cut")
    assert recorded(interaction).waits == ()
