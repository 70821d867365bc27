"""A preset of the reference loop beside the library that it is named after: the same script to both.

Only scripts that show no difference that is known: what the library does otherwise with turns that are cut short, wrong
calls, tools that raise and turns without words stands in its baseline, with the reasons.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from harness.scenario import Step, Tool, TurnStep
from harness.trace import Trace
from harness.wire import Call, FinishReason
from harness_lab.fuzz.loop.example import Play
from harness_lab.fuzz.loop.schemas import fits
from harness_lab.fuzz.loop.story import Line, asked_last, history

LIBRARIES: Final = {"reference:pydantic-ai": "pydantic-ai"}
"""By the target that follows a library, the target that is it."""


def is_common(play: Play) -> bool:
    """Whether the library is known to do the same with all of the script."""
    script = play.script
    if play.acts or play.runs or play.edits:
        return False
    # Nothing is "" there and null here: both are right.
    quiet = all(tool.raises is None and tool.returns is not None for tool in script.tools if not tool.canonical)
    quiet = quiet and not play.dialect
    return quiet and script.turn_limit is None and all(_is_plain(step, script.tools) for step in script.steps)


def _is_plain(step: Step, tools: Sequence[Tool]) -> bool:
    if not isinstance(step, TurnStep) or step.cut is not None:
        return False
    turn = step.turn
    whole = (
        turn.error is None and turn.ending == "complete" and turn.stop in (FinishReason.END, FinishReason.TOOL_CALLS)
    )
    return whole and bool(turn.text or turn.calls) and all(_is_right(call, tools) for call in turn.calls)


def _is_right(call: Call, tools: Sequence[Tool]) -> bool:
    return call.id is None and any(tool.declaration.name == call.name and fits(call, tool) for tool in tools)


def outline(trace: Trace) -> list[Line]:
    """How often the model was asked, and what it was sent in the end: calls and results."""
    asked = asked_last(trace)
    lines = [] if asked is None else [line for line in history(asked) if line[0] != "text"]
    return [("requests", len(trace.exchanges)), *lines]
