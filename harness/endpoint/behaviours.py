"""Variations of the automatic model's behaviour in a round: what real models do and loops often handle wrongly.

Each obeys the request as the plain model does. A model cannot make a tool fail. But it can call a tool without its
arguments, or by a name that does not exist, and such a call fails.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Final

from harness.errors import BadInput
from harness.wire import Call, Conversation, FinishReason, Refusal, Text, ThinkingPart, Turn, wire
from harness.wire.deltas import split
from harness.wire.output_format import demanded_schema, output_limit

_LONG: Final = 4000
"""Tokens of a long answer. A request that allows fewer gets half of those that it allows."""

_CUT: Final = 200
_UNKNOWN: Final = "no_such_tool"
_REFUSAL: Final = "I cannot help with that."


def _as_it_is(turn: Turn, asked: Conversation) -> Turn:  # noqa: ARG001 - the plain turn
    return turn


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How the automatic model behaves in a round.

    ``at_once`` is the most calls in a turn. ``turns`` is how many turns with calls follow a question. ``speaks``: a
    text accompanies the calls. ``reasons``: it reasons even if the requested model does not do so by default.
    ``change`` turns a plain turn into one of this behaviour.
    """

    name: str
    summary: str
    at_once: int = 2
    turns: int = 1
    speaks: bool = True
    reasons: bool = False
    change: Callable[[Turn, Conversation], Turn] = _as_it_is

    def thought(self, asked: Conversation, text: str) -> ThinkingPart | None:
        """The thinking that it sends (``Wire.thinks``).

        A behaviour that always reasons does so as a model of the same wire, unless the request forbids thinking.
        """
        spoken = wire(asked.wire)
        models = (asked.model, spoken.thinking_model, spoken.default_model)[: 3 if self.reasons else 1]
        asked_as = (asked if model == asked.model else replace(asked, model=model) for model in models if model)
        thoughts = (spoken.thinks(each, text) for each in asked_as)
        return next((thought for thought in thoughts if thought is not None), None)


def _failing(turn: Turn, asked: Conversation) -> Turn:
    """The first call lacks its arguments, if some are required. Another call names a tool that is not offered."""
    choice = wire(asked.wire).tool_choice(asked.body)
    if not turn.calls or choice.required:
        return turn
    first = turn.calls[0]
    required = next((tool.parameters.get("required") for tool in asked.tools if tool.name == first.name), None)
    calls = [replace(first, arguments="{}") if required else first, Call(_UNKNOWN, "{}")]
    if choice.alone:
        calls = calls[:1] if required else calls[1:]
    return replace(turn, parts=(*(part for part in turn.parts if not isinstance(part, Call)), *calls))


def _long(turn: Turn, asked: Conversation) -> Turn:
    limit = output_limit(asked.body)
    return _longer(turn, asked, _LONG if limit is None else min(_LONG, limit // 2))


def _cut(turn: Turn, asked: Conversation) -> Turn:
    """An answer that ends in the middle of a word, at the limit of tokens."""
    longer = _longer(turn, asked, _CUT)
    if longer is turn:
        return turn
    parts = (Text(part.text[:-6]) if isinstance(part, Text) else part for part in longer.parts)
    return replace(longer, parts=tuple(parts), stop=FinishReason.MAX_TOKENS)


def _longer(turn: Turn, asked: Conversation, tokens: int) -> Turn:
    """The answer prolonged to ``tokens`` tokens; unchanged if it has calls or if JSON is demanded."""
    if turn.calls or demanded_schema(asked.body) is not None:
        return turn
    return replace(
        turn, parts=tuple(_longer_text(part, tokens) if isinstance(part, Text) else part for part in turn.parts)
    )


def _longer_text(part: Text, tokens: int) -> Text:
    lines = [part.text]
    length = len(split(part.text, "token"))
    for number in count(1):
        line = f"\nLine {number} of a long answer, which says nothing more."
        length += len(split(line, "token"))
        if length > tokens:
            return replace(part, text="".join(lines))
        lines.append(line)
    raise AssertionError  # it has returned


def _empty(turn: Turn, asked: Conversation) -> Turn:
    """An empty turn after the results of the calls, as some models end."""
    if turn.calls or demanded_schema(asked.body) is not None or not any(each.results for each in asked.messages):
        return turn
    return replace(turn, parts=())


def _as_refusal(turn: Turn, asked: Conversation) -> Turn:  # noqa: ARG001 - whatever is asked
    if turn.calls:
        return turn
    parts = (Refusal(_REFUSAL) if isinstance(part, Text) else part for part in turn.parts)
    return replace(turn, parts=tuple(parts), stop=FinishReason.REFUSAL)


PARALLEL: Final = Behaviour("parallel", "two calls at once, a text beside them, and then an answer")
REASONING: Final = Behaviour("reasoning", "reasoning in each of several turns", turns=2, reasons=True)

BEHAVIOURS: Final = (
    PARALLEL,
    REASONING,
    Behaviour("failing", "a call without its arguments, and one of a tool that is not offered", change=_failing),
    Behaviour("sequential", "one call after another, without a text", at_once=1, turns=3, speaks=False),
    Behaviour("long", f"an answer of {_LONG} tokens in as many chunks", change=_long),
    Behaviour("empty", "an answer without any text", change=_empty),
    Behaviour("cut", "an answer that ends at the limit of tokens", change=_cut),
    Behaviour("refusal", "the model declines to answer", change=_as_refusal),
)
"""All behaviours, the most revealing first. The first is the default."""


def behaviours(words: str) -> Sequence[Behaviour]:
    """Parse a number N (the first N behaviours) or names separated by commas. Raises ``BadInput`` for anything else."""
    if words.isascii() and words.isdigit():
        if 1 <= int(words) <= len(BEHAVIOURS):
            return BEHAVIOURS[: int(words)]
        raise BadInput(f"--rounds {words}: there are {len(BEHAVIOURS)} rounds; expected a number from 1 to that")
    known = {each.name: each for each in BEHAVIOURS}
    names = list(dict.fromkeys(words.split(",")))
    unknown = next((name for name in names if name not in known), None)
    if unknown is not None:
        raise BadInput(f"--rounds: there is no round {unknown!r}; expected a number, or some of {', '.join(known)}")
    return [known[name] for name in names]
