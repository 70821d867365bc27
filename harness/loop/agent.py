"""The front of the reference loop: a model, a prompt, and the messages that the user sees."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from harness.loop.conversation import AgentConversation
from harness.loop.driver import Driver, SendMessage, Sleep, Tools
from harness.loop.engine import Engine
from harness.loop.holder import SessionHolder
from harness.loop.outcome import AgentResult, ModelFailed
from harness.loop.policy import SCREENSHOT_TO_CODE, LoopPolicy
from harness.loop.run import AgentRun
from harness.loop.session import Delta, ProviderSession, SessionConfig, TurnFailed

_SUMMARISE: Final = (
    "Summarise the conversation that follows, so that somebody who has not read it can go on with it. Say what the "
    "user wants, what was done, and what is left to do."
)


async def _unheard(delta: Delta) -> None:
    """A summary is not shown to the user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """An agent that builds a page: it lets the model call ``tools`` until the model is done.

    ``open_session`` opens the conversation on the provider's wire. ``send_message`` gets every event, in
    order, and is awaited before the loop goes on. ``tools`` holds the file that the run works on. ``base_url``
    (without a version path), ``api_key``, ``stream`` and ``transport`` go to the session as they are. A ``turn_limit``
    is stronger than the policy's. With an ``output_schema``, a JSON Schema for objects, the run ends with a text that
    is such an object (``AgentResult.output``); the model is asked again for one that is not, as often as a tool may be.
    """

    open_session: Callable[[SessionConfig], ProviderSession]
    send_message: SendMessage
    tools: Tools
    base_url: str
    api_key: str = "harness"
    stream: bool = True
    transport: str = ""
    policy: LoopPolicy = SCREENSHOT_TO_CODE
    turn_limit: int | None = None
    output_schema: Mapping[str, Any] | None = None
    sleep: Sleep = asyncio.sleep

    async def run(
        self, model: str, prompt_messages: Sequence[tuple[str, str]], *, turn_limit: int | None = None
    ) -> AgentResult:
        """Drive the loop to its end. ``prompt_messages`` are (role, text) pairs, role ``system`` or ``user``.

        ``turn_limit`` is stronger than the agent's. Raises ``AgentError`` when the run ended without a result. A
        run that is deferred cannot be resumed from here: use ``open``.
        """
        async with self.open(model, prompt_messages, turn_limit=turn_limit) as run:
            return await run.start()

    def open(
        self, model: str, prompt_messages: Sequence[tuple[str, str]], *, turn_limit: int | None = None
    ) -> AgentRun:
        """A run with its session, to be started, perhaps resumed, and closed. The arguments are those of ``run``.

        Raises ``BadInput`` for an output schema that is none.
        """
        policy = self.policy.with_limit(turn_limit, self.turn_limit)
        engine = Engine(self.tools, policy, prompt_messages, self.output_schema)
        session = self.open_session(self.config(model, prompt_messages))
        return AgentRun(engine, Driver(session, self.tools, self.send_message, self.sleep))

    def converse(
        self, model: str, prompt_messages: Sequence[tuple[str, str]] = (), *, state: Mapping[str, Any] | None = None
    ) -> AgentConversation:
        """A conversation of several runs. It begins with the prompt, or goes on from the ``state`` of an earlier one.

        Where the state is that of another model or another wire, it is translated: thinking is left out, because only
        the model that has thought it, at its provider, can read it (``harness.loop.translated``).
        ``open_session`` must open an ``EditableSession``.
        """
        return AgentConversation.begun(self, model, prompt_messages, state)

    async def summary(self, model: str, texts: Sequence[str]) -> str:
        """A summary of a conversation, given in words, for which the model is asked in one of its own.

        Raises ``ModelFailed`` where it gives none.
        """
        prompt = [("system", _SUMMARISE), ("user", "\n\n".join(texts))]
        session = self.open_session(replace(self.config(model, prompt), tools=()))
        async with SessionHolder(session):
            try:
                turn = await session.stream_turn(_unheard)
            except TurnFailed as failure:
                raise ModelFailed(str(failure)) from failure
        if not turn.assistant_text.strip():
            raise ModelFailed("The model has given no summary.")
        return turn.assistant_text

    def config(self, model: str, prompt: Sequence[tuple[str, str]]) -> SessionConfig:
        """What a session for this agent is opened with."""
        return SessionConfig(
            model=model,
            prompt=prompt,
            tools=self.tools.declarations,
            base_url=self.base_url,
            api_key=self.api_key,
            stream=self.stream,
            transport=self.transport,
        )
