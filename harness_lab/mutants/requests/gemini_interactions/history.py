"""Calls, results and steps lost, doubled, moved and rewritten: INT-04 to 17, 20, 22 to 24, 31."""

from __future__ import annotations

from typing import Final

from harness.wire.base import Json
from harness.wire.gemini_interactions.models import LISTED_RESULTS, SIGNED_CALLS
from harness.wire.posted import Posted
from harness_lab.mutants.requests.gemini_interactions.base_requests import (
    AGENT,
    AGENT_WHOLE,
    FOREIGN,
    OLDER,
    ONE_CALL,
    SEARCHED,
    SEARCHED_OLDER,
    SEARCHED_STORED,
    SIGNED,
    STATEFUL,
    STEPS,
    TWO_CALLS,
    WRAPPED,
    WRAPPED_WHOLE,
)
from harness_lab.mutants.requests.gemini_interactions.finding import fact, holder_of, last, steps
from harness_lab.mutants.requests.mutant import RequestMutant

_NOWHERE: Final = "zzzzzzzz"


def _spoken(text: str) -> Json:
    return {"type": "user_input", "content": [{"type": "text", "text": text}]}


def _waiting(posted: Posted) -> list[Json]:
    """The results behind the last step of the model."""
    found: list[Json] = []
    for step in reversed(steps(posted)):
        if step["type"] == "function_result":
            found.insert(0, step)
        elif step["type"] == "user_input" and step["content"][0]["type"] == "function_result":
            found = [*step["content"], *found]
        elif step["type"] != "user_input":
            break
    return found


def answer_the_call_of_the_agent(posted: Posted) -> bool:
    """Send a result for a call that an agent has run itself."""
    if "agent" not in posted.body:
        return False
    result = {"type": "function_result", "call_id": "a0n1t2c3", "name": "list_files", "result": "nothing"}
    steps(posted).append(result)
    return True


# --- calls and results --------------------------------------------------------------------------------------


def answer_another_call(posted: Posted) -> bool:
    """Send the last result under an id that no call has."""
    for result in last(posted, "function_result"):
        result["call_id"] = _NOWHERE
        return True
    return False


def forget_the_calls(posted: Posted) -> bool:
    """Leave the last calls out of the history, and keep their results."""
    ids = {result["call_id"] for result in _waiting(posted)}
    kept = [step for step in steps(posted) if step["type"] != "function_call" or step["id"] not in ids]
    done = len(kept) < len(steps(posted))
    posted.body["input"] = kept
    return done


def begin_with_the_results(posted: Posted) -> bool:
    """Cut the history in front of the last results, without naming an interaction."""
    if not last(posted, "function_call"):
        return False
    number = max(at for at, step in enumerate(steps(posted)) if step["type"] == "function_call")
    del steps(posted)[: number + 1]
    return bool(_waiting(posted))


def lose_a_result(posted: Posted) -> bool:
    """Decline one of several calls, and send nothing for it."""
    waiting = _waiting(posted)
    if len(waiting) > 1:
        holder_of(posted, waiting[-1]).remove(waiting[-1])
    return len(waiting) > 1


def speak_instead(posted: Posted) -> bool:
    """Interrupt the loop, and say something where the results should be."""
    waiting = _waiting(posted)
    for result in waiting:
        holder_of(posted, result).remove(result)
    posted.body["input"] = [step for step in steps(posted) if step.get("content", True)]
    steps(posted).append(_spoken("Never mind."))
    return bool(waiting)


def answer_twice(posted: Posted) -> bool:
    """Send the last result twice."""
    for result in _waiting(posted)[-1:]:
        holder_of(posted, result).append(dict(result))
        return True
    return False


def speak_before_the_results(posted: Posted) -> bool:
    """Send what the user says next in front of the results."""
    for result in _waiting(posted)[:1]:
        at = next(
            number
            for number, step in enumerate(steps(posted))
            if step is result or any(each is result for each in step.get("content", ()))
        )
        steps(posted).insert(at, _spoken("And quickly."))
        return True
    return False


def speak_between_the_calls(posted: Posted) -> bool:
    """Send what the user says next between two calls of the last turn."""
    ids = {result["call_id"] for result in _waiting(posted)}
    at = [number for number, step in enumerate(steps(posted)) if step["type"] == "function_call" and step["id"] in ids]
    if len(at) > 1:
        steps(posted).insert(at[-1], _spoken("And quickly."))
    return len(at) > 1


def lose_the_name(posted: Posted) -> bool:
    """Send the last result without the name of its tool."""
    for result in last(posted, "function_result"):
        return result.pop("name", None) is not None
    return False


def name_another_tool(posted: Posted) -> bool:
    """Send the last result under the name of another tool."""
    for result in last(posted, "function_result"):
        result["name"] = "delete_everything"
        return True
    return False


def lose_the_id(posted: Posted) -> bool:
    """Send the last result without the id of its call."""
    for result in last(posted, "function_result"):
        return result.pop("call_id", None) is not None
    return False


def return_nothing(posted: Posted) -> bool:
    """Return what the tool has returned: nothing."""
    for result in last(posted, "function_result"):
        result["result"] = None
        return True
    return False


def return_a_list(posted: Posted) -> bool:
    """Return a list of contents to a model that takes none."""
    if fact(posted, LISTED_RESULTS) is not False:
        return False
    for result in last(posted, "function_result"):
        result["result"] = [{"type": "text", "text": str(result["result"])}]
        return True
    return False


# --- the model's steps --------------------------------------------------------------------------------------


def forget_the_thoughts(posted: Posted) -> bool:
    """Send the calls without the thoughts in front of them."""
    if not (fact(posted, SIGNED_CALLS) and last(posted, "function_call")):
        return False
    kept = [step for step in steps(posted) if step["type"] != "thought"]
    done = len(kept) < len(steps(posted))
    posted.body["input"] = kept
    return done


def think_behind_the_calls(posted: Posted) -> bool:
    """Send the thoughts of each turn behind its calls."""
    if not (fact(posted, SIGNED_CALLS) and last(posted, "function_call")):
        return False
    for call in last(posted, "function_call"):
        at = steps(posted).index(call)
        thought = next((each for each in reversed(steps(posted)[:at]) if each["type"] == "thought"), None)
        if thought is not None:
            steps(posted).remove(thought)
            steps(posted).insert(steps(posted).index(call) + 1, thought)
            return True
    return False


def empty_the_signature(posted: Posted) -> bool:
    """Read the thought from the start of its step, which has no signature."""
    for thought in last(posted, "thought"):
        thought["signature"] = ""
        return True
    return False


def lose_the_signature(posted: Posted) -> bool:
    """Keep only what can be read of the thought."""
    for thought in last(posted, "thought"):
        return thought.pop("signature", None) is not None
    return False


def forge_the_signature(posted: Posted) -> bool:
    """Put another signature under the thought."""
    for thought in last(posted, "thought"):
        thought["signature"] = thought["signature"][::-1]
        return True
    return False


def bypass_the_signature(posted: Posted) -> bool:
    """Put the value in the place of the signature that skips its check."""
    for thought in last(posted, "thought"):
        thought["signature"] = "skip_thought_signature_validator"
        return True
    return False


def answer_each_call_behind_it(posted: Posted) -> bool:
    """Send each result behind its own call."""
    results = {result["call_id"]: result for result in _waiting(posted)}
    calls = [step for step in steps(posted) if step["type"] == "function_call" and step["id"] in results]
    if not 1 < len(calls) == len(results):
        return False
    for call in calls:
        holder_of(posted, results[call["id"]]).remove(results[call["id"]])
    posted.body["input"] = [step for step in steps(posted) if step.get("content", True)]
    for call in calls:
        steps(posted).insert(steps(posted).index(call) + 1, results[call["id"]])
    return True


def exchange_the_calls(posted: Posted) -> bool:
    """Send the calls of the last turn in another order."""
    ids = {result["call_id"] for result in _waiting(posted)}
    at = [number for number, step in enumerate(steps(posted)) if step["type"] == "function_call" and step["id"] in ids]
    if len(at) < 2:
        return False
    first, second = at[0], at[-1]
    steps(posted)[first], steps(posted)[second] = steps(posted)[second], steps(posted)[first]
    return True


def write_the_arguments(posted: Posted) -> bool:
    """Send the arguments as the text that the stream has brought."""
    for call in last(posted, "function_call"):
        call["arguments"] = '{"path": "src/app.py"}'
        return True
    return False


def repair_the_arguments(posted: Posted) -> bool:
    """Complete the arguments of the last call."""
    for call in last(posted, "function_call"):
        call["arguments"] = {**call["arguments"], "encoding": "utf-8"}
        return True
    return False


def send_the_calls_again(posted: Posted) -> bool:
    """Send the calls beside the interaction that holds them."""
    waiting = _waiting(posted)
    if not (waiting and "previous_interaction_id" in posted.body) or last(posted, "function_call"):
        return False
    calls = [
        {"id": each["call_id"], "type": "function_call", "name": each["name"], "arguments": {}} for each in waiting
    ]
    steps(posted)[:0] = calls
    return True


# --- server tools -------------------------------------------------------------------------------------------


def lose_what_was_found(posted: Posted) -> bool:
    """Leave the result of the search out."""
    for step in last(posted, "google_search_result"):
        steps(posted).remove(step)
        return True
    return False


def lose_the_search(posted: Posted) -> bool:
    """Leave the search out, and keep its result."""
    for step in last(posted, "google_search_call"):
        steps(posted).remove(step)
        return True
    return False


def lose_both(posted: Posted) -> bool:
    """Leave the search out, and what it has found."""
    kept = [step for step in steps(posted) if not str(step["type"]).startswith("google_search")]
    done = len(kept) < len(steps(posted))
    posted.body["input"] = kept
    return done


def lose_the_signature_of_the_search(posted: Posted) -> bool:
    """Send the search back without its signature."""
    for step in last(posted, "google_search_call"):
        return step.pop("signature", None) is not None
    return False


def forge_the_signature_of_the_search(posted: Posted) -> bool:
    """Send the search back under another signature."""
    for step in last(posted, "google_search_call"):
        step["signature"] = "CwpE"
        return True
    return False


def answer_the_search(posted: Posted) -> bool:
    """Take the search for a call that is to be run."""
    for step in last(posted, "google_search_call"):
        result = {"type": "function_result", "call_id": step["id"], "name": "google_search", "result": "unknown tool"}
        steps(posted).append(result)
        return True
    return False


HISTORY: Final = (
    RequestMutant(
        "int-result-of-nothing",
        "A result answers a call that there is not.",
        ("INT-04", "INT-05"),
        answer_another_call,
        (ONE_CALL, STATEFUL, WRAPPED, FOREIGN),
    ),
    RequestMutant(
        "int-calls-forgotten", "The results go back without their calls.", ("INT-04",), forget_the_calls, (TWO_CALLS,)
    ),
    RequestMutant(
        "int-begins-with-results",
        "A history that was shortened begins with results.",
        ("INT-04",),
        begin_with_the_results,
        (TWO_CALLS, WRAPPED_WHOLE),
    ),
    RequestMutant(
        "int-result-lost",
        "One of several calls has no result.",
        ("INT-05",),
        lose_a_result,
        (TWO_CALLS, STATEFUL, WRAPPED),
    ),
    RequestMutant(
        "int-interrupted",
        "The user speaks where the results should be.",
        ("INT-05",),
        speak_instead,
        (TWO_CALLS, STATEFUL, WRAPPED),
    ),
    RequestMutant("int-result-twice", "A call has two results.", ("INT-05",), answer_twice, (ONE_CALL, STATEFUL)),
    RequestMutant(
        "int-speech-before-results",
        "The user speaks between the calls and their results.",
        ("INT-06",),
        speak_before_the_results,
        (TWO_CALLS, STATEFUL, WRAPPED),
    ),
    RequestMutant(
        "int-speech-between-calls",
        "The user speaks between two calls.",
        ("INT-05", "INT-13"),
        speak_between_the_calls,
        (TWO_CALLS, STEPS),
    ),
    RequestMutant("int-name-lost", "A result has no name.", ("INT-07",), lose_the_name, (ONE_CALL, STATEFUL, WRAPPED)),
    RequestMutant(
        "int-name-of-another", "A result has the name of another tool.", ("INT-08",), name_another_tool, (ONE_CALL,)
    ),
    RequestMutant("int-id-lost", "A result has no call_id.", ("INT-09", "INT-05"), lose_the_id, (ONE_CALL, WRAPPED)),
    RequestMutant(
        "int-thoughts-forgotten",
        "The calls go back without the thought before them.",
        ("INT-10",),
        forget_the_thoughts,
        (TWO_CALLS, STEPS, ONE_CALL, FOREIGN),
    ),
    RequestMutant(
        "int-thought-behind-calls",
        "The thought goes back behind the calls that it signs.",
        ("INT-10",),
        think_behind_the_calls,
        (ONE_CALL, TWO_CALLS),
    ),
    RequestMutant(
        "int-signature-empty",
        "A thought goes back with an empty signature.",
        ("INT-11",),
        empty_the_signature,
        (ONE_CALL, SIGNED),
    ),
    RequestMutant(
        "int-signature-lost",
        "A thought goes back without its signature.",
        ("INT-11",),
        lose_the_signature,
        (ONE_CALL, FOREIGN),
    ),
    RequestMutant(
        "int-signature-forged",
        "A thought goes back with another signature.",
        ("INT-12",),
        forge_the_signature,
        (ONE_CALL, SIGNED),
    ),
    RequestMutant(
        "int-signature-skipped",
        "A thought goes back with a bypass value.",
        ("INT-15",),
        bypass_the_signature,
        (ONE_CALL, SIGNED),
    ),
    RequestMutant(
        "int-results-between-calls",
        "Each result is behind its own call.",
        ("INT-13", "INT-05"),
        answer_each_call_behind_it,
        (TWO_CALLS, STEPS),
    ),
    RequestMutant(
        "int-calls-exchanged", "The calls go back in another order.", ("INT-13",), exchange_the_calls, (TWO_CALLS,)
    ),
    RequestMutant(
        "int-arguments-text", "Arguments go back as a text.", ("INT-16",), write_the_arguments, (ONE_CALL, FOREIGN)
    ),
    RequestMutant(
        "int-arguments-completed", "Arguments go back completed.", ("INT-16",), repair_the_arguments, (ONE_CALL,)
    ),
    RequestMutant("int-result-null", "A result is null.", ("INT-17",), return_nothing, (ONE_CALL, STATEFUL)),
    RequestMutant(
        "int-calls-again",
        "The calls are sent beside the interaction that has them.",
        ("INT-20",),
        send_the_calls_again,
        (STATEFUL, WRAPPED, SEARCHED_STORED),
    ),
    RequestMutant(
        "int-found-lost", "A search goes back without its result.", ("INT-22",), lose_what_was_found, (SEARCHED,)
    ),
    RequestMutant("int-search-lost", "The result of a search is alone.", ("INT-22",), lose_the_search, (SEARCHED,)),
    RequestMutant(
        "int-search-and-found-lost",
        "A search and its result are left out.",
        ("INT-22",),
        lose_both,
        (SEARCHED, SEARCHED_OLDER),
    ),
    RequestMutant(
        "int-search-unsigned",
        "A search goes back without its signature.",
        ("INT-22",),
        lose_the_signature_of_the_search,
        (SEARCHED, SEARCHED_OLDER),
    ),
    RequestMutant(
        "int-search-forged",
        "A search goes back under another signature.",
        ("INT-12",),
        forge_the_signature_of_the_search,
        (SEARCHED,),
    ),
    RequestMutant(
        "int-search-answered", "The client answers the provider's search.", ("INT-23",), answer_the_search, (SEARCHED,)
    ),
    RequestMutant(
        "int-agent-answered",
        "The client answers a call that the agent has run.",
        ("INT-24",),
        answer_the_call_of_the_agent,
        (AGENT, AGENT_WHOLE),
    ),
    RequestMutant("int-result-listed", "A result is a list of contents.", ("INT-31",), return_a_list, (OLDER,)),
)
