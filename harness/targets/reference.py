"""The reference loop as a target, on the official SDKs, in process: its requests reach the gateway without a socket."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, cast

from harness.errors import BadInput, HarnessError
from harness.loop import (
    POLICIES,
    SCREENSHOT_TO_CODE,
    Agent,
    AgentConversation,
    AgentError,
    AgentResult,
    AgentRun,
    EditableSession,
    LoopPolicy,
    RequestStep,
    ResponseStep,
    Runner,
    SessionConfig,
    ToolCall,
    ToolOutcome,
    ToolRuntime,
)
from harness.loop.deferral import Resolution
from harness.loop.driver import SendMessage, Sleep, Tools
from harness.loop.sessions import with_session
from harness.scenario import PROFILES, Round
from harness.scenario.model import CODING_AGENT
from harness.targets.base import CaseRun, Isolation
from harness.targets.callers import act, resolutions
from harness.targets.declaration import EVERY_CAPABILITY, EVERY_EVENT, Capability, Declaration
from harness.targets.ended import EndedTools
from harness.targets.moments import ToolMoment
from harness.targets.sessions import Sessions
from harness.trace import RAISED, Event, Failure, Final, JsonValue
from harness.wire import WireName

EmitEvent = Callable[[Event], None]
_T = TypeVar("_T")


_WHILE_IT_ARRIVES: frozenset[Capability] = frozenset({"cancel", "steer"})
"""What a loop cannot do if its sessions take each response as a whole."""


def _as_it_is(value: _T) -> _T:
    return value


@dataclass(frozen=True, slots=True)
class Seams:
    """Where a mutant breaks the loop: each function takes a part of the loop and returns the broken one.

    ``config`` takes the configuration with which a session is opened: prompt and tools. ``event_mapping`` takes the
    function that receives the events, ``result`` the result of a run. ``runner`` is the loop for callers that change
    the history, ``conversation`` the loop for callers that cancel runs and begin others. The requests themselves are
    broken below the SDKs, in the transport of the clients.
    """

    policy: Callable[[LoopPolicy], LoopPolicy] = _as_it_is
    event_mapping: Callable[[EmitEvent], EmitEvent] = _as_it_is
    tools: Callable[[Tools], Tools] = _as_it_is
    config: Callable[[SessionConfig], SessionConfig] = _as_it_is
    result: Callable[[AgentResult], AgentResult] = _as_it_is
    session: Callable[[EditableSession], EditableSession] = _as_it_is
    runner: type[Runner] = Runner
    conversation: type[AgentConversation] = AgentConversation


@dataclass(frozen=True)
class ReferenceTarget:
    """Drives ``harness.loop`` with the policy ``preset``, or, if it is None, the policy of the scenario's profile."""

    clients: Sessions
    preset: str | None = None
    name: str = "reference"
    seams: Seams = Seams()
    wires: frozenset[WireName] = field(default_factory=with_session)
    isolation: Isolation = "in-process"

    @property
    def paced(self) -> bool:
        """Whether its sessions take a response piece by piece."""
        return self.clients.paced

    @property
    def declaration(self) -> Declaration:
        """This loop can do everything. With a preset it keeps the contract of that preset."""
        kept = frozenset({"universal", self.preset}) if self.preset else frozenset(PROFILES) - {CODING_AGENT}
        able = EVERY_CAPABILITY if self.paced else EVERY_CAPABILITY - _WHILE_IT_ARRIVES
        return Declaration(self.wires, kept, able, EVERY_EVENT - {"toolArguments"})

    async def run(self, case_run: CaseRun) -> None:
        """Run the loop once. A run that fails emits a ``Failure``."""
        policy = POLICIES.get(self.preset or case_run.profile, SCREENSHOT_TO_CODE)
        policy = self.seams.policy(policy.with_limit(case_run.turn_limit))
        tools = self.seams.tools(_tools(case_run, policy))
        held = _HeldFinal(case_run.emit)
        emit = self.seams.event_mapping(held.emit)

        async def send_message(event: Event) -> None:
            emit(event)

        # A runner that is broken on purpose has every run of its policy; the sound one those with a caller.
        by_turn = case_run.caller or (policy.name == "tool-runner" and self.seams.runner is not Runner)
        drive = self._turn_by_turn if by_turn else self._conversing if case_run.has_timeline else self._deferring
        try:
            await drive(held, case_run, policy, tools, send_message)
        except AgentError:
            return  # the user has been informed; whether that was right is for the rules to say
        finally:
            held.release()

    async def _deferring(
        self, held: _HeldFinal, case_run: CaseRun, policy: LoopPolicy, tools: Tools, send_message: SendMessage
    ) -> None:
        agent = self._agent(case_run, policy, tools, send_message)
        if case_run.resolve:
            async with agent.open(case_run.model, case_run.prompt) as run:
                result = await _run_rounds(run, case_run.resolve, held)
        else:
            result = await agent.run(case_run.model, case_run.prompt)
        held.complete(self.seams.result(result))

    async def _conversing(
        self, held: _HeldFinal, case_run: CaseRun, policy: LoopPolicy, tools: Tools, send_message: SendMessage
    ) -> None:
        """One run of a conversation. The history of the earlier runs is in the state of the case."""
        agent = self._agent(case_run, policy, _InterruptedTools(tools, case_run), send_message)
        state, texts = case_run.state, [text for _, text in case_run.prompt] if case_run.number > 1 else []
        stored = cast("Mapping[str, Any] | None", state.get("conversation"))
        async with self.seams.conversation.begun(agent, case_run.model, case_run.prompt, stored) as conversation:
            case_run.on_say(conversation.say)
            try:
                if case_run.compacts:
                    await conversation.compact()
                    return
                if case_run.resolve:
                    result = await conversation.resolve(await _decisions(conversation, case_run, send_message))
                else:
                    result = await conversation.run(*texts)
            finally:
                state["conversation"] = dict(conversation.state)
        held.complete(self.seams.result(result))

    def _agent(self, case_run: CaseRun, policy: LoopPolicy, tools: Tools, send_message: SendMessage) -> Agent:
        return Agent(
            open_session=lambda config: self._session(case_run, config),
            send_message=send_message,
            tools=tools,
            base_url=case_run.base_url,
            api_key=case_run.api_key,
            stream=case_run.stream,
            transport=case_run.transport,
            policy=policy,
            sleep=_passing(case_run),
            output_schema=case_run.answer_schema,
        )

    async def _turn_by_turn(
        self, held: _HeldFinal, case_run: CaseRun, policy: LoopPolicy, tools: Tools, send_message: SendMessage
    ) -> None:
        config = SessionConfig(
            model=case_run.model,
            prompt=case_run.prompt,
            tools=tools.declarations,
            base_url=case_run.base_url,
            api_key=case_run.api_key,
            stream=case_run.stream,
            transport=case_run.transport,
        )
        session = self._session(case_run, config)
        async with self.seams.runner(
            session, tools, send_message, policy, prompt=case_run.prompt, sleep=_passing(case_run)
        ) as runner:
            number = 0
            async for turn in runner:
                number += 1
                await act(runner, turn, case_run.caller.get(number, ()))
            if runner.result is not None:
                held.complete(self.seams.result(runner.result))

    def _session(self, case_run: CaseRun, config: SessionConfig) -> EditableSession:
        return self.seams.session(self.clients.open_session(case_run.wire, self.seams.config(config), case_run.skills))

    async def close(self) -> None:
        """Close the SDK clients."""
        await self.clients.close()


async def _decisions(
    conversation: AgentConversation, case_run: CaseRun, send_message: SendMessage
) -> Mapping[str, Resolution]:
    """The user's decisions about the calls that wait. The run fails if they do not fit the scenario's decisions."""
    try:
        return resolutions(case_run.resolve[0], conversation.deferred)
    except BadInput as unlike:
        await send_message(Failure(RAISED, str(unlike)))
        raise AgentError(str(unlike)) from unlike


class _InterruptedTools:
    """Tools that let the caller act while they run. Otherwise they behave like ``tools``."""

    def __init__(self, tools: Tools, case_run: CaseRun) -> None:
        self._tools = tools
        self._case_run = case_run
        self._begun: set[tuple[int, int]] = set()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tools, name)

    async def run(self, call: ToolCall) -> ToolOutcome:
        """Run the tool; the caller acts when it has begun and when it has ended."""
        place = self._place(call)
        await self._moment(place, "begun")
        outcome = await self._tools.run(call)
        await self._moment(place, "returned" if outcome.ok else "failed")
        return outcome

    def _place(self, call: ToolCall) -> tuple[int, int] | None:
        """Turn and number of the call: by its id, or, if it was sent without an id, by its name and arguments.

        The latest turn with the call counts: earlier ones may have broken off, so that their calls were not run.
        """
        issued = reversed(list(enumerate(self._case_run.issued(), 1)))
        made = [((turn, number), each) for turn, calls in issued for number, each in enumerate(calls, 1)]
        alike = [place for place, each in made if (each.name, each.arguments) == (call.name, call.arguments)]
        found = [place for place, each in made if each.id == call.id] or alike
        place = next((each for each in found if each not in self._begun), None)
        self._begun |= {place} if place else set()
        return place

    async def _moment(self, place: tuple[int, int] | None, moment: ToolMoment) -> None:
        if place is not None and (over := self._case_run.at_tool(*place, moment)) is not None:
            await over


class _OrderedTools:
    """Tools like ``tools``, but some end only after another one, as the scenario says."""

    def __init__(self, tools: Tools, case_run: CaseRun) -> None:
        self._tools = tools
        self._ended = EndedTools(case_run.tools, case_run.note_waited)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tools, name)

    async def run(self, call: ToolCall) -> ToolOutcome:
        """Run the tool when it may end. A call that the tool refuses ends at once."""
        if self._tools.accepts(call):
            await self._ended.wait_for_those_before(call.name)
        outcome = await self._tools.run(call)
        self._ended.add(call.name)
        return outcome


def _tools(case_run: CaseRun, policy: LoopPolicy) -> Tools:
    tools = ToolRuntime(case_run.tools, options=case_run.options, policy=policy, skills=case_run.skills)
    return _OrderedTools(tools, case_run)


class _HeldFinal:
    """Keeps the last ``Final`` back until the run has returned, to add the rest of the run's result to it."""

    def __init__(self, emit: EmitEvent) -> None:
        self._emit = emit
        self._final: Final | None = None

    def emit(self, event: Event) -> None:
        """Emit the event, unless it is a final. A final that was kept back is emitted first."""
        self.release()
        if isinstance(event, Final):
            self._final = event
        else:
            self._emit(event)

    def complete(self, result: AgentResult) -> None:
        """Emit the final event with the usage, the history and the output of the run."""
        if self._final is not None:
            history: list[JsonValue] = [*map(_message, result.history)]
            self._final = replace(self._final, usage=_usage(result), history=history, output=result.output)
        self.release()

    def release(self) -> None:
        """Emit the final that was kept back."""
        final, self._final = self._final, None
        if final is not None:
            self._emit(final)


def _usage(result: AgentResult) -> JsonValue:
    """The tokens that the run has used, in the form of traces."""
    spent = result.usage
    tokens = {"input": spent.input, "output": spent.output, "reasoning": spent.reasoning, "cached": spent.cached}
    usage: dict[str, JsonValue] = {**tokens, "requests": result.requests}
    if result.tool_retries:
        usage["tool_retries"] = {**result.tool_retries}
    if result.output_retries:
        usage["output_retries"] = result.output_retries
    return usage


def _message(step: RequestStep | ResponseStep) -> JsonValue:
    """A step of the history that the run returns, in the form of traces."""
    if isinstance(step, RequestStep):
        results: list[JsonValue] = [{"id": each.call.id, "ok": each.ok} for each in step.results]
        role = step.texts[-1][0] if step.texts else "user"
        texts = "\n".join(text for _, text in step.texts)
        own: dict[str, JsonValue] = {"native": len(step.native)} if step.native else {}  # of a caller's
        return {"role": role, "text": texts, "results": results, **own}
    turn = step.turn
    calls: list[JsonValue] = [{"name": call.name, "id": call.id} for call in turn.tool_calls]
    files: list[JsonValue] = [f"{file.media_type}, {len(file.data)} bytes" for file in turn.files]
    words: dict[str, JsonValue] = {"text": turn.assistant_text, "thinking": turn.thinking_text, "calls": calls}
    beside: dict[str, JsonValue] = {"files": files} if files else {}
    if turn.created is not None:
        beside["created"] = turn.created
    return {"role": "assistant", **words, "model": turn.model, **beside}


async def _run_rounds(run: AgentRun, rounds: Sequence[Round], held: _HeldFinal) -> AgentResult:
    """Start the run. Each time that it is deferred, resume it with the next round of the scenario."""
    result = await run.start()
    for each in rounds:
        if result.outcome != "deferred":
            break
        held.release()
        result = await run.resume(resolutions(each, result.deferred))
    return result


def _passing(case_run: CaseRun) -> Sleep:
    """A wait that only notes its seconds: a scripted provider is ready at once. Negative seconds are a mistake."""

    async def sleep(seconds: float) -> None:
        if seconds < 0:
            raise HarnessError(f"the loop wants to wait {seconds} seconds before it asks again")
        case_run.note_passed(seconds)

    return sleep
