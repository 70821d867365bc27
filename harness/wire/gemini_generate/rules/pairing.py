"""Rules on order and pairing of calls and responses: GEM-04 to 07, 12, 13, 22, 23.

Answers are looked for only in the one content that follows the call turn, because answers that are spread over
several contents are refused (GEM-06).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice, pairwise, takewhile

from harness.wire.base import Json
from harness.wire.gemini_generate.models import NO_PREFILL, UNSPLIT_ANSWERS
from harness.wire.gemini_generate.rules.history import NOTHING, Placed, TurnSpan, kind_of, name_of, place
from harness.wire.gemini_generate.rules.request import Found, Request, brief
from harness.wire.gemini_generate.rules.table import GEM_04, GEM_05, GEM_06, GEM_07, GEM_12, GEM_13, GEM_22, GEM_23


def calls_follow_someone(request: Request) -> Found:
    """GEM-04: a turn that calls comes after a user or a function response turn, so it is never the first."""
    first = (*request.history.turns, NOTHING)[0]
    if first.calls:
        yield GEM_04.broken(first.at, expected="a user turn first", got="a function call turn first")


def responses_follow_calls(request: Request) -> Found:
    """GEM-05: responses come right after the turn that called. An answer in several contents is GEM-06's."""
    awaited = 0
    for before, turn in pairwise((NOTHING, *request.history.turns)):
        if before.calls:
            awaited = len(before.calls)
        if not turn.responses:
            awaited = 0
        elif awaited <= 0:
            got = "nothing" if before is NOTHING else "a turn without function calls"
            yield GEM_05.broken(turn.at, expected="a function call turn before it", got=got)
        awaited -= len(turn.responses)
    for turn in request.history.model_turns:
        for placed in turn.parts:
            if isinstance(placed.part.get("functionResponse"), dict):
                got = "a function response in a turn of the model"
                yield GEM_05.broken(placed.at, template="model", expected="role user", got=got)


def every_call_answered(request: Request) -> Found:
    """GEM-06: as many responses in the next content as calls in the turn. GEM-07: some, not none."""
    for number, (turn, after) in enumerate(pairwise((*request.history.turns, NOTHING))):
        calls, answered = turn.calls, len(after.responses)
        if not calls or len(calls) == answered:
            continue
        names = brief(", ".join(map(name_of, calls)))
        last = after is NOTHING
        where = "behind it" if last else f"in {after.at}"
        expected, got = f"{len(calls)} responses ({names}) {where}", f"{answered} responses {where}"
        if answered:
            split = "split" if _is_taken_split(request, len(calls), number + 1) else None
            yield GEM_06.broken(turn.at, template=split, expected=expected, got=got)
        elif not last or not request.fact(NO_PREFILL):
            yield GEM_07.broken(turn.at, template="last" if last else None, expected=expected, got=got)


def _is_taken_split(request: Request, calls: int, after: int) -> bool:
    """A complete answer that is split over contents, where such have been recorded to be taken."""
    if request.vertex or request.fact(UNSPLIT_ANSWERS) is not False:
        return False
    answers = takewhile(lambda turn: turn.responses, islice(request.history.turns, after, None))
    return sum(len(turn.responses) for turn in answers) == calls


def ends_with_user(request: Request) -> Found:
    """GEM-22: new models take no prefill, and older ones nothing but a prefill."""
    turns = request.history.turns
    if not turns or not turns[-1].is_model:
        return
    if request.fact(NO_PREFILL) or len(turns) == 1:
        template = None if request.fact(NO_PREFILL) else "single"
        at = place(turns[-1].last)
        yield GEM_22.broken(at, template=template, expected="a user turn at the end", got="a model turn at the end")


def nothing_after_responses(request: Request) -> Found:
    """GEM-23: a content with responses holds nothing after them. Certain on Vertex AI, reports differ elsewhere."""
    if not request.fact(NO_PREFILL):
        return
    for content in request.contents:
        last = max((at for at, part in enumerate(content.parts) if "functionResponse" in part), default=None)
        if last is not None and last + 1 < len(content.parts):
            got = f"{kind_of(content.parts[last + 1])} after a functionResponse"
            template = "vertex" if request.vertex else None
            expected = "its own user content after the responses"
            yield GEM_23.broken(place(content, last + 1), template=template, expected=expected, got=got)


# --- what Google lets pass, but a careful loop does not do -------------------------------------------------


def names_match(request: Request) -> Found:
    """GEM-12: every response has the name of the call that it answers. A name that is missing is GEM-11's."""
    for turn, after in request.history.call_turns:
        found = [*_unmatched(turn, after, "name"), *_crossed(turn.calls, after.responses)]
        for placed, name, wanted in found:
            if name:
                yield GEM_12.broken(placed.at, expected=brief(wanted), got=brief(name), name=brief(name))


def _crossed(calls: tuple[Placed, ...], responses: tuple[Placed, ...]) -> Iterator[tuple[Placed, str, str]]:
    """Responses with the id of one call and the name of another."""
    if len(calls) != len(responses):
        return
    named: dict[str, set[str]] = {}
    for placed in calls:
        if name_of(placed):
            named.setdefault(_member(placed, "functionCall", "id"), set()).add(name_of(placed))
    every = set().union(*named.values())
    for placed in responses:
        call_id, name = _member(placed, "functionResponse", "id"), _member(placed, "functionResponse", "name")
        if call_id and name in every and name not in named.get(call_id, every):
            yield placed, name, " or ".join(sorted(named[call_id]))


def ids_match(request: Request) -> Found:
    """GEM-13: responses carry the ids of the calls, and none where the calls have none."""
    for turn, after in request.history.call_turns:
        for placed, response_id, wanted in _unmatched(turn, after, "id"):
            got = brief(response_id or "no id")
            yield GEM_13.broken(placed.at, expected=brief(wanted), got=got, id=brief(response_id))


def _unmatched(turn: TurnSpan, after: TurnSpan, member: str) -> list[tuple[Placed, str, str]]:
    """The responses whose name or id no call of the turn has left, with theirs and the calls' own.

    An answer of the wrong size is GEM-06's.
    """
    calls = [_member(placed, "functionCall", member) for placed in turn.calls]
    answers = [_member(placed, "functionResponse", member) for placed in after.responses]
    if len(calls) != len(answers):
        return []
    left = Counter(calls)
    wanted = ", ".join(value or f"no {member}" for value in calls)
    strangers = []
    for placed, value in zip(after.responses, answers, strict=True):
        if left[value]:
            left[value] -= 1
        else:
            strangers.append((placed, value, wanted))
    return strangers


def _member(placed: Placed, kind: str, member: str) -> str:
    held: Json = placed.part[kind]
    return str(held.get(member) or "")


def server_ids_match(request: Request) -> Found:
    """GEM-13: what a server tool answered stands behind its call, with the call's id."""
    called: set[str] = set()
    for placed in request.history.parts:
        call, response = placed.part.get("toolCall"), placed.part.get("toolResponse")
        if isinstance(call, dict):
            called.add(str(call.get("id") or ""))
        if isinstance(response, dict) and str(response.get("id") or "") not in called:
            got = brief(response.get("id") or "no id")
            yield GEM_13.broken(placed.at, template="server", expected="the id of a toolCall before it", got=got)
