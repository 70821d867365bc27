"""Mistakes in calls, their outputs, and the history as a whole: OAI-10 to OAI-13, OAI-18, OAI-19, OAI-28,
OAI-COMPACT, OAI-CONNECTION."""

from __future__ import annotations

from copy import deepcopy

from harness.wire.posted import Edit, Posted
from harness_lab.mutants.requests.mutant import RequestMutant
from harness_lab.mutants.requests.openai_responses.base_requests import (
    CUSTOM,
    DEEPSEEK,
    FOREIGN,
    NAMED,
    ONE_CALL,
    PARALLEL,
    PICTURES,
    PLAIN,
    REFERENCES,
    SEVERAL,
    SOCKET,
    STORED,
    THREAD,
)
from harness_lab.mutants.requests.openai_responses.making import OTHER_TEXT, mutant
from harness_lab.mutants.requests.openai_responses.places import (
    CALLS,
    OUTPUTS,
    answered_calls,
    is_by,
    items,
    kind_of,
    names_its_history,
    places,
    single,
)

# --- calls and their outputs ------------------------------------------------------------------------------------


def _outputs(posted: Posted) -> list[int]:
    """The outputs of calls that the request has, or that the response has which it names; each id used once."""
    called = {items(posted)[place].get("call_id") for place in places(posted, *CALLS)}
    known = bool(posted.body.get("previous_response_id"))
    return [place for place in single(posted, *OUTPUTS) if known or items(posted)[place].get("call_id") in called]


def forget_a_result(posted: Posted) -> bool:
    """Remove the last result."""
    found = _outputs(posted)
    if not found:
        return False
    del items(posted)[found[-1]]
    return True


def rename_a_result(posted: Posted) -> bool:
    """Give the last result the id of no call."""
    found = _outputs(posted)
    if not found:
        return False
    items(posted)[found[-1]]["call_id"] = "call_of_nobody"
    return True


def answer_in_another_kind(posted: Posted) -> bool:
    """Answer a function call as a custom tool call, or the other way round."""
    found = _outputs(posted)
    if not found:
        return False
    item = items(posted)[found[-1]]
    item["type"] = OUTPUTS[1 - OUTPUTS.index(item["type"])]
    return True


def speak_between_calls(posted: Posted) -> bool:
    """Only servers that want a turn's calls side by side refuse it."""
    found = places(posted, *CALLS)
    pair = next((place for place in found if place + 1 in found), None)
    if pair is None or not str(posted.body.get("model")).startswith("deepseek"):
        return False
    items(posted).insert(pair + 1, dict(OTHER_TEXT))
    return True


def go_on_elsewhere(posted: Posted) -> bool:
    """Name the response of one WebSocket on another."""
    if not posted.connection or not posted.body.get("previous_response_id") or posted.body.get("store") is not False:
        return False
    posted.connection += 1
    return True


def go_on_over_http(posted: Posted) -> bool:
    """Name the response of a WebSocket in a request over HTTP."""
    if not go_on_elsewhere(posted):
        return False
    posted.connection = 0
    return True


def compact_too_early(posted: Posted) -> bool:
    """Have the history compacted before the last call has its output."""
    if not forget_a_result(posted):
        return False
    posted.path += "/compact"
    return True


def forget_a_call(posted: Posted) -> bool:
    """Remove a call and leave its result."""
    for call, _ in answered_calls(posted):
        del items(posted)[call]
        return True
    return False


def send_an_old_call_again(posted: Posted) -> bool:
    """Send a call that an earlier request has sent, to whom keeps it."""
    if not names_its_history(posted):
        return False
    call = {"type": "function_call", "id": "fc_o", "call_id": "call_o", "name": "read_file", "arguments": "{}"}
    items(posted).append(call)
    return True


def trim_the_front(posted: Posted) -> bool:
    """Everything up to the first output goes, as a window over the history does it."""
    first = next((place for place in places(posted, *OUTPUTS)), None)
    if first is None or not any(call < first for call, _ in answered_calls(posted)):
        return False
    del items(posted)[:first]
    return True


def answer_what_nobody_asked(posted: Posted) -> bool:
    """Append the result of a call that does not exist."""
    if posted.body.get("conversation"):
        return False  # nobody knows what is in it
    items(posted).append({"type": "function_call_output", "call_id": "call_of_nobody", "output": "ok"})
    return bool(items(posted))


def answer_twice(posted: Posted) -> bool:
    """Append a second result of the last call."""
    found = places(posted, *OUTPUTS)
    if not found:
        return False
    items(posted).append({**items(posted)[found[-1]], "output": "later"})
    return True


def give_two_calls_one_id(posted: Posted) -> bool:
    """Give two calls and their results one call id."""
    (first, first_output), (second, second_output) = (*answered_calls(posted), (-1, -1), (-1, -1))[:2]
    history = items(posted)
    if second < 0 or history[first]["type"] != history[second]["type"]:
        return False
    for place in (second, second_output):
        history[place]["call_id"] = history[first]["call_id"]
    return first_output >= 0


def answer_before_the_call(posted: Posted) -> bool:
    """Move a result in front of all other items."""
    for _, output in answered_calls(posted):
        items(posted).insert(0, items(posted).pop(output))
        return True
    return False


# --- histories that are named -----------------------------------------------------------------------------------


def name_an_unknown_response(posted: Posted) -> bool:
    """Continue from a response that the endpoint has never sent."""
    posted.body["previous_response_id"] = "resp_of_nobody"
    return True


def name_a_deleted_conversation(posted: Posted) -> bool:
    """Go on in a conversation that was deleted."""
    if not isinstance(posted.body.get("conversation"), str):
        return False
    posted.body["conversation"] = "conv_that_was_deleted"
    posted.deleted = ("conv_that_was_deleted",)
    return True


def name_two_histories(posted: Posted) -> bool:
    """Name an earlier response and a conversation in one request."""
    posted.body.setdefault("previous_response_id", "resp_of_nobody")
    posted.body["conversation"] = {"id": "conv_of_nobody"}
    return True


# --- growth -----------------------------------------------------------------------------------------------------


def _last_before_calls(posted: Posted, *roles: str) -> int | None:
    """The first message of a role that the model has answered."""
    if names_its_history(posted):
        return None
    spoken = [place for place, item in enumerate(items(posted)) if kind_of(item) in CALLS or is_by(item, "assistant")]
    found = (place for place, item in enumerate(items(posted)) if is_by(item, *roles))
    return next((place for place in found if spoken and place < spoken[-1]), None)


def forget_the_question(posted: Posted) -> bool:
    """Remove the user's last message in front of the calls."""
    place = _last_before_calls(posted, "user")
    if place is None:
        return False
    del items(posted)[place]
    return True


def rewrite_the_instructions(posted: Posted) -> bool:
    """Replace the last instructions in front of the calls by others."""
    place = _last_before_calls(posted, "system", "developer")
    if place is None:
        return False
    items(posted)[place] = {**items(posted)[place], "content": "It is the 3rd of May, 10:31."}
    return True


def say_something_first(posted: Posted) -> bool:
    """Insert a message of the user at the beginning."""
    if _last_before_calls(posted, "user") is None:
        return False
    items(posted).insert(0, {"role": "user", "content": "By the way."})
    return True


def _rewriting_a_call(arguments: str) -> Edit:
    """The first call that is sent back has other arguments."""

    def edit(posted: Posted) -> bool:
        found = [place for place in places(posted, "function_call") if not names_its_history(posted)]
        for place in found:
            items(posted)[place] = {**deepcopy(items(posted)[place]), "arguments": arguments}
            return True
        return False

    return edit


MUTANTS: tuple[RequestMutant, ...] = (
    mutant(
        "result-forgotten",
        "The answer to the last call is not sent.",
        ("OAI-10",),
        forget_a_result,
        PARALLEL,
        ONE_CALL,
        NAMED,
        CUSTOM,
        FOREIGN,
        PICTURES,
    ),
    mutant(
        "result-renamed",
        "A result names a call that was never made.",
        ("OAI-10", "OAI-11"),
        rename_a_result,
        PARALLEL,
        NAMED,
        CUSTOM,
        FOREIGN,
    ),
    mutant(
        "result-of-another-kind",
        "A result has the kind of another tool.",
        ("OAI-10", "OAI-11"),
        answer_in_another_kind,
        CUSTOM,
        PARALLEL,
        NAMED,
    ),
    mutant(
        "calls-parted",
        "Text is between the calls of a turn.",
        ("OAI-10",),
        speak_between_calls,
        DEEPSEEK,
    ),
    mutant(
        "compacted-too-early",
        "The history is compacted between a call and its output.",
        ("OAI-COMPACT",),
        compact_too_early,
        PARALLEL,
        NAMED,
    ),
    mutant(
        "call-forgotten", "A call is left out, its result is not.", ("OAI-11",), forget_a_call, PLAIN, CUSTOM, FOREIGN
    ),
    mutant(
        "call-sent-again",
        "A call is sent again, though the history that is named has it.",
        ("OAI-09", "OAI-10"),
        send_an_old_call_again,
        THREAD,
        NAMED,
    ),
    mutant(
        "front-trimmed", "A window over the history cuts a turn in two.", ("OAI-11",), trim_the_front, PLAIN, SEVERAL
    ),
    mutant(
        "result-forged",
        "A result answers a call that was never made.",
        ("OAI-11",),
        answer_what_nobody_asked,
        PLAIN,
        NAMED,
        FOREIGN,
        REFERENCES,
    ),
    mutant("result-twice", "A call is answered twice.", ("OAI-12",), answer_twice, ONE_CALL, NAMED, THREAD, CUSTOM),
    mutant("id-for-two-calls", "Two calls have one id.", ("OAI-12",), give_two_calls_one_id, PARALLEL, PLAIN),
    mutant(
        "result-before-call",
        "A result precedes its call.",
        ("OAI-13",),
        answer_before_the_call,
        PLAIN,
        ONE_CALL,
        CUSTOM,
    ),
    mutant(
        "previous-unknown",
        "The response that is named was never sent.",
        ("OAI-18",),
        name_an_unknown_response,
        NAMED,
        ONE_CALL,
        FOREIGN,
    ),
    mutant(
        "conversation-deleted",
        "The conversation that is named was deleted.",
        ("OAI-CONVERSATION",),
        name_a_deleted_conversation,
        THREAD,
    ),
    mutant(
        "response-of-another-connection",
        "The response that is named lives in the WebSocket before this one.",
        ("OAI-CONNECTION",),
        go_on_elsewhere,
        SOCKET,
    ),
    mutant(
        "response-of-a-connection-over-http",
        "The response that a request over HTTP names lives in a WebSocket.",
        ("OAI-CONNECTION",),
        go_on_over_http,
        SOCKET,
    ),
    mutant("histories-two", "A response and a conversation are named.", ("OAI-19",), name_two_histories, NAMED, THREAD),
    mutant(
        "question-forgotten",
        "The oldest message is dropped to save tokens.",
        ("OAI-28",),
        forget_the_question,
        ONE_CALL,
        SEVERAL,
        PLAIN,
    ),
    mutant(
        "instructions-rewritten",
        "The time is in the instructions, anew in each request.",
        ("OAI-28",),
        rewrite_the_instructions,
        ONE_CALL,
        PLAIN,
    ),
    mutant(
        "question-pushed-back",
        "Something new precedes the history.",
        ("OAI-28",),
        say_something_first,
        ONE_CALL,
        STORED,
    ),
    mutant(
        "call-rewritten",
        "A call comes back with other arguments.",
        ("OAI-28",),
        _rewriting_a_call('{"path": "rewritten"}'),
        ONE_CALL,
        PLAIN,
    ),
    mutant(
        "call-rewritten-without-an-end",
        "A call comes back with arguments that are nested deeper than a parser goes.",
        ("OAI-28",),
        _rewriting_a_call("[" * 100_000),
        ONE_CALL,
    ),
)
