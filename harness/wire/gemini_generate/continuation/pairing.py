"""Rules on order and pairing of calls and responses: GEM-04 to 07, 12, 13, 22, 23.

Answers are looked for only in the one content that follows the call turn, because answers that are spread over
several contents are refused (GEM-06).
"""

from __future__ import annotations

from itertools import islice, pairwise, takewhile

from harness.wire.base import Level, Violation
from harness.wire.gemini_generate.continuation.issued import call_of
from harness.wire.gemini_generate.continuation.request import (
    Found,
    Placed,
    Request,
    Span,
    calls_of,
    kind_of,
    place,
    responses_of,
)

__all__ = [
    "calls_follow_someone",
    "ends_with_user",
    "every_call_answered",
    "ids_match",
    "names_match",
    "nothing_after_responses",
    "responses_follow_calls",
]

_CALL_TURN = (
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
)
_RESPONSE_TURN = "Please ensure that function response turn comes immediately after a function call turn."
_RESPONSE_COUNT = (
    "Please ensure that the number of function response parts is equal to the number of function call parts of the "
    "function call turn."
)
_MODEL_LAST = "Requests ending with a model turn are not supported."


def calls_follow_someone(request: Request) -> Found:
    """GEM-04: a turn that calls comes after a user or a function response turn, so it is never the first."""
    if request.turns and calls_of(request.turns[0]):
        at = place(request.contents[0])
        yield Violation("GEM-04", _CALL_TURN, at, "a user turn first", "a function call turn first")


def responses_follow_calls(request: Request) -> Found:
    """GEM-05: responses come right after the turn that called; what a split answer adds is GEM-06's."""
    answering = False
    for before, turn in pairwise(((), *request.turns)):
        answering = bool(responses_of(turn)) and (bool(calls_of(before)) or answering)
        if responses_of(turn) and not answering:
            got = "a turn without function calls" if before else "nothing"
            yield Violation("GEM-05", _RESPONSE_TURN, place(turn[0]), "a function call turn before it", got)


def every_call_answered(request: Request) -> Found:
    """GEM-06: as many responses in the next content as calls in the turn. GEM-07: some, not none."""
    for number, (turn, after) in enumerate(pairwise(request.turns)):
        calls = calls_of(turn)
        if not calls or len(calls) == len(responses_of(after)):
            continue
        names = ", ".join(str(call_of(placed.part).get("name")) for placed in calls)
        answered = len(responses_of(after))
        yield Violation(
            "GEM-06" if answered else "GEM-07",
            _RESPONSE_COUNT,
            place(turn[0]),
            expected=f"{len(calls)} responses ({names}) in {place(after[0])}",
            got=f"{answered} responses in {place(after[0])}",
            level=_level(request, len(calls), number + 1) if answered else "L",
        )


def _level(request: Request, calls: int, after: int) -> Level:
    """Certain, but for a complete answer that is split over contents, which Gemini 2.5 has been recorded to take."""
    answers = takewhile(responses_of, islice(request.turns, after, None))
    split = sum(len(responses_of(turn)) for turn in answers)
    return "L" if split == calls and request.version < (3, 0) else "C"


def ends_with_user(request: Request) -> Found:
    """GEM-22: new models take no prefill."""
    if request.refuses_prefill and request.contents and request.contents[-1].role == "model":
        at = place(request.contents[-1])
        yield Violation("GEM-22", _MODEL_LAST, at, "a user turn at the end", "a model turn at the end")


def nothing_after_responses(request: Request) -> Found:
    """GEM-23: a content with responses holds nothing after them. Certain on Vertex AI, reports differ elsewhere."""
    if not request.refuses_prefill:
        return
    for content in request.contents:
        last = max((at for at, part in enumerate(content.parts) if "functionResponse" in part), default=None)
        if last is not None and last + 1 < len(content.parts):
            got = f"{kind_of(content.parts[last + 1])} after a functionResponse"
            expected = "its own user content after the responses"
            yield Violation("GEM-23", _MODEL_LAST, place(content, last + 1), expected, got, level="L")


# --- what Google lets pass, but a careful loop does not do -------------------------------------------------


def names_match(request: Request) -> Found:
    """GEM-12: every response has the name of a call. A name that is missing is GEM-11's."""
    for turn, after in request.call_turns:
        for placed, name, wanted in _unmatched(turn, after, "name"):
            if name:
                message = f'The function response "{name}" does not name a function that was called.'
                yield Violation("GEM-12", message, placed.at, wanted, name, level="I")


def ids_match(request: Request) -> Found:
    """GEM-13: responses carry the ids of the calls, and none where the calls have none."""
    for turn, after in request.call_turns:
        for placed, response_id, wanted in _unmatched(turn, after, "id"):
            message = f'The function response id "{response_id}" does not match the id of a function call.'
            yield Violation("GEM-13", message, placed.at, wanted, response_id or "no id", level="I")


def _unmatched(turn: Span, after: Span, member: str) -> list[tuple[Placed, str, str]]:
    """The responses whose name or id no call of the turn has left, with theirs and the calls' own.

    An answer of the wrong size is GEM-06's.
    """
    calls, responses = calls_of(turn), responses_of(after)
    if len(calls) != len(responses):
        return []
    left = [str(call_of(placed.part).get(member) or "") for placed in calls]
    wanted = ", ".join(value or f"no {member}" for value in left)
    strangers = []
    for placed in responses:
        value = str(placed.part["functionResponse"].get(member) or "")
        if value in left:
            left.remove(value)
        else:
            strangers.append((placed, value, wanted))
    return strangers
