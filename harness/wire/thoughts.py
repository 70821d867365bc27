"""A scripted turn as the provider would send it for a request: of its thinking only what that asks for.

A loop that never asks for thinking gets none from a model that does not think unasked, and is not judged by what it
does with it. What the model sends is said by ``Wire.thinks`` alone, for scripts as for the automatic model.
"""

from __future__ import annotations

from dataclasses import replace

from harness.wire.base import Conversation, thoughtless
from harness.wire.models import THINKS
from harness.wire.openai_models import REASONING
from harness.wire.registry import wire
from harness.wire.turn import Part, ThinkingPart, Turn


def thoughts_of(turn: Turn) -> tuple[ThinkingPart, ...]:
    """What a turn has of thinking, in order."""
    return tuple([part for part in turn.parts if isinstance(part, ThinkingPart)])


def as_asked(turn: Turn, asked: Conversation) -> Turn:
    """The turn without the thinking that the model would not send for this request, or without its text; the same one
    where that changes nothing.

    A model of which no fact says when it thinks has the turn as it is, as have all of a wire that does not say.
    """
    speaks = wire(asked.wire)
    is_known = any(speaks.models.value(fact, asked.model) is not None for fact in (THINKS, REASONING))
    if speaks.thinks is thoughtless or not is_known or not thoughts_of(turn):
        return turn
    played = [_played(part, asked) for part in turn.parts]
    if all(one is other for one, other in zip(played, turn.parts, strict=True)):
        return turn
    gone = [at for at, part in enumerate(played) if part is None]
    natives = tuple([replace(each, at=each.at - sum(at < each.at for at in gone)) for each in turn.natives])
    return replace(turn, parts=tuple([part for part in played if part is not None]), natives=natives)


def _played(part: Part, asked: Conversation) -> Part | None:
    if not isinstance(part, ThinkingPart):
        return part
    thought = wire(asked.wire).thinks(asked, part.text)
    if thought is None:
        return None
    shown = part
    if part.form == "plain" and thought.form != "plain":
        shown = replace(shown, text="", form=thought.form)
    return shown if thought.signed or not shown.signed else replace(shown, signed=False)
