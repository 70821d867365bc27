"""Calls and their results: INT-04 to 09, 13, 16, 17, 20, 22 to 24."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from harness.wire.base import Json
from harness.wire.characters import sendable_value
from harness.wire.gemini_interactions.models import LISTED_RESULTS
from harness.wire.gemini_interactions.rules.request import Found, InteractionRequest, InteractionTurn, PlacedStep, brief
from harness.wire.gemini_interactions.rules.table import (
    INT_04,
    INT_05,
    INT_06,
    INT_07,
    INT_08,
    INT_09,
    INT_13,
    INT_16,
    INT_17,
    INT_20,
    INT_22,
    INT_23,
    INT_24,
    INT_31,
)
from harness.wire.gemini_interactions.steps import (
    CALL,
    INPUT,
    OUTPUT,
    RESULT,
    done_calls,
    is_server_call,
    is_server_result,
    kind_of,
)
from harness.wire.lenient import string
from harness.wire.same_json import same_json


def _results(request: InteractionRequest) -> Iterator[PlacedStep]:
    return (step for step in request.sent if step.kind == RESULT)


def _calls(request: InteractionRequest) -> Iterator[PlacedStep]:
    return (step for step in request.sent if step.kind == CALL)


# --- each by itself -----------------------------------------------------------------------------------------


def results_with_ids(request: InteractionRequest) -> Found:
    """INT-09."""
    for step in _results(request):
        if not step.id:
            yield INT_09.broken(
                step.at, expected="a call_id", got=brief(step.native.get("call_id", "none")) or "an empty one"
            )


def results_named(request: InteractionRequest) -> Found:
    """INT-07, and INT-08 for a name that is not that of the call."""
    names = {step.id: string(step.native.get("name")) for turn in request.turns for step in turn.calls}
    for step in _results(request):
        name = string(step.native.get("name"))
        if not name:
            yield INT_07.broken(
                step.at, expected="a name", got=brief(step.native.get("name", "none")) or "an empty one"
            )
        elif name != names.get(step.id, name):
            yield INT_08.broken(step.at, expected=brief(names[step.id]), got=brief(name))


def results_readable(request: InteractionRequest) -> Found:
    """INT-17."""
    for step in _results(request):
        value = step.native.get("result")
        if not isinstance(value, str | dict | list):
            got = brief(value) if "result" in step.native else "none"
            yield INT_17.broken(step.at, expected="a text, an object or a list of contents", got=got)


def results_without_lists(request: InteractionRequest) -> Found:
    """INT-31."""
    if request.fact(LISTED_RESULTS) is False:
        for step in _results(request):
            if isinstance(step.native.get("result"), list):
                yield INT_31.broken(step.at, expected="a text or an object", got="a list of contents")


def arguments_objects(request: InteractionRequest) -> Found:
    """INT-16: whoever sends a text has kept the fragments of the stream."""
    for step in _calls(request):
        value = step.native.get("arguments", {})
        if not isinstance(value, dict):
            yield INT_16.broken(step.at, expected="an object", got=brief(value))


def arguments_as_issued(request: InteractionRequest) -> Found:
    """INT-16, for a call that the endpoint has issued. Half a character may go back as U+FFFD: UTF-8 cannot say it."""
    for step in _calls(request):
        issued, _ = request.issued_calls.get(step.id, (None, ()))
        value = step.native.get("arguments", {})
        if issued is None or not isinstance(value, dict):
            continue
        arguments = issued.get("arguments", {})
        if not same_json(sendable_value(value), sendable_value(arguments)):
            yield INT_16.broken(step.at, template="changed", expected=brief(arguments), got=brief(value))


# --- pairs --------------------------------------------------------------------------------------------------


def _known(request: InteractionRequest) -> tuple[InteractionTurn, ...]:
    """The turns, where their calls are known: an id of nowhere may be in an interaction that is not."""
    return () if request.names_unknown else request.turns


def results_asked_for(request: InteractionRequest) -> Found:
    """INT-04."""
    known: set[str] = set()
    for turn in _known(request):
        known |= {step.id for step in turn.spoken if step.kind == CALL or is_server_call(step.kind)}
        for step in turn.results:
            if step.sent and step.id and step.id not in known:
                name = string(step.native.get("name"))
                expected = f"the id of a call: {', '.join(sorted(known)) or 'there is none'}"
                yield INT_04.broken(step.at, expected=brief(expected), got=brief(step.id), name=name)


def server_calls_not_answered(request: InteractionRequest) -> Found:
    """INT-23."""
    run = {step.id: step.kind for turn in request.turns for step in turn.spoken if is_server_call(step.kind)}
    for step in _results(request):
        if step.id in run:
            yield INT_23.broken(step.at, expected="no result", got=f"the result of a {run[step.id]}")


def _done(request: InteractionRequest) -> dict[str, Json]:
    """The results that interactions have of calls of their own, by the ids of the calls."""
    items = (item for reply in request.issued.replies for item in reply.items if kind_of(item) == RESULT)
    return {string(item.get("call_id")): item for item in items}


def open_calls_answered(request: InteractionRequest) -> Found:
    """INT-24. Without a stored interaction its own results go back as they came, once each."""
    done, stored = _done(request), {step.id for step in request.stored if step.kind == RESULT}
    for step in _results(request):
        if step.id in done and (step.id in stored or step.native != done[step.id]):
            yield INT_24.broken(step.at, expected="no result", got=f"that of {step.id}, which the agent has run")
        stored.add(step.id)


def calls_answered(request: InteractionRequest) -> Found:
    """INT-05: in what the client sends next, whatever comes after it."""
    for turn in _known(request):
        answered = {step.id for step in turn.results}
        for step in turn.calls:
            if step.id and step.id not in answered:
                place = turn.replied[0].at if turn.replied else "input"
                expected = f"the result of {step.id} ({brief(step.native.get('name'))})"
                yield INT_05.broken(place, expected=expected, got="no result of it")


def results_once(request: InteractionRequest) -> Found:
    """INT-05, for a call that is answered again."""
    known = {step.id for turn in request.turns for step in turn.calls}
    seen: Counter[str] = Counter()
    done = _done(request)
    for turn in _known(request):
        for step in turn.results:
            seen[step.id] += 1
            if step.sent and step.id in known and step.id not in done and seen[step.id] > 1:
                yield INT_05.broken(step.at, template="twice", expected="one result", got=f"{step.id} again")


def nothing_between(request: InteractionRequest) -> Found:
    """INT-06."""
    for turn in _known(request):
        if not turn.calls:
            continue
        for number, step in enumerate(turn.replied):
            later = [each for each in turn.replied[number:] if each.kind == RESULT]
            if step.sent and step.kind == INPUT and later:
                name = string(later[0].native.get("name"))
                yield INT_06.broken(step.at, expected="the results of the calls first", got="a user_input", name=name)


def pairs_whole(request: InteractionRequest) -> Found:
    """INT-22: in what the request sends itself."""
    calls = {step.id: step for step in request.sent if is_server_call(step.kind)}
    results = {step.id: step for step in request.sent if is_server_result(step.kind)}
    for id_, step in calls.items():
        if id_ not in results:
            yield INT_22.broken(step.at, expected=f"the result of {id_} behind it", got="none")
    for id_, step in results.items():
        if id_ not in calls and not request.previous:
            yield INT_22.broken(step.at, expected=f"the {step.kind.removesuffix('_result')}_call {id_}", got="none")


def server_steps_sent(request: InteractionRequest) -> Found:
    """INT-22, for an answer that was issued: where its calls go back, so do the steps of server tools beside them."""
    sent = {(step.kind, step.id): step for step in request.sent}
    stored = {(step.kind, step.id) for step in request.stored}
    for reply in request.issued.replies:
        calls = [sent.get((CALL, string(each.get("id")))) for each in reply.items if kind_of(each) == CALL]
        if (first := next((call for call in calls if call is not None), None)) is None:
            continue
        for each in map(_issued, reply.items):
            if (each.kind, each.id) in stored or not (is_server_call(each.kind) or is_server_result(each.kind)):
                continue
            back, place = sent.get((each.kind, each.id)), f"the {each.kind} {each.id}"
            if back is None:
                yield INT_22.broken(first.at, expected=place, got="none")
            elif each.signature and not back.signature:
                yield INT_22.broken(back.at, expected=f"{place} signed", got="no signature")


def _issued(native: Json) -> PlacedStep:
    return PlacedStep(native, "", sent=False)


# --- as issued ----------------------------------------------------------------------------------------------


def order_as_issued(request: InteractionRequest) -> Found:
    """INT-13: the steps of an answer go back together, in their order."""
    at = {step.id: number for number, step in enumerate(request.sent) if step.kind == CALL}
    judged: set[str] = set()
    for step in _calls(request):
        _, items = request.issued_calls.get(step.id, (None, ()))
        done = done_calls(items)
        ids = [string(each.get("id")) for each in items if kind_of(each) == CALL and each.get("id") not in done]
        if step.id in judged or not set(ids) <= at.keys() or len(set(ids)) != len(ids):
            continue
        judged |= set(ids)
        places = [at[each] for each in ids]
        between = request.sent[min(places, default=0) : max(places, default=0)]
        if places != sorted(places) or any(each.kind in (RESULT, INPUT) for each in between):
            got = ", ".join(each.kind for each in between) if places == sorted(places) else "another order"
            yield INT_13.broken(step.at, expected=f"{', '.join(ids)} one behind the other", got=brief(got))


def nothing_repeated(request: InteractionRequest) -> Found:
    """INT-20: what the interactions hold that the request names is not sent again; a thought may be."""
    stored = [each.native for each in request.stored if each.kind in (CALL, OUTPUT)]
    for step in request.sent:
        if step.kind in (CALL, OUTPUT) and any(_same(step.native, each) for each in stored):
            yield INT_20.broken(step.at, expected="only what is new", got=f"a {step.kind} that is stored")


def _same(one: Mapping[str, Any], other: Json) -> bool:
    if kind_of(one) == CALL:
        return bool(one.get("id")) and one.get("id") == other.get("id")
    return bool(one.get("content")) and one.get("content") == other.get("content")
