"""How a run ends: with a result, or with an error.

AgentError               the run ended without a result; the user has got a Failure
├── TurnLimitExceeded      the model still wanted more after the last turn it was given
├── ToolRetriesExceeded    a tool failed again after the model had been asked to correct the call
└── ModelFailed            the model gave no usable turn; ``__cause__`` is the session's TurnFailed
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from harness.loop.deferral import DeferredCall
from harness.loop.progress import NO_USAGE, Step
from harness.loop.session import ProviderTurn
from harness.trace import JsonValue
from harness.wire import FinishReason, Usage

Outcome = Literal["completed", "truncated", "refused", "turn-limit", "deferred"]
"""``turn-limit``: the model had no turn left, under a policy that does not raise. ``deferred``: the run waits for
results or approvals."""

NOT_RUN: Mapping[Outcome, str] = {
    "completed": "Not run: the model's finished turn does not contain this call.",
    "truncated": "Not run: the model's turn was cut off at its token limit.",
    "refused": "Not run: the model's turn was refused.",
    "turn-limit": "Not run: the turn limit was reached, so the model would not have seen the result.",
}
"""Why an announced call is not run."""

_CUT_SHORT: Mapping[FinishReason, Outcome] = {
    FinishReason.MAX_TOKENS: "truncated",
    FinishReason.REFUSAL: "refused",
    FinishReason.CONTENT_FILTER: "refused",
}


class AgentError(Exception):
    """The run ended without a result. A ``Failure`` with the same message was emitted before."""


class TurnLimitExceeded(AgentError):
    """The model still called tools in the last allowed turn. Those calls were run."""


class ToolRetriesExceeded(AgentError):
    """A tool failed in more consecutive turns than the policy allows, each time for a reason that the model could
    correct; or the text of the answer broke the output schema too often."""


class ModelFailed(AgentError):
    """The model returned no usable turn, and asking again was not allowed or did not help."""


@dataclass(frozen=True, slots=True)
class AgentResult:
    """How a run ended.

    ``turns`` counts model turns. ``requests`` counts requests, repeated ones too. ``usage`` is the sum over the turns.
    ``history`` has a request and a response for every turn, and one more request if it has results that were not sent
    to the model. ``output`` is the arguments of the output tool that ended the run, or, with an output schema, the
    object in the last text. ``deferred`` are the calls that wait, in call order. ``tool_retries`` is how often the
    model was asked to correct a call, by tool, and ``output_retries`` how often it was asked to correct a text.
    """

    outcome: Outcome
    code: str
    text: str
    turns: int
    requests: int
    usage: Usage = NO_USAGE
    history: tuple[Step, ...] = field(default=(), repr=False)
    output: JsonValue = None
    deferred: tuple[DeferredCall, ...] = ()
    tool_retries: Mapping[str, int] = field(default_factory=dict)
    output_retries: int = 0


def cut_short(turn: ProviderTurn) -> Outcome | None:
    """The outcome of a turn whose calls are not executed, because they may be incomplete or unintended.

    OpenAI puts a refusal into a part of its own, perhaps beside a call, and reports a normal stop.
    """
    return _CUT_SHORT.get(turn.stop) or ("refused" if turn.refusal else None)


def ended_by(turn: ProviderTurn) -> Outcome | None:
    """How this turn ends the run; None if the run goes on.

    A paused turn goes on when it is sent back (Anthropic ``pause_turn``). If it also calls tools it is answered
    like any other turn, because the provider refuses a call without its result.
    """
    if cut := cut_short(turn):
        return cut
    return None if turn.tool_calls or turn.stop is FinishReason.PAUSE else "completed"
