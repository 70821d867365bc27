"""A scripted turn as the provider would send it for a request, with only the thinking that the request asks for.

A loop that never asks for thinking gets none from a model that thinks only when asked, and so is not judged by how it
treats thinking. ``Wire.thinks`` alone decides what the model sends, for scripts and for the automatic model.
"""

from __future__ import annotations

from dataclasses import replace

from harness.wire.base import Conversation, thoughtless
from harness.wire.models import THINKS
from harness.wire.openai_models import REASONING
from harness.wire.registry import wire
from harness.wire.turn import Part, ThinkingPart, Turn


def thoughts_of(turn: Turn) -> tuple[ThinkingPart, ...]:
    """The thinking in a turn, in order."""
    return tuple([part for part in turn.parts if isinstance(part, ThinkingPart)])


def as_asked(turn: Turn, asked: Conversation) -> Turn:
    """The turn without the thinking, or the text of the thinking, that the model would not send for this request; the
    same object if nothing changes.

    The turn stays unchanged if no fact says when the model thinks, or if the wire has no ``thinks``.
    """
    if not thoughts_of(turn):
        return turn
    speaks = wire(asked.wire)
    is_known = any(speaks.models.value(fact, asked.model) is not None for fact in (THINKS, REASONING))
    if speaks.thinks is thoughtless or not is_known:
        return turn
    played = [_played_part(part, asked) for part in turn.parts]
    if all(one is other for one, other in zip(played, turn.parts, strict=True)):
        return turn
    gone = [at for at, part in enumerate(played) if part is None]
    natives = tuple([replace(each, at=each.at - sum(at < each.at for at in gone)) for each in turn.natives])
    return replace(turn, parts=tuple([part for part in played if part is not None]), natives=natives)


def _played_part(part: Part, asked: Conversation) -> Part | None:
    if not isinstance(part, ThinkingPart):
        return part
    thought = wire(asked.wire).thinks(asked, part.text)
    if thought is None:
        return None
    shown = part
    if part.form == "plain" and thought.form != "plain":
        shown = replace(shown, text="", form=thought.form)
    return shown if thought.signed or not shown.signed else replace(shown, signed=False)
