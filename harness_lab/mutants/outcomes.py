"""Breakages of what a run returns."""

from __future__ import annotations

from dataclasses import replace

from harness.loop import AgentResult, RequestStep, ResponseStep


def another_output(result: AgentResult) -> AgentResult:
    """The texts of the output are empty."""
    output = result.output
    if not isinstance(output, dict):
        return result
    emptied = {name: "" if isinstance(each, str) else each for name, each in output.items()}
    return replace(result, output=emptied)


def one_request_less(result: AgentResult) -> AgentResult:
    """The number of requests is one too low."""
    return replace(result, requests=result.requests - 1)


def without_thinking(result: AgentResult) -> AgentResult:
    """The history has the model's turns without what it has thought."""
    steps = (
        ResponseStep(replace(step.turn, thinking_text="")) if isinstance(step, ResponseStep) else step
        for step in result.history
    )
    return replace(result, history=tuple(steps))


def without_results(result: AgentResult) -> AgentResult:
    """The history has calls without their results."""
    steps = (replace(step, results=()) if isinstance(step, RequestStep) else step for step in result.history)
    return replace(result, history=tuple(steps))


def usage_of_the_last_turn(result: AgentResult) -> AgentResult:
    """The usage is that of the last turn alone."""
    turns = [step.turn for step in result.history if isinstance(step, ResponseStep)]
    return replace(result, usage=turns[-1].usage) if turns else result


def without_responses(result: AgentResult) -> AgentResult:
    """The history has what the model was sent, and nothing of what it said."""
    return replace(result, history=tuple(step for step in result.history if not isinstance(step, ResponseStep)))
