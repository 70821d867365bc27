"""Answers that no base request has: the same turn with one part otherwise, or in another place.

What a client sends back is judged against what was issued. A rule that looks for the one in the other is seen only
where they differ: a call without an id, a thought without its signature, a text in front of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import lru_cache
from typing import Final

from harness.wire import (
    Call,
    Conversation,
    FinishReason,
    IssuedState,
    Refusal,
    Reply,
    StreamError,
    Text,
    ThinkingPart,
    Turn,
)
from harness.wire.played import PlayedLoop
from harness.wire.turn import Part

_OK: Final = 200
_TEXT: Final = "It is so."
_MORE: Final[Sequence[Part]] = (Text(_TEXT), ThinkingPart(_TEXT), Call("read_file", '{"path": "other.txt"}'))
_CALL: Final[Sequence[tuple[str, Callable[[Call], Call]]]] = (
    ("without an id", lambda call: replace(call, id="")),
    ("under another id", lambda call: replace(call, id="other_id_0123456789")),
    ("under another name", lambda call: replace(call, name="other_tool")),
    ("without a name", lambda call: replace(call, name="")),
    ("without arguments", lambda call: replace(call, arguments="")),
    ("with an empty object", lambda call: replace(call, arguments="{}")),
    ("with other arguments", lambda call: replace(call, arguments='{"path": "other.txt"}')),
    ("with arguments that are no JSON", lambda call: replace(call, arguments='{"path": ')),
    ("with arguments that are a list", lambda call: replace(call, arguments="[1]")),
    ("without its signature", lambda call: replace(call, signature="")),
    ("with another signature", lambda call: replace(call, signature="b3RoZXI=")),
    ("without other members", lambda call: replace(call, members={})),
)
_THOUGHT: Final[Sequence[tuple[str, Callable[[ThinkingPart], ThinkingPart]]]] = (
    ("in other words", lambda part: replace(part, text=_TEXT)),
    ("without words", lambda part: replace(part, text="")),
    ("redacted", lambda part: replace(part, form="redacted")),
    ("omitted", lambda part: replace(part, form="omitted")),
    ("with another signature", lambda part: replace(part, signature="b3RoZXI=")),
)


def other_turns(turn: Turn) -> Iterator[tuple[str, Turn]]:
    """The turn with one thing otherwise, and a word for it. Some are not what every wire can say."""
    yield from _other_ends(turn)
    if len(turn.parts) > 1:
        yield "in reverse", replace(turn, parts=turn.parts[::-1])
    for more in _MORE:
        kind = type(more).__name__
        yield f"behind one more {kind}", replace(turn, parts=(more, *turn.parts))
        yield f"and one more {kind}", replace(turn, parts=(*turn.parts, more))
    for at, part in enumerate(turn.parts):
        before, after = turn.parts[:at], turn.parts[at + 1 :]
        yield f"without part {at + 1}", replace(turn, parts=(*before, *after))
        yield f"with part {at + 1} twice", replace(turn, parts=(*before, part, part, *after))
        for what, other in _other_parts(part):
            yield f"with part {at + 1} {what}", replace(turn, parts=(*before, other, *after))


def _other_ends(turn: Turn) -> Iterator[tuple[str, Turn]]:
    yield "without its end", replace(turn, ending="eof")
    yield "broken by an error", replace(turn, error=StreamError())
    for stop in (FinishReason.END, FinishReason.MAX_TOKENS, FinishReason.REFUSAL):
        yield f"stopped with {stop.name}", replace(turn, stop=stop)
    yield "without native pieces", replace(turn, natives=())
    yield "without other members", replace(turn, members={})


def _other_parts(part: Part) -> Iterator[tuple[str, Part]]:
    match part:
        case Call():
            yield from ((what, change(part)) for what, change in _CALL)
        case ThinkingPart():
            yield from ((what, change(part)) for what, change in _THOUGHT)
        case Text():
            yield from (("in other words", replace(part, text=_TEXT)), ("blank", replace(part, text=" ")))
            yield "as a refusal", Refusal(part.text)
        case Refusal():
            yield "as a text", Text(part.text)


def issued_otherwise(played: PlayedLoop) -> Iterator[tuple[str, IssuedState]]:
    """What was issued, but for one thing, with a word for it."""
    turns = played.state_before.turns
    if len(turns) > 1:
        yield "the first answer not issued here", _state(turns[1:])
        yield "the last answer not issued here", _state(turns[:-1])
    anew = _state(turns)
    anew.made_anew = len(turns)
    yield "made anew", anew
    if len(turns) > 1 and played.wire.naming_history:
        one_id = turns[0][1].id
        yield "all under one id", _state((asked, replace(reply, id=one_id)) for asked, reply in turns)
    if played.base.connection:
        dropped = _state(turns)
        dropped.evicted |= {reply.id for _, reply in turns}
        yield "dropped by its connection", dropped
        yield "stored", _state((_to_be_stored(asked), reply) for asked, reply in turns)
        yield "asked for over HTTP", _state((replace(asked, connection=0), reply) for asked, reply in turns)
    if turns and turns[-1][0].body.get("previous_response_id"):
        yield "in a circle", _state([*turns[:-1], _naming_itself(*turns[-1])])


@lru_cache(maxsize=64)
def issued_in_other_forms(played: PlayedLoop) -> Sequence[tuple[str, IssuedState]]:
    """What was issued, with one of the answers in another form, with words for it."""
    return list(_issued_in_other_forms(played))


def _issued_in_other_forms(played: PlayedLoop) -> Iterator[tuple[str, IssuedState]]:
    turns = played.state_before.turns
    for at, (asked, reply) in enumerate(turns):
        turn, identity = played.answers[at]
        for what, other in other_turns(turn):
            rendered = played.wire.render(other, copy(identity), asked)
            if rendered.status == _OK and rendered.reply != reply:
                changed = (asked, replace(rendered.reply, id=reply.id))
                yield f"answer {at + 1} {what}", _state([*turns[:at], changed, *turns[at + 1 :]])


def _to_be_stored(asked: Conversation) -> Conversation:
    return replace(asked, body={**asked.body, "store": True})


def _naming_itself(asked: Conversation, reply: Reply) -> tuple[Conversation, Reply]:
    """A turn that goes on from its own answer, as one can whose script repeats its ids."""
    return replace(asked, body={**asked.body, "previous_response_id": reply.id}), reply


def _state(turns: Iterable[tuple[Conversation, Reply]]) -> IssuedState:
    state = IssuedState()
    for asked, reply in turns:
        state.add(asked, reply)
    return state
