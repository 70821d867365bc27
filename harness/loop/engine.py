"""The agent loop, without I/O.

A generator in the way of httpx's auth flows: it yields what it wants done (``effects``) and is sent what
happened. It never awaits, reads no clock and opens nothing, so its order, limits, retries and history can be
tested without a model. ``driver`` performs the effects.

    AgentError               the run ended without a result; the user has been told a Failure
    ├── TurnLimitExceeded      the model still called tools in the last turn it was given
    └── ModelFailed            the model gave no usable turn; ``__cause__`` is the session's TurnFailed

Source of the flow: "Agent Tool-Calling Flow", sections "Core Tool-Calling Loop" and "Tool Execution". Where this
loop departs from it, ``docs/deviations.md`` says why.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from harness.loop.effects import Append, Flow, RunTool, StreamTurn, Tell, Wait
from harness.loop.html import complete_html
from harness.loop.live import LiveTurn, Previews
from harness.loop.policy import LoopPolicy
from harness.loop.session import Executed, HttpFailed, ProviderTurn, ToolCall, TurnFailed
from harness.loop.tools import ToolOutcome
from harness.trace import Failure, Final, JsonValue, SetCode, ToolResult, ToolStart, TurnStart
from harness.wire import Stop

__all__ = ["AgentError", "Engine", "KnownTools", "ModelFailed", "Outcome", "RunResult", "TurnLimitExceeded"]

Outcome = Literal["completed", "truncated", "refused"]

_CUT_SHORT: Mapping[Stop, Outcome] = {
    Stop.MAX_TOKENS: "truncated",
    Stop.REFUSAL: "refused",
    Stop.CONTENT_FILTER: "refused",
}
"""Stop reasons after which nothing of the turn is executed: its calls may be incomplete, or are not meant."""

_WHY_NOT_RUN: Mapping[Outcome, str] = {
    "completed": "Not run: the model's finished turn does not hold this call.",
    "truncated": "Not run: the model's turn was cut off at its token limit.",
    "refused": "Not run: the model's turn was refused.",
}

_TRANSIENT = frozenset({408, 409, 429})
_FIRST_WAIT, _LONGEST_WAIT, _LONGEST_RETRY_AFTER = 0.5, 8.0, 60.0  # seconds; the official SDKs' own figures


class AgentError(Exception):
    """The run ended without a result. The user has been told a ``Failure`` that says the same."""


class TurnLimitExceeded(AgentError):
    """The model still called tools in the last turn that the policy allows; those calls were run."""


class ModelFailed(AgentError):
    """The model gave no usable turn, and asking again was not allowed or did not help."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a run ended. ``turns`` counts model turns, ``requests`` also those that were sent again."""

    outcome: Outcome
    code: str
    text: str
    turns: int
    requests: int


class KnownTools(Previews, Protocol):
    """What the engine asks of the tools without running one."""

    @property
    def code(self) -> str | None:
        """The file as it is now; None while there is none."""

    def call_summary(self, call: ToolCall) -> JsonValue:
        """What the user is told of a finished call before it is run."""


class Engine:
    """One run of the loop. ``flow`` may be driven once."""

    def __init__(self, tools: KnownTools, policy: LoopPolicy) -> None:
        self._tools = tools
        self._policy = policy
        self._requests = 0

    def flow(self) -> Flow[RunResult]:
        """The run as effects. Raises ``TurnLimitExceeded`` or ``ModelFailed`` after their ``Failure`` was told."""
        for number in range(1, self._policy.turn_limit + 1):
            yield Tell(TurnStart(number))
            turn, live = yield from self._ask(number)
            outcome = _outcome(turn)
            if outcome:
                yield from _end_waiting(live, _WHY_NOT_RUN[outcome])
                return (yield from self._finish(number, turn, outcome))
            executed = yield from self._run_calls(turn, live)
            yield Append(turn, executed)
        message = f"The model did not finish within {self._policy.turn_limit} turns."
        yield Tell(Failure("turn-limit", message))
        raise TurnLimitExceeded(message)

    def _ask(self, number: int) -> Flow[tuple[ProviderTurn, LiveTurn]]:
        """Stream one turn; send the request again while that is allowed and nobody can have noticed."""
        attempt = 0
        while True:
            live = LiveTurn(number, self._tools, self._policy.preview_step)
            self._requests += 1
            try:
                turn: ProviderTurn = yield StreamTurn(live.hear)
            except TurnFailed as failure:
                if live.told or attempt == self._policy.retries or not _is_transient(failure):
                    yield from _end_waiting(live, f"Not run: {failure}")
                    yield Tell(Failure(failure.kind, str(failure)))
                    raise ModelFailed(str(failure)) from failure
                yield Wait(_wait(failure, attempt))
            else:
                return turn, live
            attempt += 1

    def _run_calls(self, turn: ProviderTurn, live: LiveTurn) -> Flow[tuple[Executed, ...]]:
        """Run the calls one after another, in the order in which the model wrote them."""
        executed = []
        for call in turn.tool_calls:
            executed.append((yield from self._run_call(call, live)))
        yield from _end_waiting(live, _WHY_NOT_RUN["completed"])
        return tuple(executed)

    def _run_call(self, call: ToolCall, live: LiveTurn) -> Flow[Executed]:
        if live.waiting.pop(call.id, None) is None:
            yield Tell(ToolStart(call.id, call.name, self._tools.call_summary(call)))
        outcome: ToolOutcome = yield RunTool(call)
        if outcome.code is not None:
            yield Tell(SetCode(outcome.code, call.id))
        yield Tell(ToolResult(call.id, call.name, outcome.summary, outcome.ok))
        return Executed(call, outcome.result, outcome.ok)

    def _finish(self, number: int, turn: ProviderTurn, outcome: Outcome) -> Flow[RunResult]:
        code = self._tools.code
        if code is None and outcome != "refused":
            code = complete_html(turn.assistant_text)
        result = RunResult(outcome, code or "", turn.refusal or turn.assistant_text, number, self._requests)
        yield Tell(Final(result.code, result.outcome, result.text))
        return result


def _outcome(turn: ProviderTurn) -> Outcome | None:
    """How this turn ends the run; None when the run goes on.

    A paused turn goes on by being sent back (Anthropic ``pause_turn``). One that also calls tools is answered
    like any other, because the provider refuses a call without its result. OpenAI says a refusal in a part of
    its own and stops as if nothing were wrong, perhaps beside a call.
    """
    if turn.stop in _CUT_SHORT:
        return _CUT_SHORT[turn.stop]
    if turn.refusal:
        return "refused"
    if turn.tool_calls or turn.stop is Stop.PAUSE:
        return None
    return "completed"


def _end_waiting(live: LiveTurn, error: str) -> Flow[None]:
    """Tell the end of calls that were told to have begun and that will not be run, so that no user waits on."""
    for id, name in live.waiting.items():
        yield Tell(ToolResult(id, name, {"error": error}, ok=False))


def _is_transient(failure: TurnFailed) -> bool:
    """Whether the same request may succeed later. A stream that broke has begun and is not asked for again."""
    if not isinstance(failure, HttpFailed):
        return False
    return failure.status is None or failure.status in _TRANSIENT or failure.status >= 500


def _wait(failure: TurnFailed, attempt: int) -> float:
    """Seconds until the next attempt: what the provider asked for, within reason, or a doubling wait.

    Without jitter, unlike the SDKs: a run must be the same again.
    """
    asked = failure.retry_after if isinstance(failure, HttpFailed) else None
    if asked is not None and asked >= 0:
        return min(asked, _LONGEST_RETRY_AFTER)
    return float(min(_FIRST_WAIT * 2**attempt, _LONGEST_WAIT))
