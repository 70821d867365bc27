"""Text and thinking on their way to the user: nothing lost, nothing doubled, each turn under ids of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from harness.rules.evidence import difference
from harness.rules.model import Breach, Rule
from harness.rules.trace_view import TraceView
from harness.trace import Assistant, Thinking
from harness.trace.files import event_kind
from harness.wire import Refusal, Reply, Text
from harness.wire import Thinking as ThinkingPart
from harness.wire.characters import sendable

__all__ = ["RULES"]

_TURN_STATE = "Agent Tool-Calling Flow, Core Tool-Calling Loop, step 1: event ids per turn"
_STREAM = "Agent Tool-Calling Flow, Response Streaming to Frontend: deltas are forwarded immediately"


def _one_id(reading: TraceView) -> Iterator[Breach]:
    for turn in reading.turns:
        for kind in (Assistant, Thinking):
            first = ""
            for at, event in turn.deltas(kind):
                first = first or event.id
                if event.id != first:
                    expected = f"the id {first} for every {event_kind(event)} event of turn {turn.number}"
                    yield Breach(at, expected, f"an event with {f'the id {event.id}' if event.id else 'no id'}")
                    break


def _fresh_id(reading: TraceView) -> Iterator[Breach]:
    seen: dict[str, str] = {}
    for turn in reading.turns:
        for kind in (Assistant, Thinking):
            where = f"the {kind.__name__.lower()} text of turn {turn.number}"
            for at, event in turn.deltas(kind):
                earlier = seen.setdefault(event.id, where) if event.id else where
                if earlier != where:
                    yield Breach(at, f"an id of its own for {where}", f"{event.id}, the id of {earlier}")
                    break


def _text(reading: TraceView) -> Iterator[Breach]:
    yield from _complete(reading, Assistant, _texts)


def _thinking(reading: TraceView) -> Iterator[Breach]:
    yield from _complete(reading, Thinking, _thoughts)


def _texts(reply: Reply) -> tuple[str, ...]:
    """What may be told as text: the text alone, or with the words of a refusal, which some loops tell too."""
    said = "".join(part.text for part in reply.turn.parts if isinstance(part, Text | Refusal))
    return (reply.turn.text, said)


def _thoughts(reply: Reply) -> tuple[str, ...]:
    return ("".join(part.text for part in reply.turn.parts if isinstance(part, ThinkingPart)),)


def _complete(
    reading: TraceView, kind: type[Assistant] | type[Thinking], sayings: Callable[[Reply], tuple[str, ...]]
) -> Iterator[Breach]:
    if not reading.emits(kind):
        return
    for turn in reading.turns:
        if not turn.replies:
            continue
        deltas = turn.deltas(kind)
        told = sendable("".join([event.text for _, event in deltas]))
        said = [sendable("".join(way)) for way in zip(*map(sayings, turn.replies), strict=True)]
        # Of a stream that broke, the loop may not have met the last pieces.
        if told in said or (not turn.sound and any(text.startswith(told) for text in said)):
            continue
        expected, got = difference(said[0], told)
        at = deltas[-1][0] if deltas else turn.at
        yield Breach(at, f"the model's {expected}", got, f"turn {turn.number}, {kind.__name__.lower()} pieces joined")


RULES = (
    Rule(
        "stream/one-id",
        "MUST",
        "style",
        "All assistant pieces of a turn carry one id, and all thinking pieces carry one.",
        "The id says which bubble a piece is appended to.",
        _TURN_STATE,
        _one_id,
    ),
    Rule(
        "stream/fresh-id",
        "MUST",
        "style",
        "The ids of assistant and thinking pieces differ from each other and from those of earlier turns.",
        "Under a reused id the text of a new turn is glued to an old one.",
        _TURN_STATE,
        _fresh_id,
    ),
    Rule(
        "stream/text",
        "MUST",
        "unsafe",
        "The assistant pieces of a turn, joined, are the text that the model sent.",
        "A lost, doubled or altered piece puts words into the model's mouth.",
        _STREAM,
        _text,
        ("events", "exchanges"),
    ),
    Rule(
        "stream/thinking",
        "MUST",
        "unsafe",
        "The thinking pieces of a turn, joined, are the thinking that the model sent.",
        "A lost, doubled or altered piece puts words into the model's mouth.",
        _STREAM,
        _thinking,
        ("events", "exchanges"),
    ),
)
