"""Performs the effects of the engine. This is the only place of the loop that awaits."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from harness.loop.calls import KnownTools
from harness.loop.effects import Append, AppendUser, Effect, Emit, Flow, RunTool, RunTools, StreamTurn, Wait
from harness.loop.session import Delta, OnEvent, ProviderSession, ProviderTurn, ToolCall, TurnFailed
from harness.loop.tools.tool import ToolOutcome, crashed
from harness.trace import Event
from harness.wire import ToolDeclaration

SendMessage = Callable[[Event], Awaitable[None]]
Sleep = Callable[[float], Awaitable[None]]
Ended = Callable[[ToolCall, ToolOutcome], Sequence[Event]]

_T = TypeVar("_T")


class Tools(KnownTools, Protocol):
    """The tools of one run."""

    @property
    def declarations(self) -> Sequence[ToolDeclaration]:
        """The tools that the model is offered."""

    async def run(self, call: ToolCall) -> ToolOutcome:
        """Run a tool. The outcome shows whether it has failed."""


@dataclass(frozen=True, slots=True)
class Driver:
    """The outside of one run: the source of turns, the tools, the receiver of events, and the waiting."""

    session: ProviderSession
    tools: Tools
    send_message: SendMessage
    sleep: Sleep

    async def drive(self, flow: Flow[_T]) -> _T:
        """Perform the effects of ``flow`` one after another until it ends. Raises what ``flow`` raises.

        ``TurnFailed`` is thrown into the flow. Any other exception of an effect is a fault of the outside (the user's
        side cannot be reached, a session crashes) and is raised at once.
        """
        try:
            effect = next(flow)
            while True:
                try:
                    happened = await self._perform(effect)
                except TurnFailed as failure:
                    effect = flow.throw(failure)
                else:
                    effect = flow.send(happened)
        except StopIteration as end:
            result: _T = end.value
            return result

    async def _perform(self, effect: Effect) -> object:
        match effect:
            case Emit(event):
                await self.send_message(event)
            case StreamTurn(hear, whole):
                return await self._ask(hear, self.session.whole_turn if whole else self.session.stream_turn)
            case RunTool(call):
                return await self._run_tool(call)
            case RunTools(calls, ended):
                await self._run_tools(calls, ended)
            case Append(turn, call_results):
                self.session.append_tool_results(turn, call_results)
            case AppendUser(text):
                self.session.append_user(text)
            case Wait(seconds):
                await self.sleep(seconds)
        return None

    async def _ask(
        self, hear: Callable[[Delta], Sequence[Event]], turn: Callable[[OnEvent], Awaitable[ProviderTurn]]
    ) -> ProviderTurn:
        send_message = self.send_message

        async def on_event(delta: Delta) -> None:
            for event in hear(delta):
                await send_message(event)

        return await turn(on_event)

    async def _run_tool(self, call: ToolCall) -> ToolOutcome:
        try:
            return await self.tools.run(call)
        except Exception as error:  # noqa: BLE001  # one tool's crash must not lose what others of the turn did
            return crashed(error)

    async def _run_tools(self, calls: Sequence[ToolCall], ended: Ended) -> None:
        """Run all tools at once and emit each end as it comes. An exception or a cancellation ends all of them.

        Results of tools that have ended by then are kept: those tools have had their effect.
        """

        async def run(call: ToolCall) -> tuple[ToolCall, ToolOutcome]:
            return call, await self._run_tool(call)

        running = [asyncio.create_task(run(call)) for call in calls]
        left = {call.id: task for call, task in zip(calls, running, strict=True)}
        try:
            for end in asyncio.as_completed(running):
                call, outcome = await end
                del left[call.id]
                for event in ended(call, outcome):
                    await self.send_message(event)
        except asyncio.CancelledError:
            for call, outcome in [task.result() for task in left.values() if task.done() and not task.cancelled()]:
                for event in ended(call, outcome):
                    await self.send_message(event)
            raise
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
