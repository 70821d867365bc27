"""A provider of any wire for sessions on its SDK, or on none: it answers as a test has it, and judges what is asked."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import httpx2
import pytest

from harness.loop.session import (
    AssistantDelta,
    CallResult,
    Delta,
    ProviderTurn,
    SessionConfig,
    ThinkingDelta,
    ToolCallDelta,
)
from harness.loop.sessions.wire_only import Answered, WireOnlySession
from harness.targets.clients import Clients
from harness.wire import (
    OWN_NATIVE_WIRES,
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
    native_wires,
    wire,
)
from harness.wire.base import Rendered
from harness.wire.characters import sendable_value
from tests.wire.openai_anthropic.transport import cut, response

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
    """Answers each request with the next turn, response or failure, and finds nothing wrong with any of them.

    A turn arrives in pieces of ``size`` bytes, or at once.
    """

    def __init__(self, name: WireName, *answers: Answer, size: int = 1 << 20) -> None:
        self.wire = wire(name)
        self.issued = IssuedState()
        self.asked: list[Conversation] = []
        self.urls: list[str] = []
        self.headers: list[dict[str, str]] = []
        self._answers = list(answers)
        self._size = size
        self._identity = Identity("a session")

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.urls.append(str(request.url))
        self.headers.append(dict(request.headers.items()))
        path = re.sub(r"^/case/\d+|\?.*", "", request.url.raw_path.decode())
        answer = self._next(self._read(path, await request.aread()))
        if isinstance(answer, httpx2.Response):
            return answer
        return response(cut(answer.body, self._size), answer.content_type, status=answer.status)

    def post(self, path: str, body: bytes) -> Answered:
        """Answer a session without SDK."""
        try:
            answer = self._next(self._read(path, body))
        except httpx2.HTTPError as error:
            return Answered(0, {}, b"", str(error))
        if isinstance(answer, httpx2.Response):
            return Answered(answer.status_code, dict(answer.headers.items()), answer.content)
        return Answered(answer.status, {"content-type": answer.content_type}, answer.body)

    def get(self, path: str) -> Answered:
        """Nothing is made in the background."""
        raise AssertionError(path)

    def _read(self, path: str, body: bytes) -> Conversation:
        route = self.wire.route("POST", path)
        assert route is not None
        conversation = self.wire.resolve(self.wire.read(route, body), self.issued)
        self.judge(conversation)
        self.asked.append(conversation)
        return conversation

    def _next(self, conversation: Conversation) -> httpx2.Response | Rendered:
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, httpx2.Response):
            return answer
        rendered = self.wire.render(answer, self._identity, conversation)
        self.issued.add(conversation, rendered.reply)
        return rendered

    def judge(self, conversation: Conversation) -> None:
        """Nothing that the provider refuses, or that harms the user, may be asked."""
        assert [(each.id, each.got) for each in self.wire.violations(conversation, self.issued)] == []

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [dict(each.body) for each in self.asked]


def opened(endpoint: SdkEndpoint, **members: Any) -> Any:
    """A session on the SDK of the endpoint's wire."""
    return Clients(endpoint).open_session(endpoint.wire.name, config(endpoint, **members))


def without_sdk(endpoint: SdkEndpoint, **members: Any) -> Any:
    """A session without SDK."""
    return WireOnlySession(endpoint.wire, config(endpoint, **members), endpoint.post, endpoint.get)


def config(endpoint: SdkEndpoint, **members: Any) -> SessionConfig:
    usual = {
        "model": endpoint.wire.default_model,
        "prompt": PROMPT,
        "tools": TOOLS,
        "base_url": "http://int/case/7",
    }
    return SessionConfig(**{**usual, **members})


_NATIVE = [
    *(pytest.param(name, opened, id=name) for name in native_wires()),
    *(pytest.param(name, without_sdk, id=f"{name} without SDK") for name in OWN_NATIVE_WIRES),
]
every_native_session = pytest.mark.parametrize(("name", "opens"), _NATIVE)
every_session = pytest.mark.parametrize(
    ("name", "opens"), [*_NATIVE, pytest.param("text-tags", opened, id="text-tags")]
)


async def heard(session: Any) -> tuple[ProviderTurn, list[Delta]]:
    """The next turn, and all that was emitted of it."""
    deltas: list[Delta] = []

    async def note(delta: Delta) -> None:
        deltas.append(delta)

    return await session.stream_turn(note), deltas


def results(turn: ProviderTurn, *failed: int) -> Sequence[CallResult]:
    return [CallResult(call, {"n": number}, number not in failed) for number, call in enumerate(turn.tool_calls)]


async def is_read_and_goes_back(name: WireName, said: Turn, *, stream: bool = True, size: int = 1 << 20) -> None:
    """Check that the session on the wire's SDK makes of a turn what the wire has said, and sends it back as it came."""
    endpoint = SdkEndpoint(name, said, DONE, size=size)
    session = opened(endpoint, stream=stream)
    turn, deltas = await heard(session)
    reply = endpoint.issued.replies[0]
    thought = "".join(part.text for part in reply.turn.parts if isinstance(part, ThinkingPart))
    assert (turn.assistant_text, turn.thinking_text) == (reply.turn.text, thought)
    assert [(call.name, call.arguments) for call in turn.tool_calls] == [
        (call.name, call.arguments or turn.tool_calls[at].arguments) for at, call in enumerate(reply.turn.calls)
    ]
    assert (turn.stop, turn.usage, turn.model) == (reply.turn.stop, reply.turn.usage, reply.model)
    assert "".join(each.text for each in deltas if isinstance(each, AssistantDelta)) == turn.assistant_text
    assert "".join(each.text for each in deltas if isinstance(each, ThinkingDelta)) == turn.thinking_text
    emitted: dict[str, str] = {}
    for each in deltas:
        assert isinstance(each, ToolCallDelta) or each.text
        json.dumps(str(each), ensure_ascii=False).encode()
        if isinstance(each, ToolCallDelta):
            emitted[each.id] = emitted.get(each.id, "") + each.arguments
    assert emitted == {call.id: call.arguments for call in turn.tool_calls if call.arguments or call.id in emitted}
    session.append_tool_results(turn, results(turn))
    if not turn.tool_calls and turn.stop is not FinishReason.PAUSE:
        session.append_user("Go on.")
    await heard(session)
    returned = wire(name).entries(wire(name).returned(reply, [call.id for call in turn.tool_calls]))
    assert session.turn_messages(turn) == sendable_value(returned)
