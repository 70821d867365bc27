"""The calls of one turn and their results: which are run, in which order, and what happens when one fails.

Source: "Agent Tool-Calling Flow", section "Tool Execution", and "Tool Call Flow Diagrams", sections "Detailed Tool
Execution Flow" and "Tool Execution Parallelism".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol, Self

from harness.loop.asking import end_waiting
from harness.loop.deferral import Approved, DeferredCall, Denied, Resolution, Supplied, ToolKind, check_resolutions
from harness.loop.effects import Emit, Flow, RunTool, RunTools
from harness.loop.live import Previews
from harness.loop.outcome import NOT_RUN, ToolRetriesExceeded
from harness.loop.policy import LoopPolicy
from harness.loop.progress import Progress
from harness.loop.session import CallResult, ProviderTurn, ToolCall
from harness.loop.tools import ToolOutcome
from harness.loop.waiting import WaitingCalls, not_run
from harness.trace import Event, Failure, JsonValue, SetCode, ToolResult, ToolStart

_ACCEPTED = "The final result was accepted."
_NOT_NEEDED = "Not run: the run has ended with the result of an output tool."
_NOTHING: Mapping[str, ToolOutcome] = {}


class KnownTools(Previews, Protocol):
    """What the engine asks about the tools without running one."""

    @property
    def code(self) -> str | None:
        """The file as it is now; None while there is none."""

    def kind(self, name: str) -> ToolKind:
        """Who runs the tool; ``function`` for an unknown tool."""

    def accepts(self, call: ToolCall) -> bool:
        """Whether the tool can be run on these arguments. The engine asks this for calls that would wait."""

    def call_summary(self, call: ToolCall) -> JsonValue:
        """Return what the user sees of a finished call before it runs."""


class TurnCalls:
    """The calls of ``turn``. ``begun`` are the calls, id to name, whose ``ToolStart`` was emitted.

    ``deferred`` are the calls that wait to be resolved, ``output`` is the output call that was accepted.
    """

    def __init__(
        self,
        turn: ProviderTurn,
        begun: dict[str, str],
        tools: KnownTools,
        policy: LoopPolicy,
        progress: Progress,
    ) -> None:
        self.turn = turn
        self.deferred: tuple[DeferredCall, ...] = ()
        self.output: ToolOutcome | None = None
        self._waiting = begun
        self._tools = tools
        self._policy = policy
        self._progress = progress
        self._call_results: dict[str, CallResult] = {}
        self._failing_before = progress.failing
        self._failed: dict[str, ToolOutcome] = {}  # by the names of tools that the model can call better

    @classmethod
    def taken_up(cls, waiting: WaitingCalls, tools: KnownTools, policy: LoopPolicy, progress: Progress) -> Self:
        """The calls that have waited since an earlier run."""
        calls = cls(waiting.turn, {each.call.id: each.call.name for each in waiting.deferred}, tools, policy, progress)
        calls.deferred = waiting.deferred
        calls._call_results = {each.call.id: each for each in waiting.results}
        return calls

    @property
    def waiting(self) -> WaitingCalls:
        """The calls that wait, for a later run."""
        return WaitingCalls(self.turn, self.call_results, self.deferred)

    @property
    def call_results(self) -> tuple[CallResult, ...]:
        """The results so far, in call order and not in the order of their arrival."""
        return tuple(self._call_results[call.id] for call in self.turn.tool_calls if call.id in self._call_results)

    def answer(self) -> Flow[None]:
        """Give every call a result, or defer it. Output calls come first, because an output call ends the run.

        A call that would wait but cannot be run with its arguments fails at once: nobody could resolve it.
        Raises ``ToolRetriesExceeded`` when all results have been emitted and a tool has failed too often.
        """
        outputs = self._of_kind("output")
        deferred = [call for call in self._of_kind("external", "unapproved") if self._tools.accepts(call)]
        yield from self._end_left_out()
        for call in outputs:
            if self.output is None:
                yield from self._run([call])
        if self.output is None or self._policy.beside_output == "run":
            others = [call for call in self.turn.tool_calls if call not in (*outputs, *deferred)]
            yield from self._run(others)
        if self.output is not None:
            yield from self.skip(_NOT_NEEDED)
            return
        yield from self._check_failures()
        yield from self._defer(deferred)

    def resolve(self, resolved: Mapping[str, Resolution]) -> Flow[None]:
        """Resolve deferred calls, by id. Calls that are not named go on waiting.

        Raises ``BadInput`` for a resolution that does not fit, before anything is done. Raises like ``answer``, too.
        """
        check_resolutions(self.deferred, resolved)
        calls = [each.call for each in self.deferred if each.call.id in resolved]
        self.deferred = tuple(each for each in self.deferred if each.call.id not in resolved)
        yield from self._run(
            calls, {id: _outcome_of(each) for id, each in resolved.items() if not isinstance(each, Approved)}
        )
        yield from self._check_failures()

    def run_all(self) -> Flow[None]:
        """Run every call that has no result yet, whatever its kind. Raises like ``answer``."""
        yield from self._run([call for call in self.turn.tool_calls if call.id not in self._call_results])
        yield from self._check_failures()

    def skip(self, reason: str) -> Flow[None]:
        """Give every call without a result ``reason`` as its result."""
        for call in self.turn.tool_calls:
            if call.id not in self._call_results:
                self._call_results[call.id] = not_run(call, reason)
        yield from self._end_waiting(reason)

    def _of_kind(self, *kinds: ToolKind) -> list[ToolCall]:
        return [call for call in self.turn.tool_calls if self._tools.kind(call.name) in kinds]

    def _run(self, calls: Sequence[ToolCall], settled: Mapping[str, ToolOutcome] = _NOTHING) -> Flow[None]:
        """Run ``calls``, one by one or all at once. A call with an outcome in ``settled`` (by id) is not run."""
        if self._policy.execution == "parallel":
            for call in calls:
                yield from self._start(call)
            for id, outcome in settled.items():
                yield from self._end(next(call for call in calls if call.id == id), outcome)
            if left := tuple(call for call in calls if call.id not in settled):
                yield RunTools(left, self._take_outcome)
            return
        for call in calls:
            yield from self._start(call)
            outcome = settled.get(call.id) or (yield RunTool(call))
            yield from self._end(call, outcome)

    def _defer(self, calls: Sequence[ToolCall]) -> Flow[None]:
        for call in calls:
            yield from self._start(call)
        self.deferred = tuple(DeferredCall(call, self._tools.kind(call.name)) for call in calls)

    def _start(self, call: ToolCall) -> Flow[None]:
        """Emit the start of the call, unless it was emitted while its arguments arrived or when it was deferred."""
        if call.id not in self._waiting:
            self._waiting[call.id] = call.name
            yield Emit(ToolStart(call.id, call.name, self._tools.call_summary(call)))

    def _end_left_out(self) -> Flow[None]:
        """Report the end of calls that the user has seen begin and that the finished turn does not contain."""
        contained = {call.id for call in self.turn.tool_calls}
        left_out = [id for id in self._waiting if id not in contained]
        yield from end_waiting({id: self._waiting.pop(id) for id in left_out}, NOT_RUN["completed"])

    def _end_waiting(self, reason: str) -> Flow[None]:
        """Report the end of calls that the user has seen begin and that will not be run."""
        left = dict(self._waiting)
        self._waiting.clear()
        yield from end_waiting(left, reason)

    def _end(self, call: ToolCall, outcome: ToolOutcome) -> Flow[None]:
        for event in self._take_outcome(call, outcome):
            yield Emit(event)

    def _take_outcome(self, call: ToolCall, outcome: ToolOutcome) -> Sequence[Event]:
        """Keep the result of a call, and return the events that report it."""
        self._waiting.pop(call.id, None)
        if outcome.retry and self._policy.tool_retries is not None:
            outcome = self._asked_again(call.name, outcome, self._policy.tool_retries)
        if outcome.ok and self._tools.kind(call.name) == "output":
            self.output = outcome
            self._keep(call, replace(outcome, result=_ACCEPTED))
        else:
            self._keep(call, outcome)
        result_event = ToolResult(call.id, call.name, outcome.summary, outcome.ok)
        return (result_event,) if outcome.code is None else (SetCode(outcome.code, call.id), result_event)

    def _keep(self, call: ToolCall, outcome: ToolOutcome) -> None:
        kept = CallResult(call, outcome.result, outcome.ok, outcome.extra, outcome.metadata)
        self._call_results[call.id] = kept

    def _asked_again(self, name: str, outcome: ToolOutcome, allowed: int) -> ToolOutcome:
        """The failure, with how often the model may still correct the call. One turn is one retry."""
        retry = self._failing_before.get(name, 0) + 1
        first, self._failed[name] = name not in self._failed, outcome
        if retry > allowed:
            return outcome
        self._progress.retries[name] += first
        word = f"Mend the call and make it again (retry {retry} of {allowed})."
        result, summary = ({**_as_object(each), "retry": word} for each in (outcome.result, outcome.summary))
        return replace(outcome, result=result, summary=summary)

    def _check_failures(self) -> Flow[None]:
        """Fail the run if a tool has failed too often. The count of a tool that did not fail in this turn restarts."""
        failing = {name: self._failing_before.get(name, 0) + 1 for name in self._failed}
        self._progress.failing = failing
        allowed = self._policy.tool_retries
        for name, turns in failing.items():
            if allowed is not None and turns > allowed:
                failure = _as_object(self._failed[name].summary)
                retries = "1 retry is" if allowed == 1 else f"{allowed} retries are"
                message = (
                    f"Tool {name!r} failed in {turns} turns running; {retries} allowed. "
                    f"The last failure: {failure.get('error', failure)}"
                )
                yield from self._end_waiting(f"Not run: {message}")
                yield Emit(Failure("tool-retries", message))
                raise ToolRetriesExceeded(message)


def _outcome_of(resolution: Resolution) -> ToolOutcome:
    """The outcome of a call that is not run here."""
    match resolution:
        case Supplied(result, ok):
            return ToolOutcome(result, result, ok)
        case Denied(message):
            return ToolOutcome(message, {"error": message}, ok=False)
        case Approved():
            raise AssertionError("an approved call is run")


def _as_object(failure: JsonValue) -> Mapping[str, JsonValue]:
    """The result of a failed tool as an object, like the results of ``harness.loop.tools.tool.failed``."""
    return failure if isinstance(failure, dict) else {"error": failure}
