"""Tool calls as text over Chat Completions, without native tools, so that any model can use tools.

The session builds on the native Chat session: it sends no ``tools``, explains them in the system prompt, and reads the
calls from the answer's text. The native session does everything below that (streaming, stop reasons, errors, broken
streams, usage).

Source: the design document "Hugind Tool Calling Flow", sections 2 to 7. Departures from it are in
``docs/deviations.md``, section "hugind".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from openai import AsyncOpenAI

from harness.loop.session import (
    AssistantDelta,
    CallResult,
    Delta,
    OnEvent,
    ProviderTurn,
    SessionConfig,
    StreamFailed,
    ThinkingDelta,
    ToolCall,
    ToolCallDelta,
)
from harness.loop.sessions.on_sdk import SessionOnSdk
from harness.loop.sessions.openai_chat import OpenAIChatSession
from harness.loop.sessions.openai_sdk import lending_client
from harness.loop.sessions.server_session import ServerSession
from harness.loop.sessions.shared import extras
from harness.wire import FinishReason
from harness.wire.text_tags import ReadPiece, TextCall, TextTags
from harness.wire.text_tags.prompt import (
    Skill,
    error_text,
    result_text,
    system_prompt,
    unknown_tool_text,
    unreadable_call_text,
)
from harness.wire.text_tags.results import results_message

_NO_SKILLS: Final[Mapping[str, Skill]] = {}
_STATELESS: Final = ServerSession()


class TextTagsSession(OpenAIChatSession):
    """One conversation in the text protocol.

    ``skills`` are listed in the system prompt; if a ``ToolRuntime`` has them, it offers and runs the tool that loads
    one. The system messages of the prompt become one, at its front. The ``client`` lends its HTTP client, and is
    neither changed nor closed. ``parser`` makes the parser of one answer; another may be set between turns. A server
    that remembers conversations finds this one by the id in ``server_session``.

    To end a run at its limit, use ``append_user`` to request an answer, take one more turn and ignore its calls:
    ``assistant_text`` is the answer without them.
    """

    def __init__(
        self,
        config: SessionConfig,
        client: AsyncOpenAI,
        *,
        skills: Mapping[str, Skill] = _NO_SKILLS,
        parser: Callable[[], TextTags] = TextTags,
        server_session: ServerSession = _STATELESS,
    ) -> None:
        super().__init__(replace(config, prompt=_prompt(config, skills), tools=()), client)
        self._tools = frozenset(tool.name for tool in config.tools)
        self._calls = 0
        self._ids = iter(self._next_id, "")
        self.set_params(extra_headers=server_session.headers)
        self.parser = parser
        self._problems: dict[str, str] = {}

    async def stream_turn(self, on_event: OnEvent) -> ProviderTurn:
        """Ask for the next turn (``ProviderSession.stream_turn``).

        A block that is no valid call becomes a call whose arguments no runtime accepts, so that it is answered.
        Raises ``StreamFailed`` also for native tool calls: none were offered, and the history cannot contain them.
        """
        answer = _ArrivingAnswer(self.parser(), self._ids, on_event)
        native = await super().stream_turn(answer.hear)
        if native.tool_calls:
            raise StreamFailed("The model made native tool calls; the text protocol offers none.")
        await answer.end()
        calls = answer.calls
        self._problems = {call_id: call.problem for call_id, call in calls.items() if call.problem}
        return replace(
            native,
            assistant_text="".join(answer.text),
            thinking_text="".join(answer.thinking),
            tool_calls=tuple(ToolCall(call_id, call.name, call.arguments) for call_id, call in calls.items()),
            stop=FinishReason.TOOL_CALLS if calls and native.stop is FinishReason.END else native.stop,
        )

    def _next_id(self) -> str:
        self._calls += 1
        return f"call_{self._calls}"

    def stored(self) -> dict[str, Any]:
        """What a later session needs to go on, including the number of calls, from which their ids are made."""
        return {**super().stored(), "calls": self._calls}

    def restore(self, stored: Mapping[str, Any]) -> None:
        """Go on with what an earlier session has stored."""
        super().restore(stored)
        self._calls = stored["calls"]

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[dict[str, Any]]:  # noqa: ARG002
        """One user message for all calls, then one for each extra text."""
        results = [(done.call.name, self._text(done)) for done in call_results]
        texts = [results_message(results), *extras(call_results)] if results else []
        return [self.message("user", text) for text in texts]

    def _text(self, outcome: CallResult) -> str:
        """Return the result of one call as text for the model."""
        call = outcome.call
        if outcome.ok:
            return result_text(outcome.result)
        if call.id in self._problems:
            return unreadable_call_text(self._problems[call.id])
        return error_text(outcome.result) if call.name in self._tools else unknown_tool_text(call.name)


class _ArrivingAnswer:
    """One arriving answer: takes native deltas, emits and keeps deltas of the protocol, and makes ids for calls."""

    def __init__(self, parser: TextTags, ids: Iterator[str], on_event: OnEvent) -> None:
        self.text: list[str] = []
        self.thinking: list[str] = []
        self._parser = parser
        self._ids = ids
        self._id_of: dict[TextCall, str] = {}
        self._on_event = on_event

    @property
    def calls(self) -> dict[str, TextCall]:
        """The calls by their ids, in order."""
        return {self._id_of[call]: call for call in self._parser.calls}

    async def hear(self, delta: Delta) -> None:
        """Take a delta of the native session. The user does not see the text of calls."""
        if isinstance(delta, AssistantDelta):
            await self._pass_on(self._parser.feed(delta.text))
        elif isinstance(delta, ThinkingDelta):
            await self._think(delta)

    async def end(self) -> None:
        """Take the end of the answer."""
        await self._pass_on(self._parser.end())

    async def _pass_on(self, pieces: Sequence[ReadPiece]) -> None:
        for what, piece in pieces:
            if what == "thinking":
                await self._think(ThinkingDelta(piece))
            elif what == "text":
                self.text.append(piece)
                await self._on_event(AssistantDelta(piece))
            else:
                if what not in self._id_of:
                    self._id_of[what] = next(self._ids)
                await self._on_event(ToolCallDelta(self._id_of[what], what.name, piece))

    async def _think(self, delta: ThinkingDelta) -> None:
        self.thinking.append(delta.text)
        await self._on_event(delta)


def _prompt(config: SessionConfig, skills: Mapping[str, Skill]) -> list[tuple[str, str]]:
    own = "\n\n".join(text for role, text in config.prompt if role == "system")
    system = system_prompt(own, skills, config.tools)
    return [("system", system)] * bool(system) + [entry for entry in config.prompt if entry[0] != "system"]


def _session(config: SessionConfig, client: AsyncOpenAI, skills: Mapping[str, Skill]) -> TextTagsSession:
    return TextTagsSession(config, client, skills=skills)


SESSION: Final = SessionOnSdk(lending_client, _session)
