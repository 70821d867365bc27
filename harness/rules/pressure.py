"""Whether a history had to become shorter: the provider has said that it is too long, or its tokens show it."""

from __future__ import annotations

from typing import Final

from harness.rules.steps import Step
from harness.rules.trace_view import TraceView
from harness.rules.turns import Ask
from harness.wire.failures import says_too_long

_NEARLY_FULL: Final = 100_000
"""Tokens of a request and its answer from which loops sum up their history by themselves: the default threshold of the
tool runner in Anthropic's SDK, the lowest of those that are known."""


def under_pressure(view: TraceView, step: Step) -> bool:
    """Whether a loop may go on with less than it has sent before."""
    spent = step.answered.turn.usage
    if spent.input + spent.output >= _NEARLY_FULL:
        return True
    return any(is_too_long(ask) for ask in view.asks if step.answered.at <= ask.at < step.ask.at)


def is_too_long(ask: Ask) -> bool:
    """Whether the provider has answered the request with an error that says so."""
    error = ask.turn.error
    response = ask.exchange.response
    if error is not None:
        return error.kind == "context_length" or says_too_long(error.message)
    return response is not None and response.status >= 400 and says_too_long(response.body.decode("utf-8", "replace"))
