"""Breakages of what a run returns."""

from __future__ import annotations

from dataclasses import replace

from harness.loop import AgentResult, RequestStep, ResponseStep
from harness_lab.mutants.declared import breaks, seen_in


@breaks("result", "output-emptied", "reported/run-output")
@seen_in("output-tool-ends-the-run", "answer-mended-to-fit")
def another_output(result: AgentResult) -> AgentResult:
    """Returns an output without its texts."""
    output = result.output
    if not isinstance(output, dict):
        return result
    emptied = {name: "" if isinstance(each, str) else each for name, each in output.items()}
    return replace(result, output=emptied)


@breaks("result", "request-not-counted", "reported/usage")
@seen_in("create-then-edit", "tool-returns")
def one_request_less(result: AgentResult) -> AgentResult:
    """Returns a request less than it has sent."""
    return replace(result, requests=result.requests - 1)


# unseen_on: where thinking is part of the text
@breaks("result", "thinking-forgotten", "reported/history", unseen_on="text-tags")
@seen_in("thinking-before-text")
def without_thinking(result: AgentResult) -> AgentResult:
    """Returns a history without what the model has thought."""
    steps = (
        ResponseStep(replace(step.turn, thinking_text="")) if isinstance(step, ResponseStep) else step
        for step in result.history
    )
    return replace(result, history=tuple(steps))


@breaks("result", "results-of-no-call", "reported/history")
@seen_in("create-then-edit", "tool-returns")
def without_results(result: AgentResult) -> AgentResult:
    """Returns a history without the results of calls."""
    steps = (replace(step, results=()) if isinstance(step, RequestStep) else step for step in result.history)
    return replace(result, history=tuple(steps))


@breaks("result", "usage-of-the-last-turn", "reported/usage")
@seen_in("create-then-edit", "tool-returns")
def usage_of_the_last_turn(result: AgentResult) -> AgentResult:
    """Returns the tokens of the last turn as those of the run."""
    turns = [step.turn for step in result.history if isinstance(step, ResponseStep)]
    return replace(result, usage=turns[-1].usage) if turns else result


@breaks("result", "history-without-responses", "reported/history")
@seen_in("create-then-edit", "tool-returns")
def without_responses(result: AgentResult) -> AgentResult:
    """Returns a history in which the model says nothing."""
    return replace(result, history=tuple(step for step in result.history if not isinstance(step, ResponseStep)))
