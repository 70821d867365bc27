"""The agent loop, without I/O.

It is a generator like httpx's auth flows: it yields the effects that it wants (``effects``) and is sent what
happened. It never awaits, reads no clock and opens nothing, so its order, limits, retries and history can be
tested without a model. ``driver`` performs the effects.

Source of the flow: "Agent Tool-Calling Flow", sections "Core Tool-Calling Loop" and "Tool Execution". ``policy`` and
``calls`` have what other policies do instead. ``docs/deviations.md`` explains where this loop departs from its sources.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.errors import BadInput
from harness.loop.asking import ask, end_waiting
from harness.loop.calls import KnownTools, TurnCalls
from harness.loop.deferral import Resolution
from harness.loop.effects import Append, AppendUser, Emit, Flow
from harness.loop.html import complete_html
from harness.loop.live import LiveTurn
from harness.loop.outcome import (
    NOT_RUN,
    AgentResult,
    Outcome,
    ToolRetriesExceeded,
    TurnLimitExceeded,
    cut_short,
    ended_by,
)
from harness.loop.policy import LoopPolicy
from harness.loop.progress import Progress, RequestStep
from harness.loop.session import CallResult, ProviderTurn
from harness.loop.text_output import TextOutput
from harness.loop.waiting import LEFT, WaitingCalls
from harness.trace import Failure, Final, JsonValue


class Engine:
    """One run of the loop. ``flow`` may be driven once; ``resume`` after each end with outcome ``deferred``.

    ``prompt`` is only noted: the session has it. A caller that drives the turns itself (``harness.loop.runner``) uses
    the pieces: ``ask``, ``calls_of``, ``finish``, ``reach_limit``. With an ``output_schema`` the text that ends the run
    must be a JSON object that fits it; the policy's ``tool_retries`` limits how many texts may not fit. ``pending`` are
    the user's texts for the next request, which is made for them if necessary; more may be added during the run.
    ``answering`` are the calls of a turn that is not yet in the history. ``unsent`` is a turn that is not there either.
    ``turns_before`` counts the turns of earlier runs in the same conversation.
    """

    def __init__(
        self,
        tools: KnownTools,
        policy: LoopPolicy,
        prompt: Sequence[tuple[str, str]] = (),
        output_schema: Mapping[str, Any] | None = None,
        pending: list[str] | None = None,
        turns_before: int = 0,
    ) -> None:
        self.policy = policy
        self.progress = Progress(prompt, turns_before)
        self.answering: TurnCalls | None = None
        self.unsent: ProviderTurn | None = None
        self._pending = [] if pending is None else pending
        self._text_output = None if output_schema is None else TextOutput(output_schema, policy.tool_retries)
        self._tools = tools
        self._open: TurnCalls | None = None

    def no_turn_left(self) -> bool:
        """Whether the policy allows no further turn."""
        return self.policy.turn_limit is not None and self.progress.turns >= self.policy.turn_limit

    def flow(self) -> Flow[AgentResult]:
        """Return the run as effects. Raises an ``AgentError`` after emitting its ``Failure``."""
        while not self.no_turn_left():
            yield from self._pass_on_pending()
            turn, live = yield from self._next_turn()
            outcome = ended_by(turn)
            if outcome is None and self.no_turn_left() and self.policy.at_limit == "stop":
                outcome = "turn-limit"
            if outcome:
                yield from end_waiting(live.waiting, NOT_RUN[outcome])
                if outcome == "completed" and (yield from self._asked_for_a_better_text(turn)):
                    continue
                if outcome == "completed" and self._pending and not self.no_turn_left():
                    yield from self._append(turn)
                    continue
                return (yield from self.finish(turn, outcome))
            self.answering = calls = self.calls_of(turn, live)
            yield from calls.answer()
            if result := (yield from self._settle(calls)):
                return result
        return (yield from self.reach_limit())

    def resume(self, resolved: Mapping[str, Resolution]) -> Flow[AgentResult]:
        """Go on after the run was deferred, with resolutions by call id. If some calls wait on, it is deferred again.

        Raises like ``flow``. Raises ``BadInput``, before anything is done, if no call waits or the resolutions do
        not fit the calls that wait.
        """
        calls = self._open
        if calls is None:
            raise BadInput("the run is not deferred: no call waits")
        yield from calls.resolve(resolved)
        self._open = None
        if result := (yield from self._settle(calls)):
            return result
        return (yield from self.flow())

    @property
    def waiting(self) -> WaitingCalls | None:
        """The calls that wait since the run was deferred."""
        return self._open.waiting if self._open else None

    def take_up(self, waiting: WaitingCalls) -> None:
        """Take up the calls of an earlier deferred run. Then go on with ``resume`` or ``leave``."""
        self.answering = self._open = TurnCalls.taken_up(waiting, self._tools, self.policy, self.progress)

    def leave(self) -> Flow[None]:
        """Answer the calls that wait, so that the conversation can go on without them."""
        calls, self._open = self._open, None
        if calls is not None:
            yield from calls.skip(LEFT)
            yield from self._append(calls.turn, calls.call_results)
            self.answering = None

    def ask(self) -> Flow[tuple[ProviderTurn, LiveTurn]]:
        """Return the next turn, and what was emitted while it arrived. Raises ``ModelFailed``."""
        return ask(self._tools, self.policy, self.progress)

    def calls_of(self, turn: ProviderTurn, live: LiveTurn) -> TurnCalls:
        """The calls of a turn that ``ask`` has returned."""
        return TurnCalls(turn, live.waiting, self._tools, self.policy, self.progress)

    def finish(self, turn: ProviderTurn | None, outcome: Outcome, calls: TurnCalls | None = None) -> Flow[AgentResult]:
        """End the run with its last turn (None if it had none) and the calls of that turn that matter to the result."""
        text = turn.refusal or turn.assistant_text if turn else ""
        code = self._tools.code
        if code is None and self._text_output is None and outcome not in ("refused", "deferred"):
            code = complete_html(text)
        progress = self.progress
        unsent = (progress.next,) if progress.next != RequestStep() else ()
        result = AgentResult(
            outcome,
            code or "",
            text,
            progress.turns,
            progress.requests,
            progress.usage,
            history=(*progress.history, *unsent),
            output=calls.output.result if calls and calls.output else self._output_of_text(outcome),
            deferred=calls.deferred if calls else (),
            tool_retries=dict(progress.retries),
            output_retries=self._text_output.retries if self._text_output else 0,
        )
        yield Emit(Final(result.code, result.outcome, result.text))
        return result

    def reach_limit(self) -> Flow[AgentResult]:
        """Do what the policy wants when the last allowed turn was not the end."""
        if self.policy.at_limit == "stop":
            return (yield from self.finish(None, "turn-limit"))
        if self.policy.at_limit == "answer-now":
            return (yield from self._answer_now())
        message = f"The model did not finish within {self.policy.turn_limit} turns."
        yield Emit(Failure("turn-limit", message))
        raise TurnLimitExceeded(message)

    def _next_turn(self) -> Flow[tuple[ProviderTurn, LiveTurn]]:
        turn, live = yield from self.ask()
        self.unsent = turn
        return turn, live

    def _append(self, turn: ProviderTurn, call_results: tuple[CallResult, ...] = ()) -> Flow[None]:
        yield Append(turn, call_results)
        self.unsent = None

    def _pass_on_pending(self) -> Flow[None]:
        """Add what the user has said meanwhile to the history."""
        while self._pending:
            yield from self._say(self._pending.pop(0))

    def _say(self, text: str) -> Flow[None]:
        """Add a message of the user to the history."""
        yield AppendUser(text)
        self.progress.pushed("user", text)

    def _answer_now(self) -> Flow[AgentResult]:
        """Send one more request, for an answer. Calls in that turn are not run."""
        yield from self._say(self.policy.answer_now)
        turn, live = yield from self._next_turn()
        outcome = cut_short(turn) or "turn-limit"
        yield from end_waiting(live.waiting, NOT_RUN[outcome])
        return (yield from self.finish(turn, outcome))

    def _asked_for_a_better_text(self, turn: ProviderTurn) -> Flow[bool]:
        """Whether the turn's text breaks the output schema, so that the model was asked for another.

        Raises ``ToolRetriesExceeded`` if it has been asked too often.
        """
        wanted = self._text_output
        if wanted is None or not (problem := wanted.problem(turn.assistant_text)):
            return False
        again = wanted.ask_again(problem)
        if again is None:
            message = f"The answer broke the output schema {wanted.retries + 1} times. The last time: {problem}"
            yield Emit(Failure("tool-retries", message))
            raise ToolRetriesExceeded(message)
        yield from self._append(turn)
        yield from self._say(again)
        return True

    def _output_of_text(self, outcome: Outcome) -> JsonValue:
        return self._text_output.value if self._text_output and outcome == "completed" else None

    def _settle(self, calls: TurnCalls) -> Flow[AgentResult | None]:
        """Add a turn and its results to the history, or end the run because of its calls; None: the run goes on."""
        if calls.deferred:
            self._open = calls
            return (yield from self.finish(calls.turn, "deferred", calls))
        self.progress.answered(calls.call_results)
        self.answering = None
        yield from self._append(calls.turn, calls.call_results)
        if calls.output:
            return (yield from self.finish(calls.turn, "completed", calls))
        return None
