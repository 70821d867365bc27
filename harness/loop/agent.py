"""The front of the reference loop: a model, a prompt, the messages that the user sees, and several runs in a row.

In a conversation the user writes more messages after a run, or while it goes on. A run may be cancelled as an asyncio
task. Then the history is completed, so that the provider accepts the next message: the text that the user has seen
stays, and each call of the turn has a result, which says so if the call had not ended.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final, Self, cast

from harness.errors import BadInput
from harness.loop.asking import end_waiting
from harness.loop.compacting import in_plain_words
from harness.loop.deferral import DeferredCall, Resolution
from harness.loop.driver import Driver, SendMessage, Sleep, Tools
from harness.loop.effects import Flow
from harness.loop.engine import Engine
from harness.loop.holder import SessionHolder
from harness.loop.outcome import AgentError, AgentResult, ModelFailed, cut_short
from harness.loop.policy import SCREENSHOT_TO_CODE, LoopPolicy
from harness.loop.progress import ResponseStep
from harness.loop.run import AgentRun
from harness.loop.session import Delta, EditableSession, ProviderSession, ProviderTurn, SessionConfig, TurnFailed
from harness.loop.translated import translated
from harness.loop.waiting import WaitingCalls, not_run
from harness.trace import Assistant, Event, TurnStart

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
    order, and is awaited before the loop goes on. ``tools`` contains the file that the run works on. ``base_url``
    (without a version path), ``api_key``, ``stream`` and ``transport`` go to the session unchanged. ``turn_limit``
    overrides the policy's. With an ``output_schema``, a JSON Schema for objects, the run ends with a text that is such
    an object (``AgentResult.output``). For another text the model is asked again, as often as a tool may be retried.
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

        ``turn_limit`` overrides the agent's. Raises ``AgentError`` when the run has ended without a result. A
        deferred run cannot be resumed from here: use ``open``.
        """
        async with self.open(model, prompt_messages, turn_limit=turn_limit) as run:
            return await run.start()

    def open(
        self, model: str, prompt_messages: Sequence[tuple[str, str]], *, turn_limit: int | None = None
    ) -> AgentRun:
        """A run with its session, to be started, perhaps resumed, and closed. Takes the same arguments as ``run``.

        Raises ``BadInput`` for an invalid output schema.
        """
        policy = self.policy.with_limit(turn_limit, self.turn_limit)
        engine = Engine(self.tools, policy, prompt_messages, self.output_schema)
        session = self.open_session(self.config(model, prompt_messages))
        return AgentRun(engine, Driver(session, self.tools, self.send_message, self.sleep))

    def converse(
        self, model: str, prompt_messages: Sequence[tuple[str, str]] = (), *, state: Mapping[str, Any] | None = None
    ) -> AgentConversation:
        """A conversation of several runs. It begins with the prompt, or goes on from the ``state`` of an earlier one.

        A state from another model or another wire is translated. Thinking is left out, because only the model that
        has thought it, at its provider, can read it (``harness.loop.translated``).
        ``open_session`` must open an ``EditableSession``.
        """
        return AgentConversation.begun(self, model, prompt_messages, state)

    async def summary(self, model: str, texts: Sequence[str]) -> str:
        """A summary of a conversation, whose plain text is ``texts``. The model is asked for it in a new conversation.

        Raises ``ModelFailed`` if the model returns none.
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
        """The configuration with which a session for this agent is opened."""
        return SessionConfig(
            model=model,
            prompt=prompt,
            tools=self.tools.declarations,
            base_url=self.base_url,
            api_key=self.api_key,
            stream=self.stream,
            transport=self.transport,
        )


# --- several runs in one conversation ------------------------------------------------------------------------------

_CANCELLED: Final = "Cancelled by the user before it had ended."
_NOT_RUN: Final = "Not run: the run has ended."
_SUMMARY: Final = "Summary of the conversation so far:\n\n"


class AgentConversation(SessionHolder[EditableSession]):
    """A conversation with its open session: ``async with agent.converse(model, prompt) as conversation``.

    ``run`` drives the loop until the model is done; call it again with the user's next messages. ``say`` takes what the
    user says meanwhile. While a result's outcome is ``deferred``, ``resolve`` takes the resolutions of the calls that
    wait and goes on. ``state`` is what another process needs to go on.
    """

    def __init__(
        self,
        agent: Agent,
        model: str,
        session: EditableSession,
        prompt: Sequence[tuple[str, str]],
        system: Sequence[tuple[str, str]] = (),
        turns: int = 0,
        tokens: int = 0,
        pending: Sequence[str] = (),
        waiting: WaitingCalls | None = None,
    ) -> None:
        super().__init__(session)
        self._agent = agent
        self._model = model
        self._prompt = tuple(prompt)
        self._system = [[role, text] for role, text in (*system, *prompt) if role == "system"]
        self._shown: list[str] = []
        self._pending = list(pending)
        self._waiting = waiting
        self._turns = turns
        self._tokens = tokens
        self._driver = Driver(session, agent.tools, self._send_message, agent.sleep)

    @classmethod
    def begun(
        cls, agent: Agent, model: str, prompt: Sequence[tuple[str, str]], state: Mapping[str, Any] | None = None
    ) -> Self:
        """A conversation that begins with the prompt, or goes on from ``state`` (``Agent.converse``)."""
        if state is None:
            return cls(agent, model, cls._open_session(agent, model, prompt), prompt)
        system = [(role, text) for role, text in state["system"]]
        session, waiting = cls._open_session(agent, model, system), None
        if (state["wire"], state["model"]) == (session.wire, model):
            session.restore(state)
            waiting = WaitingCalls.restored(session, state["waiting"]) if state["waiting"] else None
        else:
            cls._switch(session, state)
        return cls(agent, model, session, (), system, state["turns"], state["tokens"], state["pending"], waiting)

    @staticmethod
    def _open_session(agent: Agent, model: str, prompt: Sequence[tuple[str, str]]) -> EditableSession:
        return cast("EditableSession", agent.open_session(agent.config(model, prompt)))

    @staticmethod
    def _switch(session: EditableSession, state: Mapping[str, Any]) -> None:
        """Take over the history with another model or provider. The conversation goes on without calls that wait."""
        left = state["waiting"]["left"] if state["waiting"] else []
        session.history += translated([*state["history"], *left], state["wire"], session.wire, state["model"])

    def say(self, text: str) -> None:
        """Add a user message while a run goes on: the model reads it with the next request, behind all results.

        A run whose model is done goes on with it. If no run is active, or if a run ends in another way before the
        model reads the message, the next run begins with it.
        """
        self._pending.append(text)

    async def run(self, *messages: str) -> AgentResult:
        """Drive the loop until the model is done; ``messages`` are what the user says, after the prompt.

        Calls that wait get a result: the user goes on without them. Raises like ``Agent.run``. The conversation can
        go on even when a run was cancelled or has raised.
        """
        self._pending += messages  # first of all: the run may be cancelled while it is compacted
        if self._is_long():
            with suppress(ModelFailed):  # without a summary it goes on as it is: the provider may still take it
                await self.compact()
        unread = list(self._pending)
        self._pending.clear()
        engine = self._begin(*(("user", text) for text in unread))
        await self._leave(engine)
        for text in unread:
            self._session.append_user(text)
        return await self._drive(engine, engine.flow())

    @property
    def deferred(self) -> tuple[DeferredCall, ...]:
        """The calls that wait since the last run, in call order."""
        return self._waiting.deferred if self._waiting else ()

    async def resolve(self, resolved: Mapping[str, Resolution]) -> AgentResult:
        """Go on with the resolutions of calls that wait, by call id. Calls that are left out wait on.

        Raises like ``run``, and ``BadInput`` for calls that do not wait and resolutions that do not fit. After
        ``BadInput`` the conversation is unchanged.
        """
        if self._waiting is None:
            raise BadInput("the conversation is not deferred: no call waits")
        engine = self._begin()
        return await self._drive(engine, engine.resume(resolved))

    def _begin(self, *texts: tuple[str, str]) -> Engine:
        """Another run, which takes up the calls that wait."""
        agent, prompt = self._agent, (*self._prompt, *texts)
        policy = agent.policy.with_limit(agent.turn_limit)
        engine = Engine(agent.tools, policy, prompt, agent.output_schema, self._pending, self._turns)
        self._prompt = ()
        if self._waiting is not None:
            engine.take_up(self._waiting)
        return engine

    async def _leave(self, engine: Engine) -> None:
        """Answer the calls that wait: the user goes on without them."""
        await self._driver.drive(engine.leave())
        self._waiting = None

    async def _drive(self, engine: Engine, flow: Flow[AgentResult]) -> AgentResult:
        try:
            result = await self._driver.drive(flow)
        except asyncio.CancelledError:
            await self._make_whole(engine, cancelled=True)
            raise
        except AgentError:
            await self._make_whole(engine, cancelled=False)
            raise
        finally:
            self._turns += engine.progress.turns
            self._tokens = engine.progress.tokens_sent or self._tokens
        self._waiting = engine.waiting
        if self._waiting is None:
            self._keep_last(result)
        return result

    async def compact(self) -> None:
        """Replace the history with a summary. The model is asked for the summary in a new conversation.

        Only the system prompt of the history is left, so no call is separated from its result, and no turn from its
        signatures. Calls that wait get a result first: the user goes on without them. Raises like ``run``. Call it
        while nothing runs.
        """
        if self._waiting is not None:
            await self._leave(self._begin())
        session = self._session
        history = in_plain_words(session.history, session.wire)
        if history.texts:
            summary = await self._agent.summary(self._model, history.texts)
            session.history[:] = [*history.system, session.message("user", f"{_SUMMARY}{summary}")]
            self._tokens = 0

    @property
    def state(self) -> Mapping[str, Any]:
        """What has been said so far, as JSON: give it to ``Agent.converse``, in this process or another."""
        session = self._session
        return {
            "wire": session.wire,
            "model": self._model,
            "system": self._system,
            "turns": self._turns,
            "tokens": self._tokens,
            "pending": list(self._pending),
            "waiting": self._waiting.stored(session) if self._waiting else None,
            **session.stored(),
        }

    def _is_long(self) -> bool:
        """Whether the policy wants the conversation compacted before it goes on."""
        most = self._agent.policy.compact_at
        return most is not None and self._tokens >= most

    async def _send_message(self, event: Event) -> None:
        if isinstance(event, TurnStart):
            self._shown.clear()
        elif isinstance(event, Assistant):
            self._shown.append(event.text)
        await self._agent.send_message(event)

    # --- what is left open -------------------------------------------------------------------------------------

    async def _make_whole(self, engine: Engine, *, cancelled: bool) -> None:
        """After a cancelled or failed run, answer the calls of its last turn, or keep the text that was shown."""
        self._waiting = None
        calls = engine.answering
        if calls is not None:
            await self._driver.drive(calls.skip(_CANCELLED if cancelled else _NOT_RUN))
            self._session.append_tool_results(calls.turn, calls.call_results)
        elif engine.unsent is not None:
            self._keep_turn(engine.unsent)
        elif (announced := engine.progress.announced) is not None:
            if cancelled:
                await self._driver.drive(end_waiting(announced, _CANCELLED))
            self._keep_text("".join(self._shown))

    def _keep_last(self, result: AgentResult) -> None:
        """Put the model's last turn into the history. It is already there only if the run went on after it."""
        last = result.history[-1] if result.history else None
        if isinstance(last, ResponseStep):
            self._keep_turn(last.turn)

    def _keep_turn(self, turn: ProviderTurn) -> None:
        if cut_short(turn):
            self._keep_text(turn.refusal or turn.assistant_text)
            return
        self._session.append_tool_results(turn, [not_run(call, _NOT_RUN) for call in turn.tool_calls])

    def _keep_text(self, text: str) -> None:
        if text.strip():
            self._session.history.append(self._session.message("assistant", text))
