"""Model turns, and correct loops that continue after them: the requests that a provider must accept.

Everything is made of ``Choices``, so that it costs Hypothesis one draw.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import Final

from hypothesis import strategies as st

from harness.fuzz.strategies.choices import Choices, chosen
from harness.wire import Call, FinishReason, Part, Refusal, Text, ThinkingPart, Turn, WireName
from harness.wire.characters import is_sendable
from harness.wire.played import BaseRequest, base_requests

TOKENS: Final = (
    *("a", "b c", " ", "\n", '"', "\\", "{", "}", "é", "😀", "\u2028", "\x00", "\ufeff", "null", "\\u0041", "\\ud83d"),
    *("```json\n", "<b>", "&amp;", "</p>", "Tool results:", "\n\n[read_file] ok", "Human:", "data: ", "[DONE]", "%s"),
)
"""Text that breaks on its way: quotes and escapes, blanks, characters of every length, and marks of other formats."""

SHAPES: Final = (
    *("text", "call", "think text", "think call", "text call", "call call", "refuse", "think text call call"),
    *("think think call", "redacted call", "omitted call", "think text call redacted call", "call call call"),
    *("think refuse", "omitted think call", "think redacted text call call call"),
)
"""The parts of a turn, the simplest first: thinking, then text or calls, as models answer."""

_CALLED: Final = ("read_file", "list_files")


@cache
def sound_turns() -> st.SearchStrategy[Turn]:
    """A turn as models make them: thinking, then text, then calls; each may be missing, but not all.

    >>> @given(sound_turns())
    ... def test_my_adapter_reads_it(turn):
    ...     assert my_adapter(wire("openai-chat").render(turn, Identity("mine"), asked).body) == turn.text
    """
    return chosen(sound_turn)


@cache
def loops(name: WireName, *, foreign: bool = True, most: int = 4) -> st.SearchStrategy[BaseRequest]:
    """A base request of this wire (its model, its settings, its way to go on) in which the model says something else.

    Without ``foreign`` it is one that the endpoint has issued itself: some mistakes show only beside what was sent.

    >>> @given(loops("anthropic-messages"))
    ... def test_my_server_accepts_it(loop):
    ...     for request in loop.play().requests:
    ...         assert my_server(request.posted.path, request.posted.content()).status == 200
    """
    return chosen(lambda choices: sound_loop(choices, name, foreign=foreign, most=most))


def with_turns(base: BaseRequest, turns: tuple[Turn, ...]) -> BaseRequest:
    """A base request in which the model sends these turns, adapted to the model.

    DeepSeek's server wants the calls of a turn side by side (OAI-10), so its models do not think between them. A model
    whose thinking is off does not think, and one that sends calls without ids still does.
    """
    if base.settings.get("thinking") == {"type": "disabled"}:
        turns = tuple(map(_unthinking, turns))
    if base.model.startswith("deepseek"):
        turns = tuple(map(_side_by_side, turns))
    if {call.id for turn in base.turns for call in turn.calls} == {""}:
        turns = tuple(map(_without_ids, turns))
    return replace(base, turns=turns)


def _side_by_side(turn: Turn) -> Turn:
    first = next((at for at, part in enumerate(turn.parts) if isinstance(part, Call)), len(turn.parts))
    return replace(turn, parts=(*turn.parts[:first], *turn.calls))


def _unthinking(turn: Turn) -> Turn:
    return replace(turn, parts=tuple(part for part in turn.parts if not isinstance(part, ThinkingPart)))


def _without_ids(turn: Turn) -> Turn:
    parts = (replace(part, id="") if isinstance(part, Call) else part for part in turn.parts)
    return replace(turn, parts=tuple(parts))


def shaped(shape: str) -> Turn:
    """The simplest turn of one of ``SHAPES``."""
    return sound_turn(Choices(bytes([SHAPES.index(shape)])))


def worded(text: str) -> str:
    """The text, with a letter after it if it is only white space, which providers refuse."""
    visible = any(letter.isprintable() and not letter.isspace() for letter in text)
    return text if visible else f"{text}a"


# --- one choice after another -----------------------------------------------------------------------------------


def sound_loop(choices: Choices, name: WireName, *, foreign: bool = True, most: int = 4) -> BaseRequest:
    """``loops``, from choices."""
    base = choices.of(
        [each for each in base_requests(name).values() if not each.fixed and (foreign or not each.foreign)]
    )
    return with_turns(base, tuple(sound_turn(choices) for _ in range(1 + choices.below(most))))


def sound_turn(choices: Choices) -> Turn:
    """``sound_turns``, from choices."""
    kinds = choices.of(SHAPES).split()
    parts = tuple(_part(kind, choices) for kind in kinds)
    return Turn(parts, FinishReason.TOOL_CALLS if "call" in kinds else FinishReason.END)


def _part(kind: str, choices: Choices) -> Part:
    match kind:
        case "text":
            return Text(worded(_text(choices)))
        case "refuse":
            return Refusal(worded(_text(choices)))
        case "call":
            return Call(choices.of(_CALLED), _arguments(choices))
        case "redacted":
            return ThinkingPart(worded(_text(choices)), "redacted")
        case "omitted":
            return ThinkingPart(worded(_text(choices)), "omitted")
        case _:
            return ThinkingPart(worded(_text(choices)))


def _text(choices: Choices) -> str:
    return "".join(choices.of((*TOKENS, "")) or _character(choices) for _ in range(choices.below(4)))


def _character(choices: Choices) -> str:
    """Any character of the first two planes that UTF-8 can encode."""
    number = choices.below(2) << 16 | choices.below(256) << 8 | choices.below(256)
    return chr(number) if is_sendable(chr(number)) else "\ufffd"


def _arguments(choices: Choices) -> str:
    """JSON with a path, in one of two spellings."""
    spelling = choices.below(4)
    separators = (",", ":") if spelling > 1 else (", ", ": ")
    return json.dumps({"path": _text(choices)}, ensure_ascii=bool(spelling % 2), separators=separators)
