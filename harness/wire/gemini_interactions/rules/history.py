"""Calls and their results: INT-04 to 09, 13, 16, 17, 20, 22 to 24."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from harness.wire.base import Json
from harness.wire.characters import sendable_value
from harness.wire.gemini_interactions.models import LISTED_RESULTS
from harness.wire.gemini_interactions.rules.book import RULES
from harness.wire.gemini_interactions.rules.places import (
    fact,
    holder_of,
    keep,
    last,
    places_of_calls,
    remove,
    spoken,
    steps,
    waiting,
)
from harness.wire.gemini_interactions.rules.request import Found, InteractionRequest, InteractionTurn, PlacedStep, brief
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
from harness.wire.issued import IssuedKind, IssuedTurn, items_by
from harness.wire.lenient import string
from harness.wire.posted import Posted, Wrong, add, drop, put
from harness.wire.rule import ErrorTemplate, WireRule, verbatim
from harness.wire.same_json import same_json

_INVALID: Final = "Request contains an invalid argument."

_APART: Final = (
    "Please ensure that function response turn comes immediately after a function call turn. Got function response "
    "with name '{name}'."
)

_SEEN_APART: Final = (
    "Please ensure that function response turn comes immediately after a function call turn. Got function response "
    "with name 'run_travel_code'."
)

_GENAI_3003: Final = "https://github.com/googleapis/python-genai/issues/3003"

_FUNCTIONS: Final = "https://ai.google.dev/gemini-api/docs/interactions/function-calling"

_SDK: Final = "google-genai 3.4.0, its types of steps"


def _results(request: InteractionRequest) -> Iterator[PlacedStep]:
    return (step for step in request.sent if step.kind == RESULT)


def _calls(request: InteractionRequest) -> Iterator[PlacedStep]:
    return (step for step in request.sent if step.kind == CALL)


# --- each by itself -----------------------------------------------------------------------------------------


INT_09: Final = WireRule(
    "INT-09",
    "A function_result has a call_id.",
    "Nothing else says which of several calls it answers.",
    "likely",
    (f"{_SDK}: required",),
    (ErrorTemplate(_INVALID),),
    about=("results",),
    wrong=(
        Wrong(
            "int-id-lost",
            "A result has no call_id.",
            lambda it: drop(last(it, "function_result"), "call_id"),
            "one-call wrapped",
            also=("INT-05",),
        ),
    ),
)


@RULES.check("steps", INT_09)
def results_with_ids(request: InteractionRequest) -> Found:
    """INT-09."""
    for step in _results(request):
        if not step.id:
            yield INT_09.broken(
                step.at, expected="a call_id", got=brief(step.native.get("call_id", "none")) or "an empty one"
            )


INT_07: Final = WireRule(
    "INT-07",
    "A function_result has the name of the tool.",
    "The types of the SDK say that it is optional, so a loop may leave it out.",
    "likely",
    ("https://github.com/robocurve/inspect-robots/issues/380", "recorded results have it"),
    (verbatim("Invalid input received"),),
    wrong=(
        Wrong(
            "int-name-lost",
            "A result has no name.",
            lambda it: drop(last(it, "function_result"), "name"),
            "one-call stateful wrapped",
        ),
    ),
)

INT_08: Final = WireRule(
    "INT-08",
    "The name of a function_result is that of its call.",
    "A loop that renames tools answers another tool than the one that was called.",
    "inferred",
    (_SDK, "on generateContent: GEM-12"),
    (ErrorTemplate(_INVALID),),
    about=("results",),
    wrong=(
        Wrong(
            "int-name-of-another",
            "A result has the name of another tool.",
            lambda it: put(last(it, "function_result"), name="delete_everything"),
            "one-call",
        ),
    ),
)


@RULES.check("steps", INT_07, INT_08)
def results_named(request: InteractionRequest) -> Found:
    """INT-07, and INT-08 for a name that differs from the call's."""
    names = {step.id: string(step.native.get("name")) for turn in request.turns for step in turn.calls}
    for step in _results(request):
        name = string(step.native.get("name"))
        if not name:
            yield INT_07.broken(
                step.at, expected="a name", got=brief(step.native.get("name", "none")) or "an empty one"
            )
        elif name != names.get(step.id, name):
            yield INT_08.broken(step.at, expected=brief(names[step.id]), got=brief(name))


INT_17: Final = WireRule(
    "INT-17",
    "The result of a function_result is a text, an object or a list of contents.",
    "A tool that returns nothing, a number or a truth value has a result that must be put into one of them.",
    "likely",
    (_SDK,),
    (ErrorTemplate(_INVALID),),
    wrong=(
        Wrong(
            "int-result-null",
            "A result is null.",
            lambda it: put(last(it, "function_result"), result=None),
            "one-call stateful",
        ),
    ),
)


@RULES.check("steps", INT_17)
def results_readable(request: InteractionRequest) -> Found:
    """INT-17."""
    for step in _results(request):
        value = step.native.get("result")
        if not isinstance(value, str | dict | list):
            got = brief(value) if "result" in step.native else "none"
            yield INT_17.broken(step.at, expected="a text, an object or a list of contents", got=got)


INT_16: Final = WireRule(
    "INT-16",
    "The arguments of a function_call are the object that the model has sent.",
    "A stream brings them as text, so a loop may send the text back; one that has repaired them shows the model what "
    "it did not say.",
    "likely",
    (_SDK,),
    (
        ErrorTemplate(_INVALID),
        ErrorTemplate(_INVALID, certainty="inferred", name="changed"),
    ),
    about=("words",),
    wrong=(
        Wrong(
            "int-arguments-text",
            "Arguments go back as a text.",
            lambda it: put(last(it, "function_call"), arguments='{"path": "src/app.py"}'),
            "one-call foreign",
        ),
        Wrong(
            "int-arguments-completed",
            "Arguments go back completed.",
            lambda it: [
                put([each], arguments={**each["arguments"], "encoding": "utf-8"}) for each in last(it, "function_call")
            ],
            "one-call",
        ),
    ),
)


@RULES.check("steps", INT_16)
def arguments_objects(request: InteractionRequest) -> Found:
    """INT-16: whoever sends a text has kept the fragments of the stream."""
    for step in _calls(request):
        value = step.native.get("arguments", {})
        if not isinstance(value, dict):
            yield INT_16.broken(step.at, expected="an object", got=brief(value))


INT_23: Final = WireRule(
    "INT-23",
    "The client answers no call of a server tool.",
    "The provider has run it: a loop that takes each step with an id for a call to be run answers it once more.",
    "likely",
    ("https://github.com/agno-agi/agno (a comment in GeminiInteractions)",),
    (ErrorTemplate(_INVALID),),
    wrong=(
        Wrong(
            "int-search-answered",
            "The client answers the provider's search.",
            lambda it: [
                add(
                    [it.body],
                    "input",
                    {
                        "type": "function_result",
                        "call_id": step["id"],
                        "name": "google_search",
                        "result": "unknown tool",
                    },
                )
                for step in last(it, "google_search_call")
            ],
            "searched",
        ),
    ),
)


@RULES.check("history", INT_23)
def server_calls_not_answered(request: InteractionRequest) -> Found:
    """INT-23."""
    run = {step.id: step.kind for turn in request.turns for step in turn.spoken if is_server_call(step.kind)}
    for step in _results(request):
        if step.id in run:
            yield INT_23.broken(step.at, expected="no result", got=f"the result of a {run[step.id]}")


_done = items_by(lambda item: string(item.get("call_id")) if kind_of(item) == RESULT else None)
"""The results in interactions for calls that they ran themselves, by the ids of the calls."""


INT_24: Final = WireRule(
    "INT-24",
    "The client answers no call whose result is among the steps of the interaction itself.",
    "An agent runs tools of its own, and its interaction has such calls with their results: a loop that answers each "
    "function_call that it finds runs them once more.",
    "likely",
    ("https://github.com/agno-agi/agno (a comment in GeminiInteractions)",),
    (ErrorTemplate(_INVALID),),
    applies="interactions of agents",
    wrong=(
        Wrong(
            "int-agent-answered",
            "The client answers a call that the agent has run.",
            lambda it: (
                "agent" in it.body
                and add(
                    [it.body],
                    "input",
                    {"type": "function_result", "call_id": "a0n1t2c3", "name": "list_files", "result": "nothing"},
                )
            ),
            "history-of-an-agent history-of-an-agent-whole",
        ),
    ),
)


@RULES.check("history", INT_24)
def open_calls_answered(request: InteractionRequest) -> Found:
    """INT-24. Without a stored interaction its own results go back as they came, once each."""
    done, stored = _done(request.issued), {step.id for step in request.stored if step.kind == RESULT}
    for step in _results(request):
        if step.id in done and (step.id in stored or step.native != done[step.id][-1]):
            yield INT_24.broken(step.at, expected="no result", got=f"that of {step.id}, which the agent has run")
        stored.add(step.id)


def _forget_the_calls(posted: Posted) -> bool:
    ids = {result["call_id"] for result in waiting(posted)}
    return keep(posted, lambda step: step["type"] != "function_call" or step["id"] not in ids)


def _begin_with_the_results(posted: Posted) -> bool:
    """Cut the history in front of them, without naming an interaction."""
    if not last(posted, "function_call"):
        return False
    number = max(at for at, step in enumerate(steps(posted)) if step["type"] == "function_call")
    del steps(posted)[: number + 1]
    return bool(waiting(posted))


INT_04: Final = WireRule(
    "INT-04",
    "Each function_result has the id of a function_call that the interaction before or an earlier step has.",
    "A loop that goes on from the wrong interaction, or has shortened its history, answers calls that the model does "
    "not see.",
    "likely",
    (_GENAI_3003,),
    (ErrorTemplate(_APART, seen=_SEEN_APART),),
    about=("results",),
    wrong=(
        Wrong(
            "int-result-of-nothing",
            "A result answers a call that there is not.",
            lambda it: put(last(it, "function_result"), call_id="zzzzzzzz"),
            "one-call stateful wrapped foreign",
            also=("INT-05",),
        ),
        Wrong("int-calls-forgotten", "The results go back without their calls.", _forget_the_calls, "two-calls"),
        Wrong(
            "int-begins-with-results",
            "A history that was shortened begins with results.",
            _begin_with_the_results,
            "two-calls wrapped-whole",
        ),
    ),
)


@RULES.check("history", INT_04)
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


def _speak_before_the_results(posted: Posted) -> bool:
    for result in waiting(posted)[:1]:
        at = next(
            number
            for number, step in enumerate(steps(posted))
            if step is result or any(each is result for each in step.get("content", ()))
        )
        steps(posted).insert(at, spoken("And quickly."))
        return True
    return False


INT_06: Final = WireRule(
    "INT-06",
    "Between the calls of a turn and the last of their results is nothing but results.",
    "A message of the user in front of the results separates them from their calls.",
    "likely",
    (_GENAI_3003, "the same back end refuses it on generateContent: GEM-05"),
    (ErrorTemplate(_APART),),
    about=("results",),
    wrong=(
        Wrong(
            "int-speech-before-results",
            "The user speaks between the calls and their results.",
            _speak_before_the_results,
            "two-calls stateful wrapped",
        ),
    ),
)


@RULES.check("history", INT_06)
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


def _lose_a_result(posted: Posted) -> bool:
    found = waiting(posted)
    if len(found) > 1:
        holder_of(posted, found[-1]).remove(found[-1])
    return len(found) > 1


def _speak_instead(posted: Posted) -> bool:
    """Where the results should be."""
    found = waiting(posted)
    for result in found:
        holder_of(posted, result).remove(result)
    keep(posted, lambda step: step.get("content", True))
    steps(posted).append(spoken("Never mind."))
    return bool(found)


def _speak_between_the_calls(posted: Posted) -> bool:
    at = places_of_calls(posted)
    if len(at) > 1:
        steps(posted).insert(at[-1], spoken("And quickly."))
    return len(at) > 1


def _answer_twice(posted: Posted) -> bool:
    for result in waiting(posted)[-1:]:
        holder_of(posted, result).append(dict(result))
        return True
    return False


INT_05: Final = WireRule(
    "INT-05",
    "Each function_call has one function_result, and it is in what the client sends next.",
    "A loop that is interrupted, or declines one of several calls, loses the interaction: it still requires the "
    "action.",
    "likely",
    (_GENAI_3003, _FUNCTIONS, "the same back end refuses it on generateContent: GEM-06"),
    (
        ErrorTemplate(_INVALID),
        ErrorTemplate(_INVALID, certainty="inferred", name="twice"),
    ),
    about=("results",),
    wrong=(
        Wrong("int-result-lost", "One of several calls has no result.", _lose_a_result, "two-calls stateful wrapped"),
        Wrong(
            "int-interrupted",
            "The user speaks where the results should be.",
            _speak_instead,
            "two-calls stateful wrapped",
        ),
        Wrong("int-result-twice", "A call has two results.", _answer_twice, "one-call stateful"),
        Wrong(
            "int-speech-between-calls",
            "The user speaks between two calls.",
            _speak_between_the_calls,
            "two-calls steps",
            also=("INT-13",),
        ),
    ),
)


@RULES.check("history", INT_05)
def calls_answered(request: InteractionRequest) -> Found:
    """INT-05: in what the client sends next, whatever comes after it."""
    for turn in _known(request):
        answered = {step.id for step in turn.results}
        for step in turn.calls:
            if step.id and step.id not in answered:
                place = turn.replied[0].at if turn.replied else "input"
                expected = f"the result of {step.id} ({brief(step.native.get('name'))})"
                yield INT_05.broken(place, expected=expected, got="no result of it")


@RULES.check("history", INT_05)
def results_once(request: InteractionRequest) -> Found:
    """INT-05, for a call that is answered again."""
    known = {step.id for turn in request.turns for step in turn.calls}
    seen: Counter[str] = Counter()
    done = _done(request.issued)
    for turn in _known(request):
        for step in turn.results:
            seen[step.id] += 1
            if step.sent and step.id in known and step.id not in done and seen[step.id] > 1:
                yield INT_05.broken(step.at, template="twice", expected="one result", got=f"{step.id} again")


INT_22: Final = WireRule(
    "INT-22",
    "The steps of a server tool go back where the steps around them do: each call with its result, signed as it came.",
    "A loop that keeps only the steps that it knows loses them or separates them, and the model has not searched.",
    "likely",
    ("https://ai.google.dev/gemini-api/docs/interactions/tool-combination.md.txt", _SDK),
    (ErrorTemplate(_INVALID),),
    wrong=(
        Wrong(
            "int-found-lost",
            "A search goes back without its result.",
            lambda it: remove(it, *last(it, "google_search_result")),
            "searched",
        ),
        Wrong(
            "int-search-lost",
            "The result of a search is alone.",
            lambda it: remove(it, *last(it, "google_search_call")),
            "searched",
        ),
        Wrong(
            "int-search-and-found-lost",
            "A search and its result are left out.",
            lambda it: keep(it, lambda step: not str(step["type"]).startswith("google_search")),
            "searched searched-older",
        ),
        Wrong(
            "int-search-unsigned",
            "A search goes back without its signature.",
            lambda it: drop(last(it, "google_search_call"), "signature"),
            "searched searched-older",
        ),
    ),
)


@RULES.check("history", INT_22)
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


@IssuedKind
def call_steps(turn: IssuedTurn) -> Iterator[tuple[str, tuple[Json, IssuedTurn]]]:
    """Each call with its turn, by its id."""
    yield from ((string(step.get("id")), (step, turn)) for step in turn.reply.items if kind_of(step) == CALL)


@RULES.check("history", INT_22)
def server_steps_sent(request: InteractionRequest) -> Found:
    """INT-22, for an issued answer: if its calls go back, the steps of server tools beside them go back, too."""
    sent = {(step.kind, step.id): step for step in request.sent}
    stored = {(step.kind, step.id) for step in request.stored}
    issued = call_steps(request.issued)
    turns = {turn.number: turn for kind, id in sent if kind == CALL for _, turn in issued.get(id, ())}
    for _, turn in sorted(turns.items()):
        calls = (sent.get((CALL, string(each.get("id")))) for each in turn.reply.items if kind_of(each) == CALL)
        first = next(call for call in calls if call is not None)
        for each in map(_issued_step, turn.reply.items):
            if (each.kind, each.id) in stored or not (is_server_call(each.kind) or is_server_result(each.kind)):
                continue
            back, place = sent.get((each.kind, each.id)), f"the {each.kind} {each.id}"
            if back is None:
                yield INT_22.broken(first.at, expected=place, got="none")
            elif each.signature and not back.signature:
                yield INT_22.broken(back.at, expected=f"{place} signed", got="no signature")


def _issued_step(native: Json) -> PlacedStep:
    return PlacedStep(native, "", sent=False)


# --- as issued ----------------------------------------------------------------------------------------------


INT_31: Final = WireRule(
    "INT-31",
    "To a model that takes no images in results, a result is no list of contents, even if it has text only.",
    "A list counts as a multimodal result; a text or an object does not.",
    "likely",
    ("https://github.com/allenhutchison/obsidian-gemini (a comment in its interactions mapper)",),
    (verbatim("Multimodal function responses are not supported for this model"),),
    applies="Gemini 2.5 and older",
    wrong=(
        Wrong(
            "int-result-listed",
            "A result is a list of contents.",
            lambda it: (
                fact(it, LISTED_RESULTS) is False
                and [
                    put([each], result=[{"type": "text", "text": str(each["result"])}])
                    for each in last(it, "function_result")
                ]
            ),
            "older",
        ),
    ),
)


@RULES.check("model", INT_31)
def results_without_lists(request: InteractionRequest) -> Found:
    """INT-31."""
    if request.fact(LISTED_RESULTS) is False:
        for step in _results(request):
            if isinstance(step.native.get("result"), list):
                yield INT_31.broken(step.at, expected="a text or an object", got="a list of contents")


@RULES.check("issued", INT_16)
def arguments_as_issued(request: InteractionRequest) -> Found:
    """INT-16, for a call that the endpoint has issued. Half a character may go back as U+FFFD: UTF-8 cannot say it."""
    for step in _calls(request):
        issued, _ = call_steps.last(request.issued, step.id) or (None, None)
        value = step.native.get("arguments", {})
        if issued is None or not isinstance(value, dict):
            continue
        arguments = issued.get("arguments", {})
        if not same_json(sendable_value(value), sendable_value(arguments)):
            yield INT_16.broken(step.at, template="changed", expected=brief(arguments), got=brief(value))


# --- pairs --------------------------------------------------------------------------------------------------


def _known(request: InteractionRequest) -> tuple[InteractionTurn, ...]:
    """The turns, if their calls are known: an unmatched id may belong to an unknown interaction."""
    return () if request.names_unknown else request.turns


def _answer_each_call_behind_it(posted: Posted) -> bool:
    results = {result["call_id"]: result for result in waiting(posted)}
    calls = [step for step in steps(posted) if step["type"] == "function_call" and step["id"] in results]
    if not 1 < len(calls) == len(results):
        return False
    for call in calls:
        holder_of(posted, results[call["id"]]).remove(results[call["id"]])
    keep(posted, lambda step: step.get("content", True))
    for call in calls:
        steps(posted).insert(steps(posted).index(call) + 1, results[call["id"]])
    return True


def _exchange_the_calls(posted: Posted) -> bool:
    at = places_of_calls(posted)
    if len(at) < 2:
        return False
    first, second = at[0], at[-1]
    steps(posted)[first], steps(posted)[second] = steps(posted)[second], steps(posted)[first]
    return True


INT_13: Final = WireRule(
    "INT-13",
    "The calls of one answer go back one behind the other, in their order, and all results behind them.",
    "A loop that writes each result behind its own call changes what the signature before the calls is about.",
    "likely",
    (
        "https://ai.google.dev/gemini-api/docs/interactions/thinking.md.txt (steps as received)",
        "https://github.com/LionWeb-io/TeXRA/pull/6550",
    ),
    (ErrorTemplate(_INVALID),),
    wrong=(
        Wrong(
            "int-results-between-calls",
            "Each result is behind its own call.",
            _answer_each_call_behind_it,
            "two-calls steps",
            also=("INT-05",),
        ),
        Wrong("int-calls-exchanged", "The calls go back in another order.", _exchange_the_calls, "two-calls"),
    ),
)


@RULES.check("issued", INT_13)
def order_as_issued(request: InteractionRequest) -> Found:
    """INT-13: the steps of an answer go back together, in their order."""
    at = {step.id: number for number, step in enumerate(request.sent) if step.kind == CALL}
    judged: set[str] = set()
    for step in _calls(request):
        found = call_steps.last(request.issued, step.id)
        items = found[1].reply.items if found else ()
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


def _send_the_calls_again(posted: Posted) -> bool:
    found = waiting(posted)
    if not (found and "previous_interaction_id" in posted.body) or last(posted, "function_call"):
        return False
    calls = [{"id": each["call_id"], "type": "function_call", "name": each["name"], "arguments": {}} for each in found]
    return add([posted.body], "input", *calls, at=0)


INT_20: Final = WireRule(
    "INT-20",
    "Beside previous_interaction_id the input has only what is new.",
    "Steps that the interactions have are in the history twice if they are sent again: nobody refuses it, the model "
    "reads it twice and the user pays for it.",
    "inferred",
    ("https://ai.google.dev/gemini-api/docs/interactions",),
    (ErrorTemplate("The history has the step twice.", status=200),),
    wrong=(
        Wrong(
            "int-calls-again",
            "The calls are sent beside the interaction that has them.",
            _send_the_calls_again,
            "stateful wrapped searched-stored",
        ),
    ),
)


@RULES.check("harm", INT_20)
def nothing_repeated(request: InteractionRequest) -> Found:
    """INT-20: the content of the named interactions is not sent again, except a thought."""
    stored = [each.native for each in request.stored if each.kind in (CALL, OUTPUT)]
    for step in request.sent:
        if step.kind in (CALL, OUTPUT) and any(_same(step.native, each) for each in stored):
            yield INT_20.broken(step.at, expected="only what is new", got=f"a {step.kind} that is stored")


def _same(one: Mapping[str, Any], other: Json) -> bool:
    if kind_of(one) == CALL:
        return bool(one.get("id")) and one.get("id") == other.get("id")
    return bool(one.get("content")) and one.get("content") == other.get("content")
