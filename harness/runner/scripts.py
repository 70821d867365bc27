"""The source of a script's answers, adapted to an agent's own tools and to the thinking that a request asks for.

The script is adapted when a request is answered. The case is not left out: the rest of its script is still judged. It
is left out only if it depends on the thinking.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from harness.endpoint import CaseEndpoint, ScriptSource, Source
from harness.scenario import Scenario, Step, TurnStep
from harness.scenario.agent_tools import completed
from harness.trace import Trace
from harness.wire import Conversation
from harness.wire.thoughts import as_asked, thoughts_of


def script_source(scenario: Scenario, steps: Sequence[Step], then: Source | None = None) -> ScriptSource:
    """A source that answers with ``steps`` of the scenario, and after the last one with ``then``."""

    def adapted(step: Step, asked: Conversation) -> Step:
        step = completed(step, asked) if scenario.is_of_agent else step
        if not isinstance(step, TurnStep) or step.native is not None:
            return step
        turn = as_asked(step.turn, asked)
        return step if turn is step.turn else replace(step, turn=turn)

    return ScriptSource(steps, then, adapted)


def _reduced_steps(endpoint: CaseEndpoint) -> list[tuple[TurnStep, TurnStep]]:
    """The steps whose thinking was not fully played, each with the step that was played."""
    return [
        (step, played)
        for step, played in (endpoint.script.adapted if endpoint.script is not None else ())
        if isinstance(step, TurnStep) and isinstance(played, TurnStep)
        if thoughts_of(step.turn) != thoughts_of(played.turn)
    ]


def hangs_on_thinking(scenario: Scenario, endpoint: CaseEndpoint) -> str:
    """Why the case shows nothing about a loop that asks for no thinking; empty if it does show something.

    Without thinking these cannot be played: a turn with nothing else, an answer that breaks off after a number of
    events, and a caller who acts while the model thinks.
    """
    is_watched = any(act.when.thinking for act in scenario.acts)
    for step, played in _reduced_steps(endpoint):
        if step.cut is not None or is_watched or not played.turn.pieces:
            return "asks for no thinking, on which the script hangs"
    return ""


def as_played(scenario: Scenario, endpoint: CaseEndpoint) -> Scenario:
    """The scenario without expectations about thinking in requests, if that thinking was not played."""
    gone = [thought.text for step, _ in _reduced_steps(endpoint) for thought in thoughts_of(step.turn)]

    def left(texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple([text for text in texts if not any(text in thought for thought in gone)])

    if not gone:
        return scenario
    sent = [replace(each, contains=left(each.contains), once=left(each.once)) for each in scenario.expect.sent]
    return replace(scenario, expect=replace(scenario.expect, sent=tuple(sent)))


def without_thoughts(trace: Trace, endpoint: CaseEndpoint) -> tuple[Trace, tuple[str, ...]]:
    """The trace, without expected thinking events if some thinking was left out, and notes on that."""
    left_out = len(_reduced_steps(endpoint))
    if not left_out:
        return trace, ()
    kinds = None if trace.case.emits is None else tuple(kind for kind in trace.case.emits if kind != "thinking")
    note = f"asks for no thinking, or not to see it: left out of {left_out} answer{'s' if left_out > 1 else ''}"
    return Trace(replace(trace.case, emits=kinds), trace.records), (note,)
