"""The kinds of answers that an endpoint gives, one small answer of each, and all pairs of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Final, Literal

from harness.fuzz.loop.example import Play
from harness.fuzz.strategies.edits import EDITS
from harness.fuzz.strategies.scripts import CLOSING, DrawnScript
from harness.fuzz.strategies.timelines import MODELS
from harness.scenario import (
    CANONICAL,
    CODING_AGENT,
    PROFILES,
    CallerAct,
    Cut,
    HttpErrorStep,
    NextRun,
    Resolve,
    Step,
    Tool,
    TurnStep,
    When,
)
from harness.wire import (
    NATIVE_WIRES,
    WIRES,
    Call,
    FinishReason,
    Part,
    Refusal,
    StreamError,
    Text,
    ThinkingPart,
    ToolDeclaration,
    Turn,
    WireName,
)
from harness.wire import wire as wire_named
from harness.wire.chunking import CHUNKINGS

_OBJECT: Final = {"type": "object", "properties": {}}
_PATH: Final = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}

TOOLS: Final = (
    Tool(ToolDeclaration("look", "Looks around.", _OBJECT), returns={"seen": [1, None, "é"]}),
    Tool(ToolDeclaration("save", "Saves a file.", _PATH), returns="Saved."),
    Tool(ToolDeclaration("wait", "Waits a moment.", _OBJECT)),
    Tool(ToolDeclaration("fail", "Cannot work.", _OBJECT), raises="It is broken."),
    Tool(CANONICAL["create_file"], canonical=True),
)
"""Tools that return JSON, a text and nothing, one that raises, and one that makes the page."""

_TEXT: Final = Text("Let me look at that 😀.")
_LOOK: Final = Call("look", "{}")
_SAVE: Final = Call("save", '{"path": "a"}')
_PAGE: Final = Call("create_file", '{"path": "index.html", "content": "<p>\\u00e9</p>"}')


def _turn(*parts: Part, stop: FinishReason = FinishReason.END) -> TurnStep:
    made = any(isinstance(part, Call) for part in parts)
    return TurnStep(Turn(parts, FinishReason.TOOL_CALLS if made and stop is FinishReason.END else stop))


def _refusal_turn(*parts: Part) -> TurnStep:
    return _turn(*parts, Refusal("I will not."), stop=FinishReason.REFUSAL)


_PROFILES: Final = tuple(each for each in PROFILES if each != CODING_AGENT)
"""The profiles of loops that are offered tools: programs with their own tools are not fuzzed."""

_GOING_ON: Final[Mapping[str, Step]] = {
    "call": _turn(_LOOK),
    "text and call": _turn(_TEXT, _LOOK),
    "thinking and call": _turn(ThinkingPart("Hm."), _LOOK),
    "sealed thinking and call": _turn(ThinkingPart(form="redacted"), _LOOK),
    "calls side by side": _turn(_LOOK, _SAVE, _LOOK),
    "call that returns nothing": _turn(Call("wait", "{}")),
    "page": _turn(_PAGE),
    "tool that raises": _turn(Call("fail", "{}"), _SAVE),
    "unknown tool": _turn(Call("guess", "{}")),
    "arguments that break the schema": _turn(Call("save", '{"path": 1}')),
    "arguments that are no object": _turn(Call("look", "[]")),
    "arguments cut off": _turn(Call("save", '{"path": "a')),
    "tag in a string": _turn(Call("save", '{"path": "</tool_call>"}')),
    "call without id": _turn(Call("look", "{}", ""), Call("save", '{"path": "a"}', "")),
    "id used again": _turn(Call("look", "{}", "call_1")),
    "overloaded": HttpErrorStep(503, 0),
    "rate limit": HttpErrorStep(429, 0),
}

_ENDING: Final[Mapping[str, Step]] = {
    "text": _turn(_TEXT),
    "thinking and text": _turn(ThinkingPart("Hm."), _TEXT),
    "nothing": _turn(),
    "refusal": _refusal_turn(),
    "refusal and call": _refusal_turn(_LOOK),
    "truncated text": _turn(_TEXT, stop=FinishReason.MAX_TOKENS),
    "truncated call": _turn(_SAVE, stop=FinishReason.MAX_TOKENS),
    "filtered call": _turn(_SAVE, stop=FinishReason.CONTENT_FILTER),
    "bad request": HttpErrorStep(400),
    "error in the stream": TurnStep(Turn((_TEXT, _LOOK), FinishReason.TOOL_CALLS, error=StreamError("overloaded"))),
    "stream without its end": TurnStep(Turn((_TEXT, _LOOK), FinishReason.TOOL_CALLS, ending="eof")),
    "stream cut": TurnStep(Turn((_TEXT,)), Cut(1)),
    "connection reset": TurnStep(Turn((_TEXT, _LOOK), FinishReason.TOOL_CALLS), Cut(0, "reset")),
}

_EVERYTHING: Final = TurnStep(
    Turn((ThinkingPart("Hm. 😀"), Text("Look: 😀"), _LOOK, _PAGE), FinishReason.TOOL_CALLS, deltas="utf16")
)
_PAUSED: Final = _turn(_TEXT, stop=FinishReason.PAUSE)
"""Only Anthropic's wire can express it."""

_SYSTEM: Final = (("system", "Be brief."), ("user", "Go."))

KINDS: Final[Mapping[str, Step]] = {**_GOING_ON, **_ENDING}
"""One answer of every kind, by its name. No run continues after an answer of the second half."""


def enumerated() -> Iterator[Play]:
    """Every kind by itself on the native wires, then repeated, then in other ways, then every pair of kinds.

    Last come calls and all else in each dialect.
    """
    yield from (_play(step) for step in KINDS.values())
    yield _play(_PAUSED, wires=("anthropic-messages",))
    yield from _repeated_plays()
    yield from _otherwise()
    yield from _caller_plays()
    yield from _edit_plays()
    yield from _pairs()
    yield from _in_dialects()


def _in_dialects() -> Iterator[Play]:
    for wire in NATIVE_WIRES:
        for dialect in wire_named(wire).dialects:
            for step in (KINDS["calls side by side"], _EVERYTHING, KINDS["truncated text"]):
                yield Play(DrawnScript((step, CLOSING), TOOLS), (wire,), dialect=dialect)


def _repeated_plays() -> Iterator[Play]:
    """Tests a loop's patience: the same answer again and again, by the contract of every profile, and limits of
    turns."""
    for kind, profile in product(_GOING_ON, _PROFILES):
        yield _play(*(KINDS[kind],) * 3, wires=("openai-responses",), profile=profile)
    yield _play(*(KINDS["overloaded"],) * 4)
    for limit, profile in product((1, 2), _PROFILES):
        script = DrawnScript((*(KINDS["call"],) * 3, CLOSING), TOOLS, turn_limit=limit)
        yield Play(script, NATIVE_WIRES, profile=profile)


def _otherwise() -> Iterator[Play]:
    """Every kind as text, and as a document that is no stream; and one answer with everything, cut in every way."""
    yield from (_play(step, wires=("text-tags",)) for step in KINDS.values())
    for step in filter(_comes_whole, KINDS.values()):
        yield Play(DrawnScript((step, CLOSING), TOOLS, stream=False), NATIVE_WIRES)
    for wire in WIRES:
        yield Play(DrawnScript((_EVERYTHING, CLOSING), TOOLS, _SYSTEM), (wire,), CHUNKINGS)


def _caller_plays() -> Iterator[Play]:
    """A caller's actions, for every kind: at a call, after it, while it arrives, at the end."""
    acts = [
        CallerAct(when, does, text)
        for when in (When(turn=1, call=1), When(turn=1, call=1, ended=True), When(request=1), When(request=2))
        for does, text in _DONE
    ]
    for kind, act in product(("call", "thinking and call", "calls side by side", "tool that raises"), acts):
        yield _by_a_caller(KINDS[kind], acts=(act,), runs=(_AGAIN,))
    for step, run in product(KINDS.values(), (_AGAIN, replace(_AGAIN, resumed=True))):
        yield _by_a_caller(step, runs=(run,))
    asked = (NextRun("", resolves={"look": word}, resumed=resumed) for word in _DECIDED for resumed in (False, True))
    for kind, run in product(("call", "thinking and call", "calls side by side"), (*asked, _AGAIN)):
        yield _with_approval(_by_a_caller(KINDS[kind], runs=(run, _AGAIN)))
    for wire, other in product(MODELS, MODELS):
        yield _by_a_caller(
            KINDS["thinking and call"], runs=(replace(_AGAIN, model=MODELS[other], wire=other),), wires=(wire,)
        )


def _edit_plays() -> Iterator[Play]:
    """A caller's changes to the history after a turn that calls a tool, and after one that calls two."""
    for kind, actions in product(("call", "thinking and call", "calls side by side"), EDITS):
        script = DrawnScript((KINDS[kind], CLOSING, CLOSING), TOOLS)
        yield Play(script, NATIVE_WIRES, profile="tool-runner", edits=((1, actions),))


_DONE: Final[tuple[tuple[Literal["cancel", "say"], str], ...]] = (("cancel", ""), ("say", "Hurry up."))
_AGAIN: Final = NextRun("And now?")
_DECIDED: Final = (Resolve("approve"), Resolve("deny", "No."))


def _with_approval(play: Play) -> Play:
    """Calls of the tool ``look`` wait."""
    tools = (replace(tool, kind="unapproved") if tool.declaration.name == "look" else tool for tool in TOOLS)
    return replace(play, script=replace(play.script, tools=tuple(tools)))


def _by_a_caller(
    step: Step,
    acts: tuple[CallerAct, ...] = (),
    *,
    runs: tuple[NextRun, ...],
    wires: tuple[WireName, ...] = NATIVE_WIRES,
) -> Play:
    script = DrawnScript((step, *(CLOSING,) * (1 + len(acts) + len(runs))), TOOLS)
    return Play(script, wires, acts=acts, runs=runs)


def _pairs() -> Iterator[Play]:
    """Every kind and the next. After a kind that ends a run only one is tried, because no loop asks for it."""
    for first, step in KINDS.items():
        for second in KINDS if first in _GOING_ON else ("call",):
            yield _play(step, KINDS[second])


def _play(*steps: Step, wires: tuple[WireName, ...] = NATIVE_WIRES, profile: str = "universal") -> Play:
    return Play(DrawnScript((*steps, CLOSING), TOOLS), wires, profile=profile)


def _comes_whole(step: Step) -> bool:
    """Whether a document that is no stream can say it."""
    return isinstance(step, HttpErrorStep) or (
        step.cut is None and step.turn.error is None and step.turn.ending == "complete"
    )
