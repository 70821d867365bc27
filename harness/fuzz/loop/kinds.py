"""The kinds of answers that an endpoint gives, one small answer of each, and all pairs of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from harness.fuzz.loop.example import Play
from harness.fuzz.strategies.scripts import CLOSING, Script
from harness.scenario import CANONICAL, Cut, HttpErrorStep, Step, Tool, TurnStep
from harness.wire import (
    NATIVE_WIRES,
    WIRES,
    Call,
    Part,
    Refusal,
    Stop,
    StreamError,
    Text,
    Thinking,
    ToolDeclaration,
    Turn,
)
from harness.wire.chunking import CHUNKINGS

__all__ = ["KINDS", "TOOLS", "enumerated"]

_OBJECT: Final = {"type": "object", "properties": {}}
_PATH: Final = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}

TOOLS: Final = (
    Tool(ToolDeclaration("look", "Looks around.", _OBJECT), returns={"seen": [1, None, "é"]}),
    Tool(ToolDeclaration("save", "Saves a file.", _PATH), returns="Saved."),
    Tool(ToolDeclaration("fail", "Cannot work.", _OBJECT), raises="It is broken."),
    Tool(CANONICAL["create_file"], canonical=True),
)
"""A tool that returns JSON, one that returns a text, one that raises, and one that makes the page."""

_SAYS: Final = Text("Let me look at that.")
_LOOK: Final = Call("look", "{}")
_SAVE: Final = Call("save", '{"path": "a"}')
_PAGE: Final = Call("create_file", '{"path": "index.html", "content": "<p>\\u00e9</p>"}')


def _turn(*parts: Part, stop: Stop = Stop.END) -> TurnStep:
    made = any(isinstance(part, Call) for part in parts)
    return TurnStep(Turn(parts, Stop.TOOL_CALLS if made and stop is Stop.END else stop))


def _declined(*parts: Part) -> TurnStep:
    return _turn(*parts, Refusal("I will not."), stop=Stop.REFUSAL)


_GOING_ON: Final[Mapping[str, Step]] = {
    "call": _turn(_LOOK),
    "text and call": _turn(_SAYS, _LOOK),
    "thinking and call": _turn(Thinking("Hm."), _LOOK),
    "sealed thinking and call": _turn(Thinking(form="redacted"), _LOOK),
    "calls side by side": _turn(_LOOK, _SAVE, _LOOK),
    "page": _turn(_PAGE),
    "tool that raises": _turn(Call("fail", "{}"), _SAVE),
    "unknown tool": _turn(Call("guess", "{}")),
    "arguments that break the schema": _turn(Call("save", '{"path": 1}')),
    "arguments that are no object": _turn(Call("look", "[]")),
    "arguments cut off": _turn(Call("save", '{"path": "a')),
    "call without id": _turn(Call("look", "{}", ""), Call("save", '{"path": "a"}', "")),
    "id used again": _turn(Call("look", "{}", "call_1")),
    "overloaded": HttpErrorStep(503, 0),
    "rate limit": HttpErrorStep(429, 0),
}

_ENDING: Final[Mapping[str, Step]] = {
    "text": _turn(_SAYS),
    "thinking and text": _turn(Thinking("Hm."), _SAYS),
    "nothing": _turn(),
    "refusal": _declined(),
    "refusal and call": _declined(_LOOK),
    "truncated text": _turn(_SAYS, stop=Stop.MAX_TOKENS),
    "truncated call": _turn(_SAVE, stop=Stop.MAX_TOKENS),
    "filtered call": _turn(_SAVE, stop=Stop.CONTENT_FILTER),
    "bad request": HttpErrorStep(400),
    "error in the stream": TurnStep(Turn((_SAYS, _LOOK), Stop.TOOL_CALLS, error=StreamError("overloaded"))),
    "stream without its end": TurnStep(Turn((_SAYS, _LOOK), Stop.TOOL_CALLS, ending="eof")),
    "stream cut": TurnStep(Turn((_SAYS,)), Cut(1)),
    "connection reset": TurnStep(Turn((_SAYS, _LOOK), Stop.TOOL_CALLS), Cut(0, "reset")),
}

_EVERYTHING: Final = TurnStep(
    Turn((Thinking("Hm. 😀"), Text("Look: 😀"), _LOOK, _PAGE), Stop.TOOL_CALLS, deltas="utf16")
)
_SYSTEM: Final = (("system", "Be brief."), ("user", "Go."))

KINDS: Final[Mapping[str, Step]] = {**_GOING_ON, **_ENDING}
"""One answer of every kind, by its name. Behind those of the second half no run goes on."""


def enumerated() -> Iterator[Play]:
    """Every kind by itself on every wire, streamed and whole, cut in every way; then every pair on the native wires.

    What would follow an end is tried with one kind only: a loop asks for nothing there, whatever it would be.
    """
    for step in KINDS.values():
        yield Play(Script((step, CLOSING), TOOLS), WIRES)
        if _comes_whole(step):
            yield Play(Script((step, CLOSING), TOOLS, stream=False), NATIVE_WIRES)
    for wire in WIRES:
        yield Play(Script((_EVERYTHING, CLOSING), TOOLS, _SYSTEM), (wire,), CHUNKINGS)
    for limit in (1, 2):
        yield Play(Script((KINDS["call"],) * 3 + (CLOSING,), TOOLS, turn_limit=limit), WIRES)
    for first, step in KINDS.items():
        seconds = KINDS if first in _GOING_ON else {"call": KINDS["call"]}
        for second in seconds.values():
            yield Play(Script((step, second, CLOSING), TOOLS), NATIVE_WIRES)


def _comes_whole(step: Step) -> bool:
    """Whether a document that is no stream can say it."""
    return isinstance(step, HttpErrorStep) or (
        step.cut is None and step.turn.error is None and step.turn.ending == "complete"
    )
