"""The reference loop as a target, on the official SDKs, in process: its requests reach the gateway without a socket."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from harness.loop import (
    POLICIES,
    SCREENSHOT_TO_CODE,
    Agent,
    AgentError,
    AgentRun,
    EditableSession,
    LoopPolicy,
    Runner,
    SessionConfig,
    ToolRuntime,
)
from harness.loop.driver import SendMessage, Tools
from harness.loop.tools.skills import SkilledTools
from harness.scenario import PROFILES, Round
from harness.targets.base import CaseRun, Isolation
from harness.targets.callers import act, resolutions
from harness.targets.declaration import EVERY_CAPABILITY, EVERY_EVENT, Declaration
from harness.targets.sessions import Sessions
from harness.trace import Event
from harness.wire import WIRES, WireName

__all__ = ["EmitEvent", "ReferenceTarget", "Seams"]

EmitEvent = Callable[[Event], None]
_T = TypeVar("_T")


def _as_it_is(value: _T) -> _T:
    return value


@dataclass(frozen=True, slots=True)
class Seams:
    """Where a mutant breaks the loop: each function takes a part of the loop and returns the broken one.

    ``event_mapping`` takes the function that receives the events. ``runner`` is the loop for callers that change the
    history. The requests themselves are broken below the SDKs, in the transport that the clients were made with.
    """

    policy: Callable[[LoopPolicy], LoopPolicy] = _as_it_is
    event_mapping: Callable[[EmitEvent], EmitEvent] = _as_it_is
    tools: Callable[[Tools], Tools] = _as_it_is
    session: Callable[[EditableSession], EditableSession] = _as_it_is
    runner: type[Runner] = Runner


@dataclass(frozen=True)
class ReferenceTarget:
    """Drives ``harness.loop``, by the policy ``preset`` or, where that is None, by that of the scenario's profile."""

    clients: Sessions
    preset: str | None = None
    name: str = "reference"
    seams: Seams = Seams()
    wires: frozenset[WireName] = field(default=frozenset(WIRES))
    isolation: Isolation = "in-process"

    @property
    def declaration(self) -> Declaration:
        """What this loop can do: everything. With a preset it keeps the contract of that."""
        profiles = frozenset(PROFILES) if self.preset is None else frozenset({"universal", self.preset})
        return Declaration(self.wires, profiles, EVERY_CAPABILITY, EVERY_EVENT)

    async def run(self, case_run: CaseRun) -> None:
        """Run the loop once. A run that fails has emitted a ``Failure``."""
        policy = POLICIES.get(self.preset or case_run.profile, SCREENSHOT_TO_CODE)
        policy = self.seams.policy(policy.with_limit(case_run.turn_limit))
        tools = self.seams.tools(_tools(case_run))
        emit = self.seams.event_mapping(case_run.emit)

        async def send_message(event: Event) -> None:
            emit(event)

        drive = self._turn_by_turn if policy.name == "tool-runner" else self._deferring
        try:
            await drive(case_run, policy, tools, send_message)
        except AgentError:
            return  # the user has been told; whether that was right is for the rules to say

    async def _deferring(self, case_run: CaseRun, policy: LoopPolicy, tools: Tools, send_message: SendMessage) -> None:
        agent = Agent(
            open_session=lambda config: self._session(case_run, config),
            send_message=send_message,
            tools=tools,
            base_url=case_run.base_url,
            api_key=case_run.api_key,
            stream=case_run.stream,
            policy=policy,
            sleep=_no_waiting,
        )
        async with agent.open(case_run.model, case_run.prompt) as run:
            await _resumed(run, case_run.resolve)

    async def _turn_by_turn(
        self, case_run: CaseRun, policy: LoopPolicy, tools: Tools, send_message: SendMessage
    ) -> None:
        config = SessionConfig(
            model=case_run.model,
            prompt=case_run.prompt,
            tools=tools.declarations,
            base_url=case_run.base_url,
            api_key=case_run.api_key,
            stream=case_run.stream,
        )
        session = self._session(case_run, config)
        async with self.seams.runner(
            session, tools, send_message, policy, prompt=case_run.prompt, sleep=_no_waiting
        ) as runner:
            number = 0
            async for turn in runner:
                number += 1
                await act(runner, turn, case_run.caller.get(number, ()))

    def _session(self, case_run: CaseRun, config: SessionConfig) -> EditableSession:
        return self.seams.session(self.clients.open_session(case_run.wire, config, case_run.skills))

    async def close(self) -> None:
        """Close the SDK clients."""
        await self.clients.close()


def _tools(case_run: CaseRun) -> Tools:
    tools = ToolRuntime(case_run.tools, options=case_run.options)
    return SkilledTools(tools, case_run.skills) if case_run.skills else tools


async def _resumed(run: AgentRun, rounds: Sequence[Round]) -> None:
    """Start the run and resume it, each time that it is deferred, with what the scenario says next."""
    result = await run.start()
    for each in rounds:
        if result.outcome != "deferred":
            return
        result = await run.resume(resolutions(each, result.deferred))


async def _no_waiting(seconds: float) -> None:  # noqa: ARG001 - a scripted provider is ready again at once
    return None
