"""Responses over WebSocket at the endpoint: a real socket, asked by ``websockets`` and by the official SDK."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
import websockets
from websockets.asyncio.client import ClientConnection

from harness.endpoint import (
    CaseEndpoint,
    Endpoints,
    ModelRequest,
    Pause,
    RecordedResponse,
    Rounds,
    ScriptSource,
    Source,
)
from harness.endpoint.server import serving
from harness.endpoint.socket_connection import SocketConnection
from harness.rules import TraceView
from harness.scenario import Cut, HttpErrorStep, SocketFault, Step, TurnStep
from harness.trace import RequestRecord, ResponseRecord, SocketRecord, dumps, loads
from harness.wire import Text, Turn, wire
from harness.wire.channels import CHANNELS
from harness.wire.sse import frame, parse_events
from harness.wire.turn import ErrorKind, StreamError
from tests.endpoint.endpoint import CALL, DONE, desk
from tests.sdks import openai

pytestmark = pytest.mark.anyio

TOOL = {
    "type": "function",
    "name": "read",
    "description": "Reads.",
    "parameters": {"type": "object", "properties": {"path": {"type": "string"}}},
    "strict": False,
}
Json = dict[str, Any]


def endpoint(*steps: Step, wire: str = "openai-responses", model: Source | None = None) -> CaseEndpoint:
    return desk(steps, wire=wire, model=model, transport="websocket")


@asynccontextmanager
async def served(case: CaseEndpoint | Rounds, *, websockets: bool = True) -> AsyncIterator[str]:
    endpoints = Endpoints()
    endpoints.open("a-case", case, channels=CHANNELS if websockets else ())
    async with serving(endpoints) as base:
        yield f"{base}/case/a-case/v1".replace("http", "ws", 1)


@asynccontextmanager
async def by_the_official_client(case: CaseEndpoint) -> AsyncIterator[Any]:
    """A connection of the official client to the case."""
    async with (
        served(case) as base,
        openai.AsyncOpenAI(base_url=base.replace("ws", "http", 1), api_key="k") as client,
        client.responses.connect(websocket_connection_options={"proxy": None}) as connection,
    ):
        yield connection


@asynccontextmanager
async def connected(base: str) -> AsyncIterator[ClientConnection]:
    async with websockets.connect(f"{base}/responses", proxy=None) as connection:
        yield connection


class Recorded(ScriptSource):
    """Answers every request with one response."""

    def __init__(self, response: RecordedResponse) -> None:
        super().__init__(())
        self._response = response

    def next(self, request: ModelRequest) -> RecordedResponse:
        return self._response


def create(*items: Any, **members: Any) -> Json:
    return {
        "type": "response.create",
        "model": "gpt-5.5",
        "store": False,
        "input": list(items),
        "tools": [TOOL],
        **members,
    }


def user(text: str) -> Json:
    return {"role": "user", "content": text}


def result(events: Sequence[Json]) -> Json:
    call = events[-1]["response"]["output"][0]
    return {"type": "function_call_output", "call_id": call["call_id"], "output": "done"}


async def ask(connection: ClientConnection, frame: Json) -> list[Json]:
    """The frames of the answer, to its terminal event."""
    await connection.send(json.dumps(frame))
    return await heard(connection)


async def heard(
    connection: ClientConnection, ends: Sequence[str] = ("completed", "incomplete", "failed")
) -> list[Json]:
    events: list[Json] = []
    while True:
        events.append(json.loads(await connection.recv()))
        if events[-1]["type"] == "error" or events[-1]["type"].removeprefix("response.") in ends:
            return events


async def until_lost(connection: ClientConnection) -> AsyncIterator[str | bytes]:
    """The frames until the connection is lost."""
    try:
        while True:
            yield await connection.recv()
    except websockets.ConnectionClosed:
        return


def requests(case: CaseEndpoint) -> list[RequestRecord]:
    return [each for each in case.recorder.trace().records if isinstance(each, RequestRecord)]


def judged_again(case: CaseEndpoint) -> list[str]:
    """What the rules of the wire find in the trace alone."""
    return [finding.id for _, finding in TraceView(case.recorder.trace()).violations]


def happened(case: CaseEndpoint) -> list[str]:
    return [each.did for each in case.recorder.trace().records if isinstance(each, SocketRecord)]


async def test_a_frame_is_a_request_and_the_data_of_each_event_is_a_frame() -> None:
    case = endpoint(CALL, DONE)
    async with served(case) as base, connected(base) as connection:
        first = await ask(connection, create(user("Go.")))
        delta = create(result(first), previous_response_id=first[0]["response"]["id"])
        second = await ask(connection, delta)
    assert [each["sequence_number"] for each in first] == list(range(len(first)))
    assert second[-1]["response"]["output"][0]["content"][0]["text"] == "All done."
    assert [finding.id for _, finding in case.violations] == []
    asked = requests(case)
    assert [(each.method, each.path, each.connection) for each in asked] == [("POST", "/v1/responses", 1)] * 2
    assert json.loads(asked[1].body) == {**{k: v for k, v in delta.items() if k != "type"}, "stream": True}
    answers = [each for each in case.recorder.trace().records if isinstance(each, ResponseRecord)]
    assert [json.loads(each.data) for each in parse_events(answers[0].body)] == first
    assert happened(case) == ["open", "left"]


async def test_a_trace_with_a_websocket_is_read_back() -> None:
    case = endpoint(DONE)
    async with served(case) as base, connected(base) as connection:
        await ask(connection, create(user("Go."), stream_id="a"))
    trace = case.recorder.trace()
    assert loads(dumps(trace)) == trace
    assert requests(case)[0].lane == "a"


async def test_the_official_client_is_answered() -> None:
    case, types = endpoint(DONE), []
    async with by_the_official_client(case) as connection:
        await connection.response.create(model="gpt-5.5", input="Go.", store=False)
        async for event in connection:
            types.append(event.type)
            if event.type == "response.completed":
                break
    assert types[0] == "response.created"
    assert [json.loads(each.body)["input"] for each in requests(case)] == ["Go."]


async def test_what_is_not_stored_lives_in_its_connection() -> None:
    case = endpoint(CALL, DONE)
    async with served(case) as base:
        async with connected(base) as connection:
            first = await ask(connection, create(user("Go.")))
        delta = create(result(first), previous_response_id=first[0]["response"]["id"])
        async with connected(base) as connection:
            (refused,) = await ask(connection, delta)
            items = first[-1]["response"]["output"]
            last = await ask(connection, create(user("Go."), *items, result(first)))
    assert (refused["type"], refused["status"]) == ("error", 400)
    assert refused["error"]["code"] == "previous_response_not_found"
    assert last[-1]["type"] == "response.completed"
    assert [finding.id for _, finding in case.violations] == judged_again(case) == ["OAI-CONNECTION"]


async def test_what_is_stored_is_found_on_another_connection() -> None:
    case = endpoint(CALL, DONE)
    async with served(case) as base:
        async with connected(base) as connection:
            first = await ask(connection, create(user("Go."), store=True))
        async with connected(base) as connection:
            delta = create(result(first), previous_response_id=first[0]["response"]["id"], store=True)
            assert (await ask(connection, delta))[-1]["type"] == "response.completed"
    assert case.violations == judged_again(case) == []


async def test_an_error_drops_what_its_request_goes_on_from() -> None:
    case = endpoint(CALL, HttpErrorStep(429, 2.0), DONE)
    async with served(case) as base, connected(base) as connection:
        first = await ask(connection, create(user("Go.")))
        delta = create(result(first), previous_response_id=first[0]["response"]["id"])
        (limited,) = await ask(connection, delta)
        (refused,) = await ask(connection, delta)
    assert (limited["status"], limited["error"]["code"]) == (429, "rate_limit_exceeded")
    assert limited["error"]["headers"]["retry-after"] == "2"
    assert refused["error"]["code"] == "previous_response_not_found"
    assert [finding.id for _, finding in case.violations] == judged_again(case) == ["OAI-CONNECTION"]


async def test_a_warm_up_is_answered_and_is_no_request() -> None:
    case = endpoint(DONE)
    async with served(case) as base, connected(base) as connection:
        warm = await ask(connection, create({"role": "developer", "content": "Be brief."}, generate=False))
        last = await ask(connection, create(user("Go."), previous_response_id=warm[0]["response"]["id"]))
    assert warm[-1]["response"]["output"] == []
    assert last[-1]["response"]["output"][0]["content"][0]["text"] == "All done."
    (asked,) = requests(case)
    body = json.loads(asked.body)
    assert [item["role"] for item in body["input"]] == ["developer", "user"]
    assert "previous_response_id" not in body
    assert "generate" not in body
    assert happened(case) == ["open", "warm-up", "left"]


async def test_streams_are_distinguished_by_their_names() -> None:
    case = endpoint(DONE, DONE)
    async with served(case) as base, connected(base) as connection:
        for lane in ("a", "b"):
            await connection.send(json.dumps(create(user("Go."), stream_id=lane)))
        events = [*await heard(connection), *await heard(connection)]
    assert {each["stream_id"] for each in events} == {"a", "b"}
    assert [each["type"] for each in events].count("response.completed") == 2


async def test_a_request_before_the_end_of_the_last_answer_waits_and_is_noted() -> None:
    case = endpoint(DONE, DONE)
    async with served(case) as base, connected(base) as connection:
        for _ in range(2):
            await connection.send(json.dumps(create(user("Go."))))
        for _ in range(2):
            assert (await heard(connection))[-1]["type"] == "response.completed"
    assert happened(case).count("early") == 1


async def test_a_ping_is_answered_while_an_answer_waits() -> None:
    case, goes_on = endpoint(DONE), asyncio.Event()

    async def waited() -> bool:
        await goes_on.wait()
        return False

    case.pauses = lambda *_: (Pause(2, waited),)
    async with served(case) as base, connected(base) as connection:
        await connection.send(json.dumps(create(user("Go."))))
        begun = [json.loads(await connection.recv())["type"] for _ in range(2)]
        await (await connection.ping())
        goes_on.set()
        rest = await heard(connection)
    assert begun == ["response.created", "response.in_progress"]
    assert rest[-1]["type"] == "response.completed"


async def test_a_message_may_be_longer_than_clients_take_by_default() -> None:
    long = TurnStep(Turn((Text("a word, " * 140_000),), deltas="whole"))
    case = endpoint(long, long)
    async with served(case) as base:
        url = f"{base}/responses"
        async with websockets.connect(url, proxy=None, max_size=None, max_queue=None) as connection:
            assert (await ask(connection, create(user("w" * 2_000_000))))[-1]["type"] == "response.completed"
        async with connected(base) as connection:  # as the official SDK connects: up to 1 MiB
            await connection.send(json.dumps(create(user("Go."))))
            assert [text async for text in until_lost(connection)]
    left = [each for each in case.recorder.trace().records if isinstance(each, SocketRecord) and each.did == "left"]
    assert [each.code for each in left] == [1000, 1009]
    assert len(requests(case)[0].body) > 2_000_000


@pytest.mark.parametrize(
    ("frame", "kind", "code"),
    [
        ("[]", "no JSON object", None),
        ('{"type":"response.cancel"}', "response.cancel", None),
        ('{"type":"response.create","stream_id":"a b"}', "response.create", "invalid_stream_id"),
    ],
)
async def test_other_frames_are_refused_and_counted(frame: str, kind: str, code: str | None) -> None:
    case, endpoints = endpoint(DONE), Endpoints()
    endpoints.open("a-case", case, channels=CHANNELS)
    async with serving(endpoints) as base, connected(f"{base}/case/a-case/v1".replace("http", "ws", 1)) as connection:
        await connection.send(frame)
        refused = json.loads(await connection.recv())
    assert (refused["type"], refused["status"], refused["error"]["code"]) == ("error", 400, code)
    assert endpoints.not_served("a-case") == {f"WEBSOCKET /v1/responses ({kind})": 1}


async def test_results_for_an_agent_of_a_response_come_back() -> None:
    output = {"type": "function_call_output", "call_id": "call_1", "output": "4"}
    async with served(endpoint(DONE)) as base, connected(base) as connection:
        await connection.send(json.dumps({"type": "response.inject", "response_id": "resp_1", "input": [output]}))
        failed = json.loads(await connection.recv())
    assert (failed["type"], failed["error"]["code"]) == ("response.inject.failed", "response_not_found")
    assert (failed["response_id"], failed["input"]) == ("resp_1", [output])


# --- steering ---------------------------------------------------------------------------------------------------

STEERABLE = replace(DONE, socket=SocketFault(steerable=True))


def steer(response: str, text: str = "In French.") -> str:
    return json.dumps({"type": "response.steer", "previous_response_id": response, "input": text})


async def test_a_response_that_is_steered_ends_and_its_successor_follows() -> None:
    case = endpoint(STEERABLE, DONE)
    async with served(case) as base, connected(base) as connection:
        await connection.send(json.dumps(create(user("Go."))))
        first = json.loads(await connection.recv())["response"]["id"]
        await connection.send(steer(first))
        events = await heard(connection)
        successor = await heard(connection)
        (late,) = [*await steered(connection, first)]
        await connection.send(steer("resp_unknown"))
        unknown = json.loads(await connection.recv())
    (accepted,) = [each for each in events if each["type"] == "response.steer.accepted"]
    assert accepted["steer"] == {"id": "steer_1", "previous_response_id": first}
    assert events[-1]["response"]["incomplete_details"] == {"reason": "steered"}
    assert events[-1]["response"]["output"][0]["content"][0]["text"] == "All done."
    assert successor[0]["type"] == "response.created"
    assert successor[0]["response"]["id"] != first
    assert late["error"]["code"] == "response_already_completed"
    assert unknown["error"]["code"] == "response_not_found"
    assert case.violations == judged_again(case) == []
    body = json.loads(requests(case)[1].body)
    assert (body["previous_response_id"], body["input"]) == (first, [user("In French.")])
    assert happened(case) == ["open", "steer", "left"]
    assert len(case.replies) == 2


async def steered(connection: ClientConnection, response: str) -> list[Json]:
    await connection.send(steer(response))
    return [json.loads(await connection.recv())]


async def test_what_is_said_to_a_response_with_calls_waits_for_their_results() -> None:
    case = endpoint(replace(CALL, socket=SocketFault(steerable=True)), DONE)
    async with served(case) as base, connected(base) as connection:
        await connection.send(json.dumps(create(user("Go."))))
        first = json.loads(await connection.recv())["response"]["id"]
        await connection.send(steer(first))
        events = await heard(connection)
        pending = json.loads(await connection.recv())
        delta = create(result(events), previous_response_id=first)
        assert (await ask(connection, delta))[-1]["type"] == "response.completed"
    assert events[-1]["type"] == "response.completed"
    (called,) = events[-1]["response"]["output"]
    assert pending["type"] == "response.steer.pending"
    assert pending["required_input"] == [{"type": "function_call_output", "call_id": called["call_id"]}]
    assert case.violations == judged_again(case) == []
    assert json.loads(requests(case)[1].body)["input"] == [user("In French."), result(events)]


async def test_a_response_that_nobody_steers_ends_as_it_was_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.endpoint.steered._PATIENCE", 0.01)
    case = endpoint(STEERABLE)
    async with served(case) as base, connected(base) as connection:
        assert (await ask(connection, create(user("Go."))))[-1]["type"] == "response.completed"
    assert len(requests(case)) == 1


async def test_the_official_client_steers() -> None:
    case, types = endpoint(STEERABLE, DONE), []
    async with by_the_official_client(case) as connection:
        await connection.response.create(model="gpt-5.5", input="Go.", store=False)
        async for event in connection:
            types.append(event.type)
            if event.type == "response.created" and types.count(event.type) == 1:
                await connection.response.steer(previous_response_id=event.response.id, input="In French.")
            if event.type == "response.completed":
                break
    assert "response.steer.accepted" in types
    assert types.index("response.incomplete") < len(types) - 1


async def test_nothing_can_be_steered() -> None:
    async with served(endpoint(DONE)) as base, connected(base) as connection:
        await connection.send('{"type":"response.steer","previous_response_id":"resp_1","input":"Stop."}')
        failed = json.loads(await connection.recv())
    assert (failed["type"], failed["error"]["code"]) == ("response.steer.failed", "steering_not_supported")


async def test_the_33rd_stream_is_refused() -> None:
    case = endpoint(*[DONE] * 32)
    async with served(case) as base, connected(base) as connection:
        for number in range(32):
            await ask(connection, create(user("Go."), stream_id=str(number)))
        (refused,) = await ask(connection, create(user("Go."), stream_id="one-more"))
    assert refused["error"]["code"] == "websocket_stream_limit_reached"


@pytest.mark.parametrize(("streams", "crowded"), [(16, 0), (17, 1)])
async def test_sixteen_streams_have_an_answer_at_once(
    streams: int, crowded: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one without a name is beside them; the seventeenth waits, and that is noted."""
    case, goes_on, sends = endpoint(*[DONE] * (streams + 1)), asyncio.Event(), SocketConnection._events

    async def waits(*of: Any) -> None:
        await goes_on.wait()
        await sends(*of)

    monkeypatch.setattr(SocketConnection, "_events", waits)
    async with served(case) as base, connected(base) as connection:
        await connection.send(json.dumps(create(user("Go."))))
        for number in range(streams):
            await connection.send(json.dumps(create(user("Go."), stream_id=str(number))))
        await (await connection.ping())
        assert len(requests(case)) == 17
        goes_on.set()
        ends = [await heard(connection) for _ in range(streams + 1)]
    assert {each[-1]["type"] for each in ends} == {"response.completed"}
    assert happened(case).count("crowded") == crowded


async def test_a_stream_may_go_on_when_what_has_forked_from_it_is_being_made() -> None:
    case, goes_on = endpoint(*[DONE] * 5), asyncio.Event()

    async def waited() -> bool:
        await goes_on.wait()
        return False

    async with served(case) as base, connected(base) as connection:
        first = (await ask(connection, create(user("Go."))))[0]["response"]["id"]
        fork = create(user("And so?"), previous_response_id=first, stream_id="a")
        moves_on = create(user("More."), previous_response_id=first)
        case.pauses = lambda *_: (Pause(0, waited),)
        await connection.send(json.dumps(fork))
        await connection.send(json.dumps(moves_on))
        await (await connection.ping())
        goes_on.set()
        for _ in range(2):
            await heard(connection)
        assert happened(case).count("overtaken") == 1
        await ask(connection, fork)
        await ask(connection, create(user("More."), previous_response_id=first))
    assert happened(case).count("overtaken") == 1


# --- faults -----------------------------------------------------------------------------------------------------


def failing(kind: ErrorKind) -> TurnStep:
    return TurnStep(replace(DONE.turn, error=StreamError(kind, "No more.")))


@pytest.mark.parametrize(
    ("fault", "error", "said"),
    [
        (SocketFault(refuse=503, times=2), websockets.InvalidStatus, "HTTP 503"),
        (SocketFault(refuse=0, times=1), websockets.InvalidMessage, None),
        (SocketFault(hangs=True, times=1), TimeoutError, None),
    ],
    ids=["refused", "closed-without-an-answer", "never-answered"],
)
async def test_opening_fails_so_many_times(fault: SocketFault, error: type[Exception], said: str | None) -> None:
    case = endpoint(replace(DONE, socket=fault))
    async with served(case) as base:
        for _ in range(fault.times):
            with pytest.raises(error, match=said):
                await websockets.connect(f"{base}/responses", proxy=None, open_timeout=0.2 if fault.hangs else 10)
        async with connected(base) as connection:
            assert (await ask(connection, create(user("Go."))))[-1]["type"] == "response.completed"
    assert happened(case) == [*["refuse"] * fault.times, "open", "left"]


@pytest.mark.parametrize(("how", "code"), [("close", 1012), ("cut", 1006), ("reset", 1006)])
async def test_a_connection_breaks_in_the_middle_of_an_answer(how: Any, code: int) -> None:
    case = endpoint(replace(DONE, cut=Cut(2, how, code=1012)))
    async with served(case) as base, connected(base) as connection:
        await connection.send(json.dumps(create(user("Go."))))
        got = [json.loads(text)["type"] async for text in until_lost(connection)]
    assert got == ["response.created", "response.in_progress"]
    assert connection.close_code == code
    (answer,) = [each for each in case.recorder.trace().records if isinstance(each, ResponseRecord)]
    assert answer.end == ("reset" if how == "reset" else "cut")
    assert len(list(parse_events(answer.body))) == 2
    assert happened(case) == ["open", "close" if how == "close" else "cut"]


async def test_the_limit_ends_an_answer() -> None:
    case = endpoint(replace(DONE, cut=Cut(2, "limit")))
    async with served(case) as base, connected(base) as connection:
        events = await ask(connection, create(user("Go.")))
        with pytest.raises(websockets.ConnectionClosed):
            await connection.recv()
    assert events[-1]["error"]["code"] == "websocket_connection_limit_reached"
    assert happened(case) == ["open", "error", "close"]


async def test_a_connection_is_closed_behind_an_answer() -> None:
    case = endpoint(replace(DONE, socket=SocketFault(close=1000)))
    async with served(case) as base, connected(base) as connection:
        assert (await ask(connection, create(user("Go."))))[-1]["type"] == "response.completed"
        with pytest.raises(websockets.ConnectionClosed):
            await connection.recv()
    assert connection.close_code == 1000
    assert happened(case) == ["open", "close"]


async def test_an_answer_that_ends_without_its_last_event_ends_with_the_connection() -> None:
    case = endpoint(TurnStep(replace(DONE.turn, ending="eof")))
    async with served(case) as base, connected(base) as connection:
        await connection.send(json.dumps(create(user("Go."))))
        types = [json.loads(text)["type"] async for text in until_lost(connection)]
    assert types[-1] == "response.output_item.done"
    assert connection.close_code == 1000


async def test_the_limit_comes_while_nothing_is_asked() -> None:
    case = endpoint(replace(DONE, socket=SocketFault(limit=True)), DONE)
    async with served(case) as base, connected(base) as connection:
        await ask(connection, create(user("Go.")))
        (limit,) = await heard(connection)
        (again,) = await ask(connection, create(user("More.")))
    assert limit["error"]["code"] == again["error"]["code"] == "websocket_connection_limit_reached"
    assert len(requests(case)) == 1
    assert happened(case) == ["open", "error", "error", "left"]


async def test_a_response_is_forgotten_once() -> None:
    case = endpoint(CALL, replace(DONE, socket=SocketFault(forgets=True)))
    async with served(case) as base, connected(base) as connection:
        first = await ask(connection, create(user("Go.")))
        delta = create(result(first), previous_response_id=first[0]["response"]["id"])
        (forgotten,) = await ask(connection, delta)
        assert case.violations == []
        (again,) = await ask(connection, delta)
        items = first[-1]["response"]["output"]
        last = await ask(connection, create(user("Go."), *items, result(first)))
    assert forgotten["error"]["code"] == again["error"]["code"] == "previous_response_not_found"
    assert [finding.id for _, finding in case.violations] == judged_again(case) == ["OAI-CONNECTION"]
    assert last[-1]["type"] == "response.completed"


@pytest.mark.parametrize(
    ("kind", "status", "code", "type"),
    [
        ("overloaded", 503, "server_is_overloaded", "server_error"),
        ("context_length", 400, "context_length_exceeded", "invalid_request_error"),
    ],
)
async def test_an_error_in_the_middle_of_an_answer_has_the_form_that_the_official_client_knows(
    kind: ErrorKind, status: int, code: str, type: str
) -> None:
    case, events = endpoint(failing(kind), DONE), []
    async with by_the_official_client(case) as connection:
        await connection.response.create(model="gpt-5.5", input="Go.", store=False)
        async for event in connection:
            events.append(event)
            if event.type == "error":
                break
        await connection.response.create(model="gpt-5.5", input="Go.", store=False)
        behind = await connection.recv()
    error = events[-1]
    assert (error.status, error.error.code, error.error.message, error.error.type) == (status, code, "No more.", type)
    assert error.sequence_number == len(events) - 1
    assert behind.type == "response.created"  # an error is the end of its answer: nothing more of it comes
    (first, _) = [each for each in case.recorder.trace().records if isinstance(each, ResponseRecord)]
    assert [json.loads(each.data)["type"] for each in parse_events(first.body)] == [each.type for each in events]


async def test_a_recorded_error_of_http_has_its_form_over_a_websocket() -> None:
    flat = {"type": "error", "code": "server_error", "message": "No more.", "param": None, "sequence_number": 0}
    nested = {"type": "error", "error": {"type": "tokens", "code": None, "message": "No more."}}
    for recorded, heard in (
        (flat, {"type": "server_error", "code": "server_error", "message": "No more.", "param": None}),
        (nested, nested["error"]),
    ):
        answer = RecordedResponse(200, {"content-type": "text/event-stream"}, (frame(recorded),))
        case = endpoint(model=Recorded(answer))
        async with served(case) as base, connected(base) as connection:
            (error,) = await ask(connection, create(user("Go.")))
        assert error["error"] == heard
        assert error.get("status") == (500 if recorded is flat else None)  # what came over a WebSocket stays as it came


@pytest.mark.parametrize(
    ("step", "lane", "at", "expected"),
    [
        (failing("overloaded"), {"stream_id": "a"}, -1, {"type": "error", "stream_id": "a"}),
        (failing("server_error"), {}, -1, {"type": "response.failed"}),
        (replace(DONE, socket=SocketFault(unknown=True)), {}, 1, {"type": "response.metadata"}),
    ],
    ids=["error-of-a-named-stream", "failure-as-over-http", "unknown-event-in-between"],
)
async def test_events_other_than_usual(step: Step, lane: Json, at: int, expected: Json) -> None:
    async with served(endpoint(step)) as base, connected(base) as connection:
        event = (await ask(connection, create(user("Go."), **lane)))[at]
    assert event.items() >= expected.items()
    if event["type"] == "response.failed":
        assert event["response"]["error"] == {"code": "server_error", "message": "No more."}


async def test_events_of_another_stream_come_in_between_and_are_no_part_of_the_answer() -> None:
    case = endpoint(replace(DONE, socket=SocketFault(elsewhere=True)))
    async with served(case) as base, connected(base) as connection:
        events = await heard_all(connection, create(user("Go.")))
    stray = [each for each in events if each.get("stream_id")]
    assert [each["type"] for each in stray][-1] == "response.completed"
    assert [each["type"] for each in events][:2] == ["response.created", "response.created"]
    answer = next(each for each in case.recorder.trace().records if isinstance(each, ResponseRecord))
    assert [json.loads(each.data) for each in parse_events(answer.body)] == [e for e in events if e not in stray]
    assert happened(case) == ["open", "stray", "left"]


async def heard_all(connection: ClientConnection, frame: Json) -> list[Json]:
    """The messages up to the end of the answer on the stream without a name."""
    await connection.send(json.dumps(frame))
    events: list[Json] = []
    while not events or events[-1]["type"] != "response.completed" or "stream_id" in events[-1]:
        events.append(json.loads(await connection.recv()))
    return events


@pytest.mark.parametrize("offered", [True, False])
@pytest.mark.parametrize("accepted", [True, False])
async def test_messages_are_compressed_where_the_script_says_so_and_the_client_offers_it(
    offered: bool, accepted: bool
) -> None:
    case = endpoint(replace(DONE, socket=SocketFault(compresses=accepted)))
    async with served(case) as base:
        url = f"{base}/responses"
        async with websockets.connect(url, proxy=None, compression="deflate" if offered else None) as connection:
            names = [each.name for each in connection.protocol.extensions]
            events = await ask(connection, create(user("Go." * 5_000)))
    assert names == (["permessage-deflate"] if offered and accepted else [])
    assert events[-1]["response"]["output"][0]["content"][0]["text"] == "All done."
    assert json.loads(requests(case)[0].body)["input"] == [user("Go." * 5_000)]


# --- off --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wire_name", ["openai-responses", "openai-chat"])
async def test_where_none_are_served_the_answer_is_426(wire_name: str) -> None:
    case = endpoint(DONE, wire=wire_name)
    path = "responses" if wire_name == "openai-responses" else "chat/completions"
    async with served(case, websockets=not wire(wire_name).channels) as base:
        with pytest.raises(websockets.InvalidStatus) as refused:
            await websockets.connect(f"{base}/{path}", proxy=None)
    assert refused.value.response.status_code == 426


async def test_requests_right_behind_the_last_event_are_answered_in_turn() -> None:
    case = endpoint(*[DONE] * 20)
    async with served(case) as base, connected(base) as connection:
        for _ in range(20):
            assert (await ask(connection, create(user("Go."))))[-1]["type"] == "response.completed"
    assert happened(case) == ["open", "left"]
    answers = [each for each in case.recorder.trace().records if isinstance(each, ResponseRecord)]
    assert [each.exchange for each in answers] == list(range(20))


# --- rounds of a scenario that is served ------------------------------------------------------------------------


async def test_a_scenario_that_is_served_begins_anew_with_the_next_conversation() -> None:
    rounds = Rounds(lambda _: endpoint(CALL, DONE))
    async with served(rounds) as url:
        for _ in range(2):
            async with connected(url) as connection:
                warm = await ask(connection, create(generate=False))
                first = await ask(connection, create(user("Go."), previous_response_id=warm[0]["response"]["id"]))
                delta = create(result(first), previous_response_id=first[0]["response"]["id"])
                assert (await ask(connection, delta))[-1]["type"] == "response.completed"
    assert [len(requests(case)) for case in rounds.endpoints] == [2, 2]
    assert [case.violations for case in rounds.endpoints] == [[], []]


async def test_the_whole_input_after_a_loss_is_of_the_same_round() -> None:
    rounds = Rounds(lambda _: endpoint(replace(CALL, socket=SocketFault(close=1000)), DONE))
    async with served(rounds) as url:
        async with connected(url) as connection:
            first = await ask(connection, create(user("Go.")))
        async with connected(url) as connection:
            items = first[-1]["response"]["output"]
            last = await ask(connection, create(user("Go."), *items, result(first)))
    assert last[-1]["type"] == "response.completed"
    assert [len(requests(case)) for case in rounds.endpoints] == [2]
