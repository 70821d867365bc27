"""Where a loop has given the texts of its turns to its user: as they came or at the end of the run, whole or up to
where the run was ended, and with a text of its own behind them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from harness.ground.cached import kept
from harness.rules.limit import hit_limit, may_have_stopped_itself
from harness.rules.trace_view import TraceView
from harness.rules.turns import LoopTurn
from harness.trace import Assistant, Failure, Final, Thinking, TurnStart
from harness.wire import Refusal, Reply, Text, ThinkingPart
from harness.wire.characters import sendable

TextKind = type[Assistant] | type[Thinking]

_ENOUGH = 12
"""Characters by which a text is known again."""


def texts_of(reply: Reply, kind: TextKind) -> tuple[str, ...]:
    """What may be given of an answer. The text may have the words of a refusal, which some loops show too."""
    parts = reply.turn.parts
    if kind is Thinking:
        return ("".join(part.text for part in parts if isinstance(part, ThinkingPart)),)
    return (reply.turn.text, "".join(part.text for part in parts if isinstance(part, Text | Refusal)))


# --- at the end of a run ----------------------------------------------------------------------------------


def shown_at_the_end(view: TraceView, kind: TextKind) -> frozenset[int]:
    """The numbers of the turns whose texts were given together, in order, in the last turn of their run."""
    return _shown_at_the_end(view)[kind]


@kept
def _shown_at_the_end(view: TraceView) -> dict[TextKind, frozenset[int]]:
    # Who says which turn it is in says whose the text is.
    kinds: tuple[TextKind, ...] = (Assistant, Thinking)
    return {kind: frozenset(() if view.emitted(TurnStart) else _late(view, kind)) for kind in kinds}


def _late(view: TraceView, kind: TextKind) -> set[int]:
    found: set[int] = set()
    for run in view.trace.runs:
        turns = [turn for turn in view.turns if turn.at in run]
        if len(turns) < 2 or any(turn.deltas(kind) for turn in turns[:-1]):
            continue
        emitted = sendable("".join([event.text for _, event in turns[-1].deltas(kind)]))
        replies = [ask.reply for turn in turns for ask in turn.asks if ask.reply is not None and ask.sound]
        rests = [_behind(emitted, way) for way in zip(*[texts_of(reply, kind) for reply in replies], strict=True)]
        more = _may_say_more(view, turns[-1])
        nothing_left = not emitted and may_lack_its_end(view, turns[-1])
        if nothing_left or any(rest == "" or (rest and more) for rest in rests):
            found |= {turn.number for turn in turns}
    return found


def _behind(emitted: str, texts: Sequence[str]) -> str | None:
    """What stands behind the texts, which may have white space between them; None where they do not stand there."""
    at = 0
    for text in map(sendable, texts):
        if not emitted.startswith(text, at):
            at = len(emitted) - len(emitted[at:].lstrip())
        if not emitted.startswith(text, at):
            return None
        at += len(text)
    return emitted[at:].strip()


# --- where a run was ended --------------------------------------------------------------------------------


def may_lack_its_end(view: TraceView, turn: LoopTurn) -> bool:
    """Whether the caller, or an error before the model was done, has ended the run in this turn. Then the last pieces
    need not be shown."""
    last = turn.asks[-1] if turn.asks else None
    is_done = last is not None and last.runnable and not last.calls
    failed = isinstance(_ends(view).get(turn.number), Failure)
    return turn.number in _cancelled_turns(view) or (failed and not is_done)


def of_the_model(view: TraceView, turn: LoopTurn, kind: TextKind) -> Sequence[tuple[int, Assistant | Thinking]]:
    """The pieces of a turn, without those behind the model's whole text where the loop may say something itself."""
    pieces = turn.deltas(kind)
    if kind is Thinking or not pieces or not turn.sound or not _may_say_more(view, turn):
        return pieces
    whole = {sendable("".join(way)) for way in zip(*[texts_of(reply, kind) for reply in turn.replies], strict=True)}
    met = ""
    for number, (_, event) in enumerate(pieces):
        if sendable(met) in whole and not _is_again(event.text, met):
            return pieces[:number]
        met += event.text
    return pieces


def _is_again(piece: str, text: str) -> bool:
    """Whether a piece says once more what the model has said, which is not the loop's own."""
    return bool(text.strip()) and piece.strip().startswith(text.strip()[:_ENOUGH])


def _may_say_more(view: TraceView, turn: LoopTurn) -> bool:
    """Whether the run has ended in this turn, and not because the model was done: by an error, because the model was
    stopped, or at a limit."""
    end = _ends(view).get(turn.number)
    if end is None or not turn.asks:
        return False
    last = turn.asks[-1]
    if isinstance(end, Failure) or last.stopped is not None:
        return True
    return bool(last.calls) and (may_have_stopped_itself(view) or hit_limit(view))


@kept
def _ends(view: TraceView) -> dict[int, Final | Failure]:
    """The event with which a run has ended for good, by the number of its turn."""
    found: dict[int, Final | Failure] = {}
    for at, event in view.ends:
        found.setdefault(_turn_at(view, at), event)
    return found


@kept
def _cancelled_turns(view: TraceView) -> frozenset[int]:
    """The numbers of the turns in which the caller has cancelled a run."""
    return frozenset(_turn_at(view, at) for at, record in view.acts if record.did == "cancel")


def _turn_at(view: TraceView, place: int) -> int:
    """The number of the turn in which a record is; 0 before the first."""
    return bisect_left([turn.at for turn in view.turns], place)
