"""The reference's turn-by-turn run beside the real one: what the Anthropic SDK's tool runner sends after each edit.

Where the two differ, the difference is asserted, too, so that ``docs/deviations.md`` stays true.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import httpx2
import pytest

from harness.endpoint import CaseEndpoint, Endpoints, ScriptSource
from harness.endpoint.transport import EndpointTransport
from harness.loop import ProviderTurn, Runner, SessionConfig
from harness.scenario import TurnStep
from harness.trace import Case
from harness.wire import Call, FinishReason, Message, Result, Text, Turn, recognise, wire
from harness.wire import wire as wire_named
from tests.loop.test_policies_on_wires import LONDON, PARIS, CityTools
from tests.sdks import anthropic, sessions

pytestmark = pytest.mark.anyio

MODEL = wire_named("anthropic-messages").default_model
SCRIPT = (
    Turn((Text("Looking."), Call("ask", PARIS), Call("ask", LONDON)), FinishReason.TOOL_CALLS),
    Turn((Text("Fine."),)),
)
NOTE = "In Celsius."

Edit = Callable[[Any, Any], Awaitable[None]]
Told = list[tuple[str, str]]


def serve() -> tuple[CaseEndpoint, httpx2.AsyncClient, str]:
    """An endpoint with the script; the same ids each time."""
    endpoints = Endpoints()
    case = Case(id="a-case", scenario="runner", wire="anthropic-messages")
    desk = CaseEndpoint(case, ScriptSource([TurnStep(each) for each in SCRIPT]), clock=lambda: 0.0)
    prefix = endpoints.open(case.id, desk)
    return desk, httpx2.AsyncClient(transport=EndpointTransport(endpoints)), f"http://model.test{prefix}"


def second_request(desk: CaseEndpoint) -> Told:
    """The history of the second request: roles, texts, and the ids of calls and results."""
    exchange = desk.recorder.trace().exchanges[1]
    route = recognise(exchange.request.method, exchange.request.path)
    assert route is not None
    messages: Sequence[Message] = wire("anthropic-messages").read(route, exchange.request.body).messages
    return [(message.role, _shown(part)) for message in messages for part in message.parts]


def _shown(part: Any) -> str:
    match part:
        case Text(text):
            return text
        case Call(id=id):
            return f"call {id}"
        case Result(id=id, output=output):
            return f"result {id}{' edited' if 'edited' in output else ''}"
    raise AssertionError(part)


async def theirs(edit: Edit) -> tuple[Told, int]:
    """What the SDK's runner sends, and how often it ran the tool."""
    desk, http, base_url = serve()
    ran = []

    @anthropic.beta_async_tool
    async def ask(city: str) -> str:
        """Ask about a city."""
        ran.append(city)
        return city

    async with anthropic.AsyncAnthropic(api_key="k", base_url=base_url, http_client=http, max_retries=0) as client:
        runner = client.beta.messages.tool_runner(
            model=MODEL, max_tokens=500, thread=False, messages=[{"role": "user", "content": "Go."}], tools=[ask]
        )
        async for message in runner:
            if message.stop_reason == "tool_use":
                await edit(runner, message)
    return second_request(desk), len(ran)


async def ours(edit: Edit) -> tuple[Told, int]:
    """What the reference sends, and how often it ran the tool."""
    desk, http, base_url = serve()
    tools = CityTools()
    async with anthropic.AsyncAnthropic(api_key="k", base_url=base_url, http_client=http, max_retries=0) as client:
        config = SessionConfig(MODEL, [("user", "Go.")], tools.declarations, base_url)
        runner = Runner(sessions.anthropic_messages.AnthropicMessagesSession(config, client), tools, _ignore)
        async for turn in runner:
            if turn.tool_calls:
                await edit(runner, turn)
    assert desk.violations == []
    return second_request(desk), len(tools.ran)


async def _ignore(event: object) -> None:
    pass


# --- the edits, as each of the two says them ---------------------------------------------------------------


async def nothing(runner: Any, turn: Any) -> None:
    pass


async def response_of(runner: Any) -> Any:
    return await (runner.generate_tool_response if isinstance(runner, Runner) else runner.generate_tool_call_response)()


def push(runner: Any, *messages: Any) -> None:
    (runner.push_messages if isinstance(runner, Runner) else runner.append_messages)(*messages)


async def generates_twice(runner: Any, turn: Any) -> None:
    await response_of(runner)
    await response_of(runner)


async def edits_the_response(runner: Any, turn: Any) -> None:
    response = await response_of(runner)
    (message,) = response.messages if isinstance(runner, Runner) else [response]
    message["content"][0]["content"] = "edited"


async def pushes_a_note(runner: Any, turn: Any) -> None:
    push(runner, {"role": "user", "content": NOTE})


async def pushes_the_turn(runner: Any, turn: Any) -> None:
    push(runner, turn)


async def pushes_everything(runner: Any, turn: Any) -> None:
    response = await response_of(runner)
    push(runner, turn, response)


async def sets_a_parameter(runner: Any, turn: Any) -> None:
    if isinstance(turn, ProviderTurn):
        runner.set_params(max_tokens=400)
    else:
        runner.set_messages_params(lambda params: {**params, "max_tokens": 400})


# --- side by side ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("edit", "their_runs", "our_runs"),
    [
        (nothing, 2, 2),
        (generates_twice, 2, 2),
        (edits_the_response, 2, 2),
        (pushes_a_note, 2, 0),
        (pushes_everything, 4, 2),
    ],
    ids=lambda value: value.__name__ if callable(value) else None,
)
async def test_the_same_is_sent(edit: Edit, their_runs: int, our_runs: int) -> None:
    sent, runs = await theirs(edit)
    assert await ours(edit) == (sent, our_runs)
    assert runs == their_runs


async def test_the_sdk_leaves_calls_unanswered_where_the_turn_is_pushed_alone() -> None:
    with pytest.raises(anthropic.BadRequestError, match="tool_use"):
        await theirs(pushes_the_turn)
    assert await ours(pushes_the_turn) == await ours(nothing)


async def test_to_the_sdk_a_parameter_is_no_change_and_to_its_document_it_is() -> None:
    assert (await theirs(sets_a_parameter))[0] == (await theirs(nothing))[0]
    assert await ours(sets_a_parameter) == ([("user", "Go.")], 0)
