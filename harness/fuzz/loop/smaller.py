"""Simplifies an example: fewer wires, fewer answers, fewer parts, plainer parts.

Each has a smaller ``weight`` than the example, so that shrinking ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any, Final, TypeVar

from harness.fuzz.loop.example import Play
from harness.fuzz.strategies.edits import may_be_edited
from harness.fuzz.strategies.scripts import CLOSING, DrawnScript
from harness.fuzz.strategies.timelines import fits
from harness.scenario import Cut, HttpErrorStep, NextRun, Step, Tool, TurnStep
from harness.wire import Call, Part, Refusal, Text, ThinkingPart, Turn

_Item = TypeVar("_Item")

_PLAIN_PROMPT: Final = (("user", "Go."),)
_PLAIN_ARGUMENTS: Final = "{}"


def smaller(play: Play) -> Iterator[Play]:
    """Simpler examples, the boldest first."""
    mine = weight(play)
    for simpler in map(_fitting, _simpler(play)):
        if weight(simpler) < mine and _lasts(simpler):
            yield simpler


def _fitting(play: Play) -> Play:
    """The play without the caller's actions at moments, and decisions about tools, that the script no longer has."""
    edited = set(may_be_edited(play.script.steps))
    asking = {tool.declaration.name for tool in play.script.tools if tool.kind == "unapproved"}
    acts = tuple(act for act in play.acts if fits(act, play.script.steps))
    runs = tuple(run for run in play.runs if run.resolves.keys() <= asking)
    script = play.script if acts or runs else _asking_nobody(play.script)
    edits = tuple(edit for edit in play.edits if edit[0] in edited)
    return replace(play, script=script, acts=acts, runs=runs, edits=edits)


def _asking_nobody(script: DrawnScript) -> DrawnScript:
    """The script without tools that need approval."""
    return replace(script, tools=tuple(replace(tool, kind="function") for tool in script.tools))


def _lasts(play: Play) -> bool:
    """Whether the model has an answer for every run, and for each message that continues one."""
    closing = takewhile(lambda step: step == CLOSING, reversed(play.script.steps))
    return len(list(closing)) > len(play.acts) + len(play.runs) or not (play.acts or play.runs)


def _simpler(play: Play) -> Iterator[Play]:
    if play.acts or play.runs:
        yield replace(play, acts=(), runs=())
        yield replace(play, acts=())
        yield replace(play, runs=())
    yield from (replace(play, edits=edits) for edits in _fewer(play.edits))
    yield from (replace(play, acts=acts) for acts in _fewer(play.acts))
    yield from (replace(play, runs=runs) for runs in _fewer(play.runs))
    yield replace(play, runs=tuple(NextRun(run.says, resolves=run.resolves) for run in play.runs))
    yield replace(play, script=_asking_nobody(play.script))
    for wire in play.wires:
        yield replace(play, wires=(wire,))
    for wires in _fewer(play.wires):
        yield replace(play, wires=wires)
    yield replace(play, chunkings=("event",))
    for chunkings in _fewer(play.chunkings):
        yield replace(play, chunkings=chunkings)
    yield replace(play, profile="universal", edits=())
    yield replace(play, dialect="")
    for script in _scripts(play.script):
        yield replace(play, script=script)


def _scripts(script: DrawnScript) -> Iterator[DrawnScript]:
    *made, closing = script.steps
    for steps in _fewer(made):
        yield replace(script, steps=(*steps, closing))
    yield replace(script, stream=True)
    yield replace(script, prompt=_PLAIN_PROMPT)
    yield replace(script, turn_limit=None)
    if script.turn_limit is not None:
        yield replace(script, turn_limit=script.turn_limit - 1)
    for tools in _fewer(script.tools):
        yield replace(script, tools=tools)
    for at, tool in enumerate(script.tools):
        yield replace(script, tools=_with(script.tools, at, _plain(tool)))
    for at, step in enumerate(made):
        for simpler in _steps(step):
            yield replace(script, steps=(*_with(made, at, simpler), closing))


def _plain(tool: Tool) -> Tool:
    if tool.canonical:
        return tool
    return replace(tool, raises="x") if tool.raises is not None else replace(tool, returns=None)


def _steps(step: Step) -> Iterator[Step]:
    yield CLOSING
    if isinstance(step, HttpErrorStep):
        return
    if step.cut is not None:
        # What is left of a broken turn depends on how long it is, so it keeps its length.
        yield replace(step, cut=None)
        if step.cut.after:
            yield replace(step, cut=Cut(step.cut.after - 1, step.cut.how))
        return
    for turn in _turns(step.turn):
        yield TurnStep(turn)


def _turns(turn: Turn) -> Iterator[Turn]:
    whole = replace(turn, error=None, ending="complete")
    if whole != turn:
        yield whole
    for parts in _fewer(turn.parts):
        yield replace(turn, parts=parts)
    yield replace(turn, deltas="token")
    for at, part in enumerate(turn.parts):
        for simpler in _parts(part):
            yield replace(turn, parts=_with(turn.parts, at, simpler))


def _parts(part: Part) -> Iterator[Part]:
    match part:
        case Text(text):
            yield from (Text(shorter) for shorter in _shorter(text))
        case ThinkingPart(text, "plain"):
            yield from (ThinkingPart(shorter) for shorter in _shorter(text))
        case ThinkingPart():
            yield ThinkingPart("a")
        case Refusal(text):
            yield from (Refusal(shorter) for shorter in _shorter(text))
        case Call() as call:
            yield replace(call, id=None)
            yield replace(call, arguments=_PLAIN_ARGUMENTS)
            yield from (replace(call, arguments=shorter) for shorter in _shorter(call.arguments))


def _shorter(text: str) -> Iterator[str]:
    """Shorter texts, but never an empty one: a file cannot contain that."""
    yield from (simple for simple in ("a",) if len(text) > 1)
    for kept in _fewer(text):
        yield "".join(kept)


def _fewer(items: Sequence[_Item]) -> Iterator[tuple[_Item, ...]]:
    """Fewer ``items``, at least one of them; large pieces are removed first."""
    size = len(items) // 2
    while size:
        for at in range(0, len(items), size):
            left = (*items[:at], *items[at + size :])
            if left:
                yield left
        size //= 2


def _with(items: Sequence[_Item], at: int, item: _Item) -> tuple[_Item, ...]:
    return (*items[:at], item, *items[at + 1 :])


# --- how much there is of an example ------------------------------------------------------------------------


def weight(play: Play) -> tuple[int, ...]:
    """How large an example is. The parts that are hardest to read count first."""
    script = play.script
    turns = [step.turn for step in script.steps if isinstance(step, TurnStep)]
    parts = [part for turn in turns for part in turn.parts]
    return (
        len(script.steps),
        sum(step != CLOSING for step in script.steps),
        len(play.wires) + len(play.chunkings) + _otherwise(play),
        len(play.edits) + len(play.acts) + len(play.runs) + sum(run != NextRun(run.says) for run in play.runs),
        len(parts) + len(script.tools) + sum(_faults(step) for step in script.steps),
        (not script.stream) + (script.prompt != _PLAIN_PROMPT) + (script.turn_limit is not None) + _asking(script),
        script.turn_limit or 0,
        sum(turn.deltas != "token" for turn in turns) + sum(_oddness(part) for part in parts),
        sum(len(str(tool.returns)) + len(tool.raises or "") for tool in script.tools),
        sum(_length(part) for part in parts),
    )


def _asking(script: DrawnScript) -> int:
    """How many tools need approval."""
    return sum(tool.kind != "function" for tool in script.tools)


def _otherwise(play: Play) -> int:
    """In how many respects it is played in another way than the default."""
    return (play.chunkings != ("event",)) + (play.profile != "universal") + bool(play.dialect)


def _faults(step: Step) -> int:
    if isinstance(step, HttpErrorStep):
        return 1
    turn = step.turn
    cut = 0 if step.cut is None else 1 + step.cut.after
    return cut + (turn.error is not None) + (turn.ending != "complete")


def _oddness(part: Part) -> int:
    match part:
        case ThinkingPart(_, form):
            return 0 if form == "plain" else 1
        case Call(_, arguments, id, _):
            return (id is not None) + (arguments != _PLAIN_ARGUMENTS)
    return 0


def _length(part: Any) -> int:
    return len(part.arguments) if isinstance(part, Call) else len(part.text)
