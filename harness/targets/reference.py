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
    EditableSession,
    LoopPolicy,
    Run,
    Runner,
    SessionConfig,
    ToolRuntime,
)
from harness.loop.driver import SendMessage, Tools
from harness.loop.tools.skills import SkilledTools
from harness.scenario import PROFILES, Round
from harness.targets.base import CaseRun, Placement
from harness.targets.callers import act, resolutions
from harness.targets.declaration import EVERY_CAPABILITY, EVERY_EVENT, Declaration
from harness.targets.sessions import Sessions
from harness.trace import Event
from harness.wire import WIRES, WireName

__all__ = ["ReferenceTarget", "Seams", "Tell"]

Tell = Callable[[Event], None]
_T = TypeVar("_T")


def _as_it_is(value: _T) -> _T:
    return value


@dataclass(frozen=True, slots=True)
class Seams:
    """Where a mutant breaks the loop: each takes the whole part and gives the broken one.

    ``telling`` gets what takes the events. ``runner`` is the loop for callers that change the history. The requests
    themselves are broken below the SDKs, in the transport that the clients were made with.
    """

    policy: Callable[[LoopPolicy], LoopPolicy] = _as_it_is
    telling: Callable[[Tell], Tell] = _as_it_is
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
    placement: Placement = "in-process"

    @property
    def declaration(self) -> Declaration:
        """What this loop can do: everything. With a preset it keeps the contract of that."""
        profiles = frozenset(PROFILES) if self.preset is None else frozenset({"universal", self.preset})
        return Declaration(self.wires, profiles, EVERY_CAPABILITY, EVERY_EVENT)

    async def run(self, assignment: CaseRun) -> None:
        """Run the loop once. A run that fails has told its user so."""
        policy = POLICIES.get(self.preset or assignment.profile, SCREENSHOT_TO_CODE)
        policy = self.seams.policy(policy.with_limit(assignment.turn_limit))
        tools = self.seams.tools(_tools(assignment))
        tell = self.seams.telling(assignment.emit)

        async def send_message(event: Event) -> None:
            tell(event)

        drive = self._turn_by_turn if policy.name == "tool-runner" else self._deferring
        try:
            await drive(assignment, policy, tools, send_message)
        except AgentError:
            return  # the user has been told; whether that was right is for the rules to say

    async def _deferring(
        self, assignment: CaseRun, policy: LoopPolicy, tools: Tools, send_message: SendMessage
    ) -> None:
        agent = Agent(
            open_session=lambda config: self._session(assignment, config),
            send_message=send_message,
            tools=tools,
            base_url=assignment.base_url,
            api_key=assignment.api_key,
            stream=assignment.stream,
            policy=policy,
            sleep=_no_waiting,
        )
        async with agent.open(assignment.model, assignment.prompt) as run:
            await _resumed(run, assignment.resolve)

    async def _turn_by_turn(
        self, assignment: CaseRun, policy: LoopPolicy, tools: Tools, send_message: SendMessage
    ) -> None:
        config = SessionConfig(
            model=assignment.model,
            prompt=assignment.prompt,
            tools=tools.declarations,
            base_url=assignment.base_url,
            api_key=assignment.api_key,
            stream=assignment.stream,
        )
        session = self._session(assignment, config)
        async with self.seams.runner(
            session, tools, send_message, policy, prompt=assignment.prompt, sleep=_no_waiting
        ) as runner:
            number = 0
            async for turn in runner:
                number += 1
                await act(runner, turn, assignment.caller.get(number, ()))

    def _session(self, assignment: CaseRun, config: SessionConfig) -> EditableSession:
        return self.seams.session(self.clients.open_session(assignment.wire, config, assignment.skills))

    async def close(self) -> None:
        await self.clients.close()


def _tools(assignment: CaseRun) -> Tools:
    tools = ToolRuntime(assignment.tools, options=assignment.options)
    return SkilledTools(tools, assignment.skills) if assignment.skills else tools


async def _resumed(run: Run, rounds: Sequence[Round]) -> None:
    """Start the run and resume it, each time that it is deferred, with what the scenario says next."""
    result = await run.start()
    for each in rounds:
        if result.outcome != "deferred":
            return
        result = await run.resume(resolutions(each, result.deferred))


async def _no_waiting(seconds: float) -> None:  # noqa: ARG001 - a scripted provider is ready again at once
    return None
