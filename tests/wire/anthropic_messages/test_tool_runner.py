"""The SDK's own tool runner against the wire: with message threads, and on a server that declines them."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest

from harness.wire import Call, FinishReason, Identity, IssuedState, Text, ThinkingPart, Turn, Wire
from harness.wire.anthropic_messages import WIRE
from tests.sdks import anthropic
from tests.wire.anthropic_messages.histories import ROUTE, WITHOUT_THREADS
from tests.wire.anthropic_messages.replay import MODEL, Replay, client, response

CALL = Turn(
    (ThinkingPart("Ask."), Call("get_weather", '{"city": "Bern"}'), Call("get_weather", '{"city": "Rom"}')),
    FinishReason.TOOL_CALLS,
)
SCRIPT = (CALL, CALL, Turn((Text("Sunny."),)))


class Server(Replay):
    """Judges each request and answers it with the next turn, or as the provider refuses it."""

    def __init__(self, wire: Wire, *, forgets_at: int | None = None) -> None:
        super().__init__()
        self.forgets_at = forgets_at
        self.wire, self.sent, self.identity = wire, IssuedState(), Identity("case")
        self.bodies: list[dict[str, Any]] = []
        self.refused: list[str | None] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        raw = await request.aread()
        self.bodies.append(json.loads(raw))
        remembered = IssuedState() if len(self.bodies) == self.forgets_at else self.sent
        conversation = self.wire.resolve(self.wire.read(ROUTE, raw), remembered)
        violations = self.wire.violations(conversation, remembered)
        if violations:
            self.refused.append(violations[0].answered.code)
            answer = self.wire.refuse(violations[0].answered, self.identity)
            return httpx2.Response(answer.status, headers=dict(answer.headers), content=answer.body)
        rendered = self.wire.render(SCRIPT[len(self.sent.turns)], self.identity, conversation)
        self.sent.add(conversation, rendered.reply)
        return response(list(rendered.frames), rendered.content_type)


async def get_weather(city: str) -> str:
    """The weather in a city."""
    return f"sunny in {city}"


async def run(server: Server, *, stream: bool) -> str:
    async with client(server) as sdk:
        runner = sdk.beta.messages.tool_runner(
            model=MODEL,
            max_tokens=500,
            stream=stream,
            messages=[{"role": "user", "content": "Weather?"}],
            tools=[anthropic.beta_async_tool(get_weather)],
        )
        message: Any = None
        async for each in runner:
            message = await each.get_final_message() if stream else each
    return "".join(block.text for block in message.content if block.type == "text")


@pytest.mark.anyio
@pytest.mark.parametrize("stream", [True, False])
async def test_threads_are_served(stream: bool) -> None:
    server = Server(WIRE)
    assert await run(server, stream=stream) == "Sunny."
    assert server.refused == []
    first, second, third = server.bodies
    assert first["thread"] == {"type": "create"}
    ids = [reply.id for reply in server.sent.replies]
    assert [body["thread"]["previous_message_id"] for body in (second, third)] == ids[:2]
    assert "tools" not in second
    assert [len(body["messages"]) for body in server.bodies] == [1, 1, 1]
    assert [len(asked.messages) for asked, _ in server.sent.turns] == [1, 3, 5]


@pytest.mark.anyio
@pytest.mark.parametrize("stream", [True, False])
async def test_threads_are_declined(stream: bool) -> None:
    server = Server(WITHOUT_THREADS)
    assert await run(server, stream=stream) == "Sunny."
    assert server.refused == ["thread_unsupported_request"]
    assert ["thread" in body for body in server.bodies] == [True, False, False, False]
    assert [len(body["messages"]) for body in server.bodies] == [1, 1, 3, 5]


@pytest.mark.anyio
async def test_a_lost_thread_is_sent_again_as_a_whole() -> None:
    server = Server(WIRE, forgets_at=2)
    assert await run(server, stream=True) == "Sunny."
    assert server.refused == ["thread_not_found"]
    assert [len(body["messages"]) for body in server.bodies] == [1, 1, 3, 1]
