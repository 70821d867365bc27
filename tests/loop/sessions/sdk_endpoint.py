"""A provider of any wire for sessions on its SDK: it answers as a test has it, and refuses nothing that is right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import httpx2

from harness.loop.session import CallResult, Delta, ProviderTurn, SessionConfig
from harness.targets.clients import Clients
from harness.wire import (
    Call,
    Conversation,
    FinishReason,
    Identity,
    IssuedState,
    Text,
    ThinkingPart,
    ToolDeclaration,
    Turn,
    WireName,
    wire,
)

TOOLS = [ToolDeclaration(name, "Reads.", {"type": "object", "properties": {}}) for name in ("list_files", "read_file")]
PROMPT = [("system", "Be brief."), ("user", "What is in src/app.py?")]
TWO = Turn(
    (
        ThinkingPart("A folder."),
        Text("I look."),
        Call("list_files", '{"path": "src"}'),
        Call("read_file", '{"path": "ä \U0001f600"}'),
    ),
    FinishReason.TOOL_CALLS,
    deltas="utf16",
)
DONE = Turn((Text("It prints a line."),))

Answer = Turn | httpx2.Response | Exception


class SdkEndpoint(httpx2.AsyncBaseTransport):
    """Answers each request with the next turn, response or failure, and finds nothing wrong with any of them."""

    def __init__(self, name: WireName, *answers: Answer) -> None:
        self.wire = wire(name)
        self.issued = IssuedState()
        self.asked: list[Conversation] = []
        self.headers: list[dict[str, str]] = []
        self._answers = list(answers)
        self._identity = Identity("a session")

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        route = self.wire.route(request.method, request.url.raw_path.decode().removeprefix("/case/7").partition("?")[0])
        assert route is not None
        conversation = self.wire.resolve(self.wire.read(route, await request.aread()), self.issued)
        self.judge(conversation)
        self.asked.append(conversation)
        self.headers.append(dict(request.headers.items()))
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, httpx2.Response):
            return answer
        rendered = self.wire.render(answer, self._identity, conversation)
        self.issued.add(conversation, rendered.reply)
        headers = {"content-type": rendered.content_type}
        return httpx2.Response(rendered.status, headers=headers, content=rendered.body)

    def judge(self, conversation: Conversation) -> None:
        """Nothing that the provider refuses, or that harms the user, may be asked."""
        assert [(each.id, each.got) for each in self.wire.violations(conversation, self.issued)] == []

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [dict(each.body) for each in self.asked]


def opened(endpoint: SdkEndpoint, **members: Any) -> Any:
    """A session on the SDK of the endpoint's wire."""
    given = {
        "model": endpoint.wire.default_model,
        "prompt": PROMPT,
        "tools": TOOLS,
        "base_url": "http://int/case/7",
    }
    return Clients(endpoint).open_session(endpoint.wire.name, SessionConfig(**{**given, **members}))


async def heard(session: Any) -> tuple[ProviderTurn, list[Delta]]:
    """The next turn, and all that was emitted of it."""
    deltas: list[Delta] = []

    async def note(delta: Delta) -> None:
        deltas.append(delta)

    return await session.stream_turn(note), deltas


def results(turn: ProviderTurn, *failed: int) -> Sequence[CallResult]:
    return [CallResult(call, {"n": number}, number not in failed) for number, call in enumerate(turn.tool_calls)]
