"""Breakages of what a run returns."""

from __future__ import annotations

from dataclasses import replace

from harness.loop import AgentResult, ResponseStep

__all__ = ["usage_of_the_last_turn", "without_responses"]


def usage_of_the_last_turn(result: AgentResult) -> AgentResult:
    """The usage is that of the last turn alone."""
    turns = [step.turn for step in result.history if isinstance(step, ResponseStep)]
    return replace(result, usage=turns[-1].usage) if turns else result


def without_responses(result: AgentResult) -> AgentResult:
    """The history has what the model was sent, and nothing of what it said."""
    return replace(result, history=tuple(step for step in result.history if not isinstance(step, ResponseStep)))
