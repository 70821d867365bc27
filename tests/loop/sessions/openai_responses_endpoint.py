"""What the tests of the Responses session share: an endpoint that judges, and a listener that records."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import httpx2

from harness.finding import Finding
from harness.loop.session import AssistantDelta, Delta, ProviderTurn, SessionConfig, ThinkingDelta, ToolCallDelta
from harness.wire import Identity, IssuedState, ToolDeclaration, Turn
from harness.wire.chunking import Chunking, chunks
from harness.wire.openai_responses import WIRE
from tests.sdks import sessions
from tests.wire.openai_responses.speak import Answering, client

CONFIG = SessionConfig(
    model="gpt-5.5",
    prompt=[("system", "Be brief."), ("user", "Hi \ud83d")],
    tools=[ToolDeclaration("read_file", "Read one file.", {"type": "object", "properties": {}})],
    base_url="http://harness.test/case/1/",
)


class Told:
    """What a session told while it streamed."""

    def __init__(self) -> None:
        self.deltas: list[Delta] = []

    async def __call__(self, delta: Delta) -> None:
        assert not isinstance(delta, AssistantDelta | ThinkingDelta) or delta.text
        assert json.dumps([str(delta)], ensure_ascii=False).encode()
        self.deltas.append(delta)

    @property
    def text(self) -> str:
        return "".join(delta.text for delta in self.deltas if isinstance(delta, AssistantDelta))

    @property
    def thinking(self) -> str:
        return "".join(delta.text for delta in self.deltas if isinstance(delta, ThinkingDelta))

    @property
    def calls(self) -> list[tuple[str, str, str]]:
        found: dict[str, tuple[str, str]] = {}
        for delta in self.deltas:
            if isinstance(delta, ToolCallDelta):
                found[delta.id] = (delta.name, found.get(delta.id, ("", ""))[1] + delta.arguments)
        return [(id_, *call) for id_, call in found.items()]


class Endpoint(httpx2.AsyncBaseTransport):
    """A model endpoint that answers with scripted turns and judges every request."""

    def __init__(self, turns: Iterable[Turn], chunking: Chunking = "event") -> None:
        self._turns = iter(turns)
        self._chunking: Chunking = chunking
        self._identity = Identity("endpoint")
        self.sent = IssuedState()
        self.violations: list[Finding] = []
        self.bodies: list[dict[str, Any]] = []
        self.urls: list[str] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        body = await request.aread()
        route = WIRE.route(request.method, request.url.path)
        assert route is not None
        conversation = WIRE.resolve(WIRE.read(route, body), self.sent)
        self.violations += WIRE.violations(conversation, self.sent)
        self.bodies.append(conversation.body)
        self.urls.append(str(request.url))
        rendered = WIRE.render(next(self._turns), self._identity, conversation)
        self.sent.add(conversation, rendered.reply)
        answer = Answering(chunks(rendered.frames, self._chunking), content_type=rendered.content_type)
        return await answer.handle_async_request(request)


def session(
    transport: httpx2.AsyncBaseTransport, *, stream: bool = True
) -> sessions.openai_responses.OpenAIResponsesSession:
    config = SessionConfig(CONFIG.model, CONFIG.prompt, CONFIG.tools, CONFIG.base_url, stream=stream)
    return sessions.openai_responses.OpenAIResponsesSession(config, client(transport))


async def one_turn(transport: httpx2.AsyncBaseTransport, *, stream: bool = True) -> tuple[ProviderTurn, Told]:
    told = Told()
    return await session(transport, stream=stream).stream_turn(told), told
