"""A model that is recorded over WebSockets: a scripted endpoint on a loopback port, asked by the endpoint that the
official SDK asks."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
import websockets
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.server import ServerConnection

from harness.cassette import Cassette, Interaction, OverSocket, Provenance, read_cassette
from harness.cassette.by_place import PlaceSource
from harness.cassette.cassette_writer import CassetteWriter
from harness.cassette.index import open_player
from harness.cassette.matching import Player
from harness.cassette.on_websocket import UpstreamSockets
from harness.cassette.record import RecordSource
from harness.cassette.replay import ReplaySource
from harness.cassette.upstream import upstream_of
from harness.endpoint import (
    CaseEndpoint,
    Conversations,
    Endpoints,
    ModelRequest,
    Refusing,
    ScriptSource,
    Source,
    refusing,
)
from harness.endpoint.server import serving
from harness.lint import judge_cassette
from harness.scenario import Cut, HttpErrorStep, SocketFault, Step, TurnStep
from harness.secrets.redactor import Redactor
from harness.secrets.scan import scan
from harness.trace import Case, RequestRecord, ResponseRecord, SocketRecord
from harness.wire import Call, FinishReason, Route, Text, Turn, wire
from harness.wire.channels import CHANNELS
from harness.wire.turn import StreamError
from tests.sdks import openai

pytestmark = pytest.mark.anyio

CALL = TurnStep(Turn((Call("read", '{"path":"a"}'),), FinishReason.TOOL_CALLS))
DONE = TurnStep(Turn((Text("All done, wörld."),)))
TOOL = {
    "type": "function",
    "name": "read",
    "description": "Reads.",
    "parameters": {"type": "object", "properties": {"path": {"type": "string"}}},
    "strict": False,
}
OPTIONS: Any = {"proxy": None, "max_queue": None, "additional_headers": {"authorization": "Bearer the-loops-own"}}
"""With a bounded queue a client that leaves in the middle of an answer would wait for ten seconds."""

Json = dict[str, Any]
Talk = Callable[[str], Awaitable[list[list[Json]]]]


class FakeWriter:
    """A cassette in memory."""

    known: Sequence[Interaction] = ()
    records = True

    def __init__(self) -> None:
        self.added: list[Interaction] = []

    def add(self, interaction: Interaction) -> None:
        self.added.append(interaction)

    @property
    def exchanges(self) -> list[Interaction]:
        return [each for each in self.added if not each.opens_socket]

    @property
    def opened(self) -> list[Interaction]:
        return [each for each in self.added if each.opens_socket]


@asynccontextmanager
async def served(
    source: Source, *, sockets: bool = True, refuse: Refusing = "must"
) -> AsyncIterator[tuple[str, CaseEndpoint]]:
    """An endpoint on a port, with its base URL."""
    case = Case(id="a-case", scenario="a-case", wire="openai-responses", transport="websocket", source="live")
    endpoint = CaseEndpoint(case, source, clock=lambda: 0.0, enforcement=refusing(refuse))
    endpoints = Endpoints()
    prefix = endpoints.open("a-case", endpoint, channels=CHANNELS if sockets else ())
    async with serving(endpoints) as base:
        yield base + prefix, endpoint


@asynccontextmanager
async def recorded_by(
    writer: Any, upstream: str, redactor: Redactor | None = None
) -> AsyncIterator[tuple[str, CaseEndpoint]]:
    """The endpoint that the loop asks, which asks ``upstream``."""
    ticks = itertools.count()
    async with httpx2.AsyncClient(trust_env=False) as client:
        player = Player(Cassette(Path("a.yaml"), ()), redactor)
        asked = upstream_of("openai-responses", upstream, {})
        source = RecordSource(writer, player, asked, client, lambda: next(ticks) / 1000)
        try:
            async with served(source, refuse="nothing") as (base, endpoint):
                yield base, endpoint
        finally:
            await source.close()


@asynccontextmanager
async def recording(*steps: Step, sockets: bool = True) -> AsyncIterator[tuple[str, FakeWriter, CaseEndpoint]]:
    """A model that is recorded: the base URL for the loop, what is kept, and the endpoint that plays the model."""
    writer = FakeWriter()
    async with (
        served(ScriptSource(steps), sockets=sockets) as (upstream, model),
        recorded_by(writer, upstream) as (base, _),
    ):
        yield base, writer, model


@asynccontextmanager
async def connected(base: str) -> AsyncIterator[ClientConnection]:
    url = f"ws{base.removeprefix('http')}/v1/responses"
    async with websockets.connect(url, **OPTIONS) as it:
        yield it


def create(*items: Any, **members: Any) -> Json:
    return {"type": "response.create", "model": "m", "store": False, "input": list(items), "tools": [TOOL], **members}


def user(text: str) -> Json:
    return {"role": "user", "content": text}


def goes_on(events: Sequence[Json]) -> Json:
    """The request with the result of the call of an answer."""
    response = events[-1]["response"]
    result = {"type": "function_call_output", "call_id": response["output"][0]["call_id"], "output": "done"}
    return create(result, previous_response_id=response["id"])


async def ask(connection: ClientConnection, frame: Json) -> list[Json]:
    """The frames of the answer, to its end; what has come where the connection ends."""
    await connection.send(json.dumps(frame))
    events: list[Json] = []
    try:
        while not events or events[-1]["type"] not in ("response.completed", "response.failed", "error"):
            events.append(json.loads(await connection.recv()))
    except websockets.ConnectionClosed:
        pass
    return events


async def until(condition: Any) -> None:
    """Until what another task does is done."""
    for _ in range(10_000):
        if condition():
            return
        await asyncio.to_thread(lambda: None)
    raise AssertionError("it has not come to this")


def asked(endpoint: CaseEndpoint) -> list[RequestRecord]:
    return [each for each in endpoint.recorder.trace().records if isinstance(each, RequestRecord)]


def answers(endpoint: CaseEndpoint) -> list[ResponseRecord]:
    return [each for each in endpoint.recorder.trace().records if isinstance(each, ResponseRecord)]


def place(interaction: Interaction) -> OverSocket | None:
    assert interaction.delivery is not None
    return interaction.delivery.socket


async def test_a_loop_on_the_official_sdk_is_recorded_over_the_connection_that_it_asks_on() -> None:
    async with (
        recording(CALL, DONE) as (base, writer, model),
        openai.AsyncOpenAI(base_url=f"{base}/v1", api_key="the-loops-own") as client,
        client.responses.connect(websocket_connection_options={"proxy": None}) as connection,
    ):
        first = await sdk_turn(connection, input="Go.", tools=[TOOL])
        call = first.output[0]
        result = {"type": "function_call_output", "call_id": call.call_id, "output": "done"}
        last = await sdk_turn(connection, input=[result], tools=[TOOL], previous_response_id=first.id)
        assert last.output_text == "All done, wörld."
        await until(lambda: len(writer.added) == 3)
    (opened,) = writer.opened
    assert (opened.method, opened.status, place(opened)) == ("GET", 101, OverSocket(1))
    assert [place(each) for each in writer.exchanges] == [OverSocket(1), OverSocket(1)]
    assert [each.connection for each in asked(model)] == [1, 1]
    assert [each.response for each in writer.exchanges] == [each.body for each in answers(model)]
    assert [json.loads(each.request or b"") for each in writer.exchanges] == [
        json.loads(each.body) for each in asked(model)
    ]
    assert all((each.method, each.url.rpartition("/")[2]) == ("POST", "responses") for each in writer.exchanges)
    assert "the-loops-own" not in str(writer.added)
    assert {each.headers["authorization"] for each in asked(model)} == {"[redacted]"}


async def sdk_turn(connection: Any, **members: Any) -> Any:
    await connection.response.create(model="m", store=False, **members)
    async for event in connection:
        if event.type == "response.completed":
            return event.response
    raise AssertionError("the connection has ended")


async def test_each_connection_of_the_loop_has_its_own() -> None:
    async with recording(CALL, DONE) as (base, writer, model), connected(base) as one, connected(base) as other:
        first = await ask(one, create(user("Go.")))
        (refused,) = await ask(other, goes_on(first))
        await until(lambda: len(writer.exchanges) == 2)
    assert refused["error"]["code"] == "previous_response_not_found"
    assert [each.connection for each in asked(model)] == [1, 2]
    assert [(each.status, place(each)) for each in writer.exchanges] == [(200, OverSocket(1)), (400, OverSocket(2))]
    assert json.loads(writer.exchanges[1].response)["error"] == refused["error"]


async def test_lanes_are_those_of_the_loop() -> None:
    async with recording(DONE, DONE) as (base, writer, model), connected(base) as connection:
        for lane in ("a", "b"):
            await connection.send(json.dumps(create(user(lane), stream_id=lane)))
        events: list[Json] = []
        while sum(each["type"] == "response.completed" for each in events) < 2:
            events.append(json.loads(await connection.recv()))
        await until(lambda: len(writer.exchanges) == 2)
    assert {each["stream_id"] for each in events} == {"a", "b"}
    assert {each.lane for each in asked(model)} == {"a", "b"}
    assert {place(each) for each in writer.exchanges} == {OverSocket(1, "a"), OverSocket(1, "b")}
    assert b"stream_id" not in writer.exchanges[0].response


@pytest.mark.parametrize(("how", "seen", "kept"), [("close", 1012, 1012), ("cut", 1006, 0)])
async def test_a_connection_that_breaks_in_mid_answer_breaks_here_too(how: Any, seen: int, kept: int) -> None:
    async with recording(replace(DONE, cut=Cut(2, how, code=1012))) as (base, writer, _):
        async with connected(base) as connection:
            events = await ask(connection, create(user("Go.")))
        await until(lambda: writer.exchanges)
    assert [each["type"] for each in events] == ["response.created", "response.in_progress"]
    assert connection.close_code == seen
    (broken,) = writer.exchanges
    assert broken.delivery is not None
    assert (broken.delivery.end, len(broken.delivery.chunks), place(broken)) == ("cut", 2, OverSocket(1, "", kept))


async def test_a_connection_that_is_closed_between_two_answers_breaks_at_the_next_request() -> None:
    async with recording(replace(CALL, socket=SocketFault(close=1000)), DONE) as (base, writer, model):
        async with connected(base) as connection:
            first = await ask(connection, create(user("Go.")))
            await until(lambda: "close" in happened(model))
            assert await ask(connection, goes_on(first)) == []
        await until(lambda: len(writer.exchanges) == 2)
    assert connection.close_code == 1000
    lost = writer.exchanges[1]
    assert (lost.status, lost.response, place(lost)) == (200, b"", OverSocket(1, "", 1000))


def happened(endpoint: CaseEndpoint) -> list[str]:
    return [each.did for each in endpoint.recorder.trace().records if isinstance(each, SocketRecord)]


ANSWER = {"type": "response.completed", "response": {"id": "resp_1", "status": "completed", "output": []}}
UNASKED = {"type": "error", "status": 400, "error": {"type": "x", "code": "too_long", "message": "No more."}}


@asynccontextmanager
async def a_server() -> AsyncIterator[str]:
    """A server that answers each message at once, and sends an error once behind its first answer, unasked."""
    behind = [json.dumps(UNASKED)]

    async def answer(connection: ServerConnection) -> None:
        async for _ in connection:
            await connection.send(json.dumps(ANSWER))
            for each in behind:
                await connection.send(each)
            behind.clear()

    async with websockets.serve(answer, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        yield f"http://127.0.0.1:{port}"


async def test_an_error_that_nobody_asked_for_answers_the_next_request() -> None:
    writer = FakeWriter()
    async with a_server() as upstream, recorded_by(writer, upstream) as (base, _), connected(base) as connection:
        (first,) = await ask(connection, create(user("Go.")))
        (second,) = await ask(connection, create(user("And?")))
        (third,) = await ask(connection, create(user("Now?")))
        await until(lambda: len(writer.exchanges) == 3)
    assert first == third == ANSWER
    assert second == UNASKED
    assert [each.status for each in writer.exchanges] == [200, 400, 200]


async def test_a_loop_that_leaves_when_it_has_all_has_left_nothing() -> None:
    kept: list[Interaction] = []
    body = json.dumps({"model": "m", "input": "Go."}).encode()
    conversation = wire("openai-responses").read(Route("openai-responses", stream=None), body)
    request = ModelRequest("POST", "/v1/responses", {}, body, replace(conversation, connection=1))
    mode = wire("openai-responses").channels["websocket"]
    async with a_server() as upstream:
        sockets = UpstreamSockets(upstream_of("openai-responses", upstream, {}), lambda: 0.0, kept.append)
        answer = await sockets.ask(request, mode)
        assert answer is not None
        assert len([piece async for piece in answer]) == 1
        assert await answer.close("closed") == "eof"
        await sockets.close()
    assert kept[-1].delivery is not None
    assert kept[-1].delivery.end == "eof"


async def test_an_error_in_mid_answer_is_kept_as_it_came() -> None:
    async with (
        recording(replace(DONE, turn=replace(DONE.turn, error=StreamError("overloaded")))) as (
            base,
            writer,
            model,
        ),
        connected(base) as connection,
    ):
        events = await ask(connection, create(user("Go.")))
        await until(lambda: writer.exchanges)
    assert (events[-1]["status"], events[-1]["error"]["code"]) == (503, "server_is_overloaded")
    assert writer.exchanges[0].response == answers(model)[0].body


async def test_an_error_in_place_of_an_answer_has_the_status_and_the_headers_of_http() -> None:
    async with recording(HttpErrorStep(429, 3.0)) as (base, writer, _), connected(base) as connection:
        (error,) = await ask(connection, create(user("Go.")))
        await until(lambda: writer.exchanges)
    (kept,) = writer.exchanges
    assert (kept.status, kept.response_headers["retry-after"], error["status"]) == (429, ("3",), 429)
    assert error["error"]["headers"]["retry-after"] == "3"


async def test_an_upstream_without_websockets_is_asked_over_http() -> None:
    async with recording(CALL, DONE, sockets=False) as (base, writer, model), connected(base) as connection:
        events = await ask(connection, create(user("Go.")))
        await until(lambda: writer.added)
    assert events[-1]["type"] == "response.completed"
    assert [(each.method, place(each)) for each in writer.added] == [("POST", None)]
    assert [each.connection for each in asked(model)] == [0]


async def test_a_connection_that_is_refused_is_the_answer_to_the_request() -> None:
    refusing_one = replace(DONE, socket=SocketFault(refuse=401))
    async with recording(refusing_one) as (base, writer, _), connected(base) as connection:
        (error,) = await ask(connection, create(user("Go.")))
        await until(lambda: writer.exchanges)
    assert (error["status"], error["error"]["code"]) == (401, "invalid_api_key")
    assert [(each.method, each.status) for each in writer.added] == [("POST", 401)]


async def test_an_upstream_that_is_not_there_is_reported() -> None:
    writer = FakeWriter()
    async with served(ScriptSource(())) as (gone, _):
        pass
    async with recorded_by(writer, gone) as (base, _), connected(base) as connection:
        (error,) = await ask(connection, create(user("Go.")))
    assert (error["status"], writer.added) == (502, [])
    assert "does not answer" in error["error"]["message"]


async def test_a_loop_that_leaves_in_mid_answer_leaves_the_upstream_too() -> None:
    long = TurnStep(Turn((Text("word " * 20_000),)))
    async with recording(long) as (base, writer, model):
        async with connected(base) as connection:
            await connection.send(json.dumps(create(user("Go."))))
            await connection.recv()
        await until(lambda: writer.exchanges)
        (left,) = writer.exchanges
        await until(lambda: "left" in happened(model))
    assert left.delivery is not None
    assert left.delivery.end == "closed"


# --- in files -----------------------------------------------------------------------------------------------

PROVENANCE = Provenance("live", "a-case", "openai-responses", "a-loop", "a server", "m", "2026-11-27", "1")


async def conversation(base: str) -> list[list[Json]]:
    """Two turns, what a third makes of the connection, and the code with which that was closed."""
    async with connected(base) as connection:
        first = await ask(connection, create(user("Write to ada.lovelace@engines.io."), stream_id="a"))
        second = await ask(connection, {**goes_on(first), "stream_id": "a"})
        third = await ask(connection, create(user("And now?"), stream_id="a"))
    return [first, second, third, [{"code": connection.close_code}]]


async def recorded_file(path: Path, *steps: Step, talk: Talk = conversation) -> list[list[Json]]:
    """Record a loop to a file. Returns what the loop got."""
    redactor = Redactor()
    with CassetteWriter.open(path, "once", PROVENANCE, redactor=redactor, scan=scan) as writer:
        async with (
            served(ScriptSource(steps)) as (upstream, _),
            recorded_by(writer, upstream, redactor) as (base, _),
        ):
            return await talk(base)


async def test_what_was_recorded_is_replayed_message_by_message(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    heard = await recorded_file(path, CALL, DONE, replace(DONE, cut=Cut(2, "close", code=1011)))
    text = path.read_text()
    assert "the-loops-own" not in text
    assert "ada.lovelace@engines.io" not in text
    kept = read_cassette(path).interactions
    assert [place(each) for each in kept] == [OverSocket(1), *[OverSocket(1, "a")] * 2, OverSocket(1, "a", 1011)]
    for _ in range(2):
        source = ReplaySource(open_player(path, Redactor()))
        async with served(source) as (base, endpoint):
            assert await conversation(base) == heard
        assert endpoint.unknown == []
        assert list(source.left()) == []
    assert [each["type"] for each in heard[2]] == ["response.created", "response.in_progress"]
    assert heard[3] == [{"code": 1011}]


async def test_what_was_recorded_is_replayed_by_place_beyond_a_lost_connection(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    heard = await recorded_file(path, CALL, DONE, DONE, talk=all_again)
    async with served(PlaceSource(read_cassette(path), Conversations, {})) as (base, endpoint):
        assert await all_again(base) == heard
    assert endpoint.unknown == []


async def all_again(base: str) -> list[list[Json]]:
    """Two turns on one connection, and a third with the whole input on another."""
    async with connected(base) as connection:
        first = await ask(connection, create(user("Go.")))
        second = await ask(connection, goes_on(first))
    items = [*first[-1]["response"]["output"], *goes_on(first)["input"], *second[-1]["response"]["output"]]
    async with connected(base) as connection:
        return [first, second, await ask(connection, create(user("Go."), *items, user("More.")))]


async def test_the_requests_of_a_recording_are_judged_by_their_connections(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    with CassetteWriter.open(path, "once", PROVENANCE, redactor=Redactor(), scan=scan) as writer:
        async with (
            served(ScriptSource([CALL, DONE])) as (upstream, _),
            recorded_by(writer, upstream) as (base, _),
            connected(base) as one,
            connected(base) as other,
        ):
            first = await ask(one, create(user("Go.")))
            await ask(one, goes_on(first))
            await ask(other, goes_on(first))
    judged = [[found.id for found in each.judgement.violations] for each in judge_cassette(path).judged]
    assert judged[:2] == [[], []]
    assert "OAI-CONNECTION" in judged[2]


async def test_a_recording_over_http_that_breaks_off_breaks_a_websocket(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    await recorded_file(path, CALL, DONE, replace(DONE, cut=Cut(2, "close", code=1011)))
    path.write_text(path.read_text().replace("code: 1011, ", "").replace(", code: 1011", ""))
    async with served(ReplaySource(open_player(path, Redactor()))) as (base, _):
        assert (await conversation(base))[3] == [{"code": 1006}]
