"""A Chat endpoint that answers with given texts, and a text session that asks it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import httpx2

from harness.finding import Finding
from harness.loop.session import CallResult, Delta, ProviderTurn, SessionConfig
from harness.loop.sessions.server_session import ServerSession
from harness.wire import Call, FinishReason, Identity, IssuedState, Route, Text, ToolDeclaration, Turn
from harness.wire.openai_chat import WIRE as CHAT
from harness.wire.text_tags import WIRE
from harness.wire.text_tags.prompt import Skill
from tests.sdks import sessions
from tests.wire.openai_chat.chat_support import Answers, response, sdk

SEARCH = ToolDeclaration("search", "Search.", {"type": "object", "properties": {"pattern": {}, "path": {}}})
PROMPT = (("system", "S"), ("user", "hi"))


def tool(name: str) -> ToolDeclaration:
    return ToolDeclaration(name, "", {"type": "object"})


class Conversing:
    """One session and the endpoint that it asks. ``script`` are answers: texts, turns, or HTTP responses."""

    def __init__(
        self,
        *script: str | Turn | httpx2.Response,
        tools: Sequence[ToolDeclaration] = (SEARCH,),
        prompt: Sequence[tuple[str, str]] = PROMPT,
        skills: Mapping[str, Skill] | None = None,
        stream: bool = True,
        server_session: ServerSession = ServerSession(),  # noqa: B008 - it never changes
    ) -> None:
        self.sent = IssuedState()
        self.violations: list[Finding] = []
        self.told: list[Delta] = []
        self._script = iter(script)
        self._identity = Identity("text-tags")
        self.transport = Answers(self._answer)
        config = SessionConfig("default", prompt, tools, "http://model.test/case/7", stream=stream)
        self.session = sessions.text_tags.TextTagsSession(
            config, sdk(self.transport), skills=skills or {}, server_session=server_session
        )

    def _answer(self, body: bytes) -> httpx2.Response:
        answer = next(self._script)
        if isinstance(answer, httpx2.Response):
            return answer
        turn = Turn((Text(answer),)) if isinstance(answer, str) else answer
        asked = WIRE.read(Route("text-tags"), body)
        self.violations += WIRE.violations(asked, self.sent)
        rendered = CHAT.render(turn, self._identity, asked)  # what is native in a turn is to arrive natively
        self.sent.add(asked, WIRE.parse(rendered.content_type, rendered.body))
        return response(rendered.frames, rendered.content_type)

    async def hear(self, delta: Delta) -> None:
        self.told.append(delta)

    async def turn(self, *results: Any) -> ProviderTurn:
        """Ask for a turn; its calls get ``results``, in order: a value, or an exception for one that failed."""
        turn = await self.session.stream_turn(self.hear)
        if results:
            call_results = [
                CallResult(call, {"error": str(result)} if failed else result, not failed)
                for call, result in zip(turn.tool_calls, results, strict=True)
                for failed in [isinstance(result, Exception)]
            ]
            self.session.append_tool_results(turn, call_results)
        return turn

    @property
    def messages(self) -> list[dict[str, Any]]:
        """Those of the last request."""
        messages: list[dict[str, Any]] = self.transport.bodies[-1]["messages"]
        return messages


def native_call(stop: FinishReason = FinishReason.TOOL_CALLS) -> Turn:
    return Turn((Call("search", "{}"),), stop)
