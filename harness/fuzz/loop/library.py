"""Compares a preset of the reference loop with the library that it is named after, on the same script.

Only scripts without a known difference are used. The library's baseline contains the known ones with their reasons:
turns that are cut short, wrong calls, tools that raise, and turns without words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from harness.fuzz.loop.example import Play
from harness.fuzz.loop.schemas import fits
from harness.fuzz.loop.story import Line, asked_last, history
from harness.scenario import Step, Tool, TurnStep
from harness.trace import Trace
from harness.wire import Call, FinishReason

LIBRARIES: Final = {"reference:pydantic-ai": "pydantic-ai"}
"""The target of the library, by the target that follows it."""


def is_common(play: Play) -> bool:
    """Whether the library has no known difference for any part of the script."""
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
    """How often the model was asked, and the calls and results in its last request."""
    asked = asked_last(trace)
    lines = [] if asked is None else [line for line in history(asked) if line[0] != "text"]
    return [("requests", len(trace.exchanges)), *lines]
