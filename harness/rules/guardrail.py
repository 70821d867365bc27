"""The turn limit: never one request too many, never a silent stop, never a false alarm."""

from __future__ import annotations

from collections.abc import Iterator

from harness.rules.evidence import quote
from harness.rules.model import Breach, Rule
from harness.rules.reading import Reading
from harness.rules.turns import Ask
from harness.trace import Failure, Final
from harness.trace.files import event_kind
from harness.wire import Stop

__all__ = ["RULES", "TURN_LIMIT", "at_limit"]

TURN_LIMIT = "turn-limit"
"""The kind of the failure that tells that the limit was reached."""

_SOURCE = "Agent Tool-Calling Flow, Core Tool-Calling Loop, step 5: Guardrail"


def at_limit(reading: Reading) -> bool:
    """The last turn that was allowed has been taken: how the run ends is what the rules of this family say."""
    limit = reading.case.turn_limit
    return limit is not None and len(reading.asked) >= limit


def _turn_limit(reading: Reading) -> Iterator[Breach]:
    limit = reading.case.turn_limit
    if limit is not None and len(reading.asked) > limit:
        yield Breach(reading.asked[limit].at, f"at most {limit} turns", f"a request for turn {limit + 1}")


def _limit_told(reading: Reading) -> Iterator[Breach]:
    limit = reading.case.turn_limit
    if limit is None or len(reading.asked) != limit or not _wants_more(reading.asks[-1]):
        return
    if not reading.tells(Failure, Final):
        return
    at, end = reading.ends[0] if reading.ends else (len(reading.trace.records) - 1, None)
    if isinstance(end, Failure) and end.kind == TURN_LIMIT:
        return
    got = "no end" if end is None else f"error {end.kind!r}" if isinstance(end, Failure) else event_kind(end)
    yield Breach(at, f"error {TURN_LIMIT!r}: turn {limit} did not finish", got)


def _false_alarm(reading: Reading) -> Iterator[Breach]:
    limit, turns = reading.case.turn_limit, len(reading.asked)
    if limit is None or (turns >= limit and _wants_more(reading.asks[-1])):
        return
    for at, end in reading.ends:
        if isinstance(end, Failure) and end.kind == TURN_LIMIT:
            expected = f"no {TURN_LIMIT!r} before {limit} turns were taken and the last one called a tool"
            yield Breach(at, expected, f"one after {turns}: {quote(end.message)}")


def _wants_more(ask: Ask) -> bool:
    """Whether the model's turn has to be followed by another: it calls a tool or is only paused."""
    if not ask.runnable:
        return False
    return bool(ask.calls) or (ask.reply is not None and ask.reply.turn.stop is Stop.PAUSE)


RULES = (
    Rule(
        "guardrail/turn-limit",
        "MUST",
        "unsafe",
        "No more turns are requested than the limit allows; requests that repeat one without a reply do not count.",
        "The limit is what bounds the bill of a model that never stops calling tools.",
        _SOURCE,
        _turn_limit,
        ("exchanges",),
    ),
    Rule(
        "guardrail/limit-told",
        "MUST",
        "unsafe",
        "A run whose last allowed turn still called tools ends with the error 'turn-limit'.",
        "A limit that is reached in silence passes half a job off as a finished one.",
        _SOURCE,
        _limit_told,
        ("events", "exchanges"),
    ),
    Rule(
        "guardrail/false-alarm",
        "MUST",
        "unsafe",
        "The error 'turn-limit' is told only when all turns were taken and the last one still called tools.",
        "A model that finishes in its last turn has done what it was asked for.",
        _SOURCE,
        _false_alarm,
        ("events", "exchanges"),
    ),
)
