"""What an example is made of, in the words that the coverage counts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from harness.fuzz.loop.example import Play
from harness.fuzz.strategies.scripts import DrawnScript
from harness.scenario import HttpErrorStep, Step
from harness.wire import WIRES, Call, FinishReason, Refusal, Text, ThinkingPart, Turn
from harness.wire import wire as wire_named
from harness.wire.chunking import CHUNKINGS

FEATURES: Final = (
    *(f"wire {wire}" for wire in WIRES),
    *(f"cut: {chunking}" for chunking in CHUNKINGS),
    "no stream",
    "turn limit",
    "system prompt",
    "text",
    "thinking",
    "sealed thinking",
    "refusal",
    "empty turn",
    "call",
    "calls side by side",
    "unknown tool",
    "arguments that are no JSON",
    "arguments that are no object",
    "call without id",
    "id used again",
    "tool that raises",
    "the page is made",
    "token limit",
    "content filter",
    "HTTP error to try again",
    "HTTP error for good",
    "error in the stream",
    "stream without its end",
    "connection broken",
    "halves of characters",
    "the same turn again",
    *(f"dialect {dialect}" for dialect in dict.fromkeys(name for wire in WIRES for name in wire_named(wire).dialects)),
    "cancelled",
    "said meanwhile",
    "another run",
    "resumed",
    "switched",
    "call that waits",
    "approved",
    "denied",
    "history edited",
)


def features_of(play: Play) -> set[str]:
    """Those of ``FEATURES`` that the example has."""
    return set(_features(play))


def _features(play: Play) -> Iterator[str]:
    yield from (f"wire {wire}" for wire in play.wires)
    yield from (f"cut: {chunking}" for chunking in play.chunkings)
    if play.dialect:
        yield f"dialect {play.dialect}"
    script = play.script
    if not script.stream:
        yield "no stream"
    if script.turn_limit is not None:
        yield "turn limit"
    if any(role == "system" for role, _ in script.prompt):
        yield "system prompt"
    yield from _of_caller(play)
    for before, step in zip((None, *script.steps), script.steps, strict=False):
        if step == before:
            yield "the same turn again"
        yield from _of_step(step, script)
    named = [call.id for step in script.steps if not isinstance(step, HttpErrorStep) for call in step.turn.calls]
    named = [id for id in named if id]
    if len(set(named)) < len(named):
        yield "id used again"


def _of_caller(play: Play) -> Iterator[str]:
    if play.edits:
        yield "history edited"
    for act in play.acts:
        yield "cancelled" if act.does == "cancel" else "said meanwhile"
    asking = {tool.declaration.name for tool in play.script.tools if tool.kind == "unapproved"}
    turns = [step.turn for step in play.script.steps if not isinstance(step, HttpErrorStep)]
    if asking & {call.name for turn in turns for call in turn.calls}:
        yield "call that waits"
    for run in play.runs:
        yield from ("approved" if "approve" in str(words) else "denied" for words in run.resolves.values())
        yield "resumed" if run.resumed else "another run"
        if run.model or run.wire:
            yield "switched"


def _of_step(step: Step, script: DrawnScript) -> Iterator[str]:
    if isinstance(step, HttpErrorStep):
        yield "HTTP error to try again" if step.status in (429, 500, 503) else "HTTP error for good"
        return
    turn = step.turn
    if step.cut is not None:
        yield "connection broken"
    if turn.error is not None:
        yield "error in the stream"
    if turn.ending == "eof":
        yield "stream without its end"
    if turn.stop in _STOPS:
        yield _STOPS[turn.stop]
    if turn.deltas == "utf16":
        yield "halves of characters"
    yield from _of_turn(turn, script)


_STOPS: Final = {FinishReason.MAX_TOKENS: "token limit", FinishReason.CONTENT_FILTER: "content filter"}


def _of_turn(turn: Turn, script: DrawnScript) -> Iterator[str]:
    if not turn.parts:
        yield "empty turn"
    if len(turn.calls) > 1:
        yield "calls side by side"
    for part in turn.parts:
        match part:
            case Text():
                yield "text"
            case Refusal():
                yield "refusal"
            case ThinkingPart(_, form):
                yield "thinking" if form == "plain" else "sealed thinking"
            case Call() as call:
                yield "call"
                yield from _of_call(call, script)


def _of_call(call: Call, script: DrawnScript) -> Iterator[str]:
    tool = next((tool for tool in script.tools if tool.declaration.name == call.name), None)
    if tool is None:
        yield "unknown tool"
    elif tool.raises is not None:
        yield "tool that raises"
    elif tool.canonical:
        yield "the page is made"
    if call.id == "":
        yield "call without id"
    try:
        arguments = json.loads(call.arguments)
    except ValueError:
        yield "arguments that are no JSON"
    else:
        if not isinstance(arguments, dict):
            yield "arguments that are no object"
