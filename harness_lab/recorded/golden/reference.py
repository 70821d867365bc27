"""Plays the recorded scripts to the reference loop: the official SDKs, in process, answered chunk by chunk."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from harness.endpoint import CaseEndpoint, Endpoints, LiveResponse, ModelRequest, ReceivedRequest, ResponsePlan
from harness.endpoint.transport import EndpointTransport
from harness.loop import SCREENSHOT_TO_CODE, Agent, AgentError, FileState, ProviderSession, SessionConfig, ToolRuntime
from harness.loop.tools import ImageFailed
from harness.scenario import HttpErrorStep, Step, TurnStep
from harness.targets.clients import Clients
from harness.trace import Case, Event, Trace
from harness.wire import wire as wire_named
from harness_lab.recorded.golden.beginnings import PATH, first_files, first_page
from harness_lab.recorded.golden.habits import Habits
from harness_lab.recorded.golden.imported import PROFILE, TURN_LIMIT
from harness_lab.recorded.golden.script import as_streamed, turn_of
from harness_lab.recorded.run import HttpAnswer, ModelAnswer, RecordedRun


class ReferenceRuns:
    """Runs of the reference loop on shared SDK clients. Close it after use."""

    def __init__(self) -> None:
        self._endpoints = Endpoints()
        self._clients = Clients(EndpointTransport(self._endpoints))

    async def run(self, recording: RecordedRun, *, habits: bool = False) -> Trace:
        """The trace of the reference loop on the script of ``recording``, with the engine's ``habits`` or without."""
        endpoint = _ScriptEndpoint(recording)
        prefix = self._endpoints.open(recording.name, endpoint)
        try:
            await self._drive(recording, endpoint, f"http://harness{prefix}", habits=habits)
        finally:
            self._endpoints.close(recording.name)
        return endpoint.recorder.trace()

    async def _drive(self, recording: RecordedRun, endpoint: CaseEndpoint, base_url: str, *, habits: bool) -> None:
        async def send_message(event: Event) -> None:
            endpoint.recorder.emitted(event)

        page = first_page(recording)
        file = FileState(PATH, page) if page is not None else None
        speaker = wire_named(recording.wire)
        tools = ToolRuntime(file=file, images=_NoImages(), policy=SCREENSHOT_TO_CODE)
        agent = Agent(
            open_session=lambda config: self._clients.open_session(recording.wire, config),
            send_message=send_message,
            tools=tools,
            base_url=base_url,
            sleep=_no_waiting,
        )
        if habits:
            agent = _with_habits(agent, Habits(tools, send_message, whole_arguments=speaker.whole_arguments))
        try:
            await agent.run(speaker.default_model, [("user", "Build a landing page.")])
        except AgentError:
            return  # emitted as an event, which the comparison sees

    async def close(self) -> None:
        """Close the SDK clients."""
        await self._clients.close()


def _with_habits(agent: Agent, habits: Habits) -> Agent:
    def open_session(config: SessionConfig) -> ProviderSession:
        session: ProviderSession = habits.session(agent.open_session(config))
        return session

    return replace(agent, open_session=open_session, send_message=habits.send_message, tools=habits.tools)


class _NoImages:
    """No images: the recorded loop had no key for a service that makes them."""

    async def generate(self, prompt: str) -> str:  # noqa: ARG002 - the service's shape
        raise ImageFailed("Image generation disabled")

    async def remove_background(self, reference: str) -> str:  # noqa: ARG002 - the service's shape
        raise ImageFailed("Image generation disabled")


async def _no_waiting(seconds: float) -> None:  # noqa: ARG001 - a scripted provider is ready again at once
    return None


class _Script:
    """The recorded answers as steps, and the one that was sent last."""

    def __init__(self, recording: RecordedRun) -> None:
        self._recording = recording
        self._next = 0
        self.last: ModelAnswer | None = None

    def next(self, question: ModelRequest) -> Step | None:  # noqa: ARG002 - a script does not look at the question
        script = self._recording.script
        if self._next >= len(script) and not isinstance(script[-1], HttpAnswer):
            return None
        answer = self._recording.answer(self._next)
        self._next += 1
        if isinstance(answer, HttpAnswer):
            return HttpErrorStep(answer.status)
        self.last = answer
        return TurnStep(turn_of(answer, self._recording.wire))

    def left(self) -> Sequence[str]:
        return ()


class _ScriptEndpoint(CaseEndpoint):
    """An endpoint that answers in the recorded chunks."""

    def __init__(self, recording: RecordedRun) -> None:
        case = Case(
            id=recording.name,
            scenario=recording.scenario,
            wire=recording.wire,
            source="golden",
            profile=PROFILE,
            turn_limit=TURN_LIMIT,
            files=first_files(recording),
        )
        self._script = _Script(recording)
        self._native = recording.wire
        super().__init__(case, self._script, clock=time.perf_counter)

    def answer(self, request: ReceivedRequest) -> tuple[int, ResponsePlan | LiveResponse]:
        """As ``CaseEndpoint.answer``."""
        exchange, answer = super().answer(request)
        last = self._script.last
        if isinstance(answer, LiveResponse) or answer.reply is None or last is None:
            return exchange, answer
        chunks = as_streamed(answer.chunks, last, self._native)
        return exchange, replace(answer, chunks=tuple(chunks), end="eof" if last.cut_after is None else "cut")
