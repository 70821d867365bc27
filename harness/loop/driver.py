"""Performs what the engine wants done: the only place of the loop that awaits."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from harness.loop.effects import Append, Effect, Flow, RunTool, StreamTurn, Tell, Wait
from harness.loop.engine import KnownTools, RunResult
from harness.loop.session import Delta, ProviderSession, ProviderTurn, ToolCall, TurnFailed
from harness.loop.tools import ToolOutcome
from harness.trace import Event
from harness.wire import ToolDeclaration

__all__ = ["Driver", "SendMessage", "Sleep", "Tools"]

SendMessage = Callable[[Event], Awaitable[None]]
Sleep = Callable[[float], Awaitable[None]]


class Tools(KnownTools, Protocol):
    """The tools of one run."""

    @property
    def declarations(self) -> Sequence[ToolDeclaration]:
        """The tools as the model is told of them."""

    async def run(self, call: ToolCall) -> ToolOutcome:
        """Run a tool. A tool that fails gives an outcome that says so."""


@dataclass(frozen=True, slots=True)
class Driver:
    """The outside of one run: where turns come from, what runs tools, who is told, what waits."""

    session: ProviderSession
    tools: Tools
    send_message: SendMessage
    sleep: Sleep

    async def drive(self, flow: Flow[RunResult]) -> RunResult:
        """Perform the effects of ``flow`` one after another until it ends; raises what it raises.

        ``TurnFailed`` goes to the flow. Anything else that an effect raises is a fault of the outside (a user's
        side that cannot be told, a crash of a session) and leaves at once.
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
            result: RunResult = end.value
            return result
        finally:
            flow.close()

    async def _perform(self, effect: Effect) -> object:
        match effect:
            case Tell(event):
                await self.send_message(event)
            case StreamTurn(hear):
                return await self._stream(hear)
            case RunTool(call):
                return await self.tools.run(call)
            case Append(turn, executed):
                self.session.append_tool_results(turn, executed)
            case Wait(seconds):
                await self.sleep(seconds)
        return None

    async def _stream(self, hear: Callable[[Delta], Sequence[Event]]) -> ProviderTurn:
        send_message = self.send_message

        async def on_event(delta: Delta) -> None:
            for event in hear(delta):
                await send_message(event)

        return await self.session.stream_turn(on_event)
