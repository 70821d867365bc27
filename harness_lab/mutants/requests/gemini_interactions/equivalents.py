"""What is accepted, though one could think otherwise. Most of it was recorded, or is what clients send."""

from __future__ import annotations

from typing import Final

from harness.wire.gemini_interactions.models import LISTED_RESULTS, SIGNED_CALLS
from harness.wire.posted import Posted
from harness_lab.mutants.requests.gemini_interactions.base_requests import (
    FOREIGN,
    OLDER,
    ONE_CALL,
    SEARCHED,
    SEARCHED_OLDER,
    SIGNED,
    STATEFUL,
    STEPS,
    TEXTS,
    TEXTS_STORED,
    TWO_CALLS,
    WRAPPED,
    WRAPPED_WHOLE,
)
from harness_lab.mutants.requests.gemini_interactions.finding import fact, last, of_kind, steps
from harness_lab.mutants.requests.mutant import EquivalentRequest


def wrap_each_result(posted: Posted) -> bool:
    """Put each result into a ``user_input`` of its own."""
    found = False
    for number, step in enumerate(steps(posted)):
        if step["type"] == "function_result":
            steps(posted)[number] = {"type": "user_input", "content": [step]}
            found = True
    return found


def sign_the_call(posted: Posted) -> bool:
    """Leave the thought out, and put its signature on the call behind it."""
    for number, step in enumerate(steps(posted)):
        behind = steps(posted)[number + 1 : number + 2]
        if step["type"] == "thought" and step.get("signature") and behind and behind[0]["type"] == "function_call":
            behind[0]["signature"] = step["signature"]
            del steps(posted)[number]
            return True
    return False


def fail(posted: Posted) -> bool:
    """Say that the last tool has failed."""
    for result in last(posted, "function_result"):
        result["is_error"] = True
        return True
    return False


def return_an_object(posted: Posted) -> bool:
    """Return JSON as JSON."""
    for result in of_kind(posted, "function_result"):
        result["result"] = {"sum": 18.0}
    return bool(of_kind(posted, "function_result"))


def return_a_picture(posted: Posted) -> bool:
    """Return a text and a picture, to a model that takes them."""
    if fact(posted, LISTED_RESULTS) is False:
        return False
    for result in last(posted, "function_result"):
        result["result"] = [
            {"type": "text", "text": "a plot"},
            {"type": "image", "mime_type": "image/png", "data": "iVBORw0KGgo="},
        ]
        return True
    return False


def exchange_the_results(posted: Posted) -> bool:
    """Send the results in the order in which the tools were done."""
    at = [number for number, step in enumerate(steps(posted)) if step["type"] == "function_result"]
    if len(at) < 2 or at[-1] != at[-2] + 1:
        return False
    steps(posted)[at[-2]], steps(posted)[at[-1]] = steps(posted)[at[-1]], steps(posted)[at[-2]]
    return True


def speak_behind_the_results(posted: Posted) -> bool:
    """Send what the user says next behind the results."""
    steps(posted).append({"type": "user_input", "content": [{"type": "text", "text": "And quickly."}]})
    return True


def speak_twice_behind_the_results(posted: Posted) -> bool:
    """Send what the user says next behind the results, in two steps."""
    return speak_behind_the_results(posted) and speak_behind_the_results(posted)


def quote_the_model(posted: Posted) -> bool:
    """Say what the stored answer to the first question has said."""
    steps(posted).append({"type": "user_input", "content": [{"text": "It prints a line.", "type": "text"}]})
    return True


def note_a_call(posted: Posted) -> bool:
    """Begin with a text of nobody's that has the id of the call which the stored interaction waits for."""
    for result in last(posted, "function_result"):
        note = {
            "type": "model_output",
            "id": result["call_id"],
            "content": [{"type": "text", "text": "I have looked."}],
        }
        steps(posted).insert(0, note)
        return True
    return False


def sign_no_call(posted: Posted) -> bool:
    """Send the calls to a model that need sign nothing without the signatures that they came with."""
    if fact(posted, SIGNED_CALLS):
        return False
    signed = [step for step in of_kind(posted, "function_call") if step.pop("signature", None)]
    return bool(signed)


def speak_in_a_text(posted: Posted) -> bool:
    """Send what the user says as the whole input."""
    if len(steps(posted)) != 1 or steps(posted)[0]["type"] != "user_input":
        return False
    if steps(posted)[0]["content"][0]["type"] != "text":
        return False
    posted.body["input"] = steps(posted)[0]["content"][0]["text"]
    return True


def speak_in_contents(posted: Posted) -> bool:
    """Send what the user says as contents, without a step around them."""
    for number, step in enumerate(steps(posted)):
        if step["type"] == "user_input" and step["content"][0]["type"] == "text":
            steps(posted)[number : number + 1] = step["content"]
            return True
    return False


def invent_an_answer(posted: Posted) -> bool:
    """Begin with an answer that no model has given."""
    if "previous_interaction_id" in posted.body:
        return False
    steps(posted).insert(1, {"type": "model_output", "content": [{"type": "text", "text": "Acknowledged."}]})
    steps(posted).insert(2, {"type": "user_input", "content": [{"type": "text", "text": "Well?"}]})
    return True


def ask_for_few_words(posted: Posted) -> bool:
    """Send a setting that the types of the SDK do not know, as was recorded."""
    posted.body.setdefault("generation_config", {})["top_k"] = 1
    return True


def settle_nothing(posted: Posted) -> bool:
    """Leave the settings out."""
    return posted.body.pop("generation_config", None) is not None


def ask_an_agent(posted: Posted) -> bool:
    """Ask an agent in place of the model."""
    posted.body.pop("model")
    posted.body["agent"] = "antigravity-preview-09-2026"
    return True


def allow_one_tool(posted: Posted) -> bool:
    """Allow one of the tools."""
    choice = {"allowed_tools": {"mode": "validated", "tools": ["read_file"]}}
    posted.body.setdefault("generation_config", {})["tool_choice"] = choice
    return True


EQUIVALENTS: Final = (
    EquivalentRequest(
        "int-results-wrapped",
        "Results are in a user_input.",
        (),
        wrap_each_result,
        (ONE_CALL, TWO_CALLS, STATEFUL, STEPS, FOREIGN),
    ),
    EquivalentRequest(
        "int-call-signed", "The call has the signature of the thought.", ("INT-14",), sign_the_call, (ONE_CALL, FOREIGN)
    ),
    EquivalentRequest("int-failed", "A tool has failed.", (), fail, (ONE_CALL, STATEFUL, WRAPPED)),
    EquivalentRequest(
        "int-result-object", "A result is an object.", (), return_an_object, (ONE_CALL, WRAPPED, OLDER, WRAPPED_WHOLE)
    ),
    EquivalentRequest("int-result-picture", "A result has a picture.", (), return_a_picture, (ONE_CALL, SIGNED)),
    EquivalentRequest(
        "int-results-exchanged", "Results come as the tools are done.", (), exchange_the_results, (TWO_CALLS, STATEFUL)
    ),
    EquivalentRequest(
        "int-speech-behind", "The user speaks behind the results.", (), speak_behind_the_results, (TWO_CALLS, STATEFUL)
    ),
    EquivalentRequest(
        "int-speech-twice",
        "The user speaks twice behind the results.",
        (),
        speak_twice_behind_the_results,
        (TWO_CALLS, STATEFUL),
    ),
    EquivalentRequest("int-quoted", "The user says what the model has said.", (), quote_the_model, (TEXTS_STORED,)),
    EquivalentRequest("int-call-noted", "A text has the id of a stored call.", (), note_a_call, (STATEFUL,)),
    EquivalentRequest(
        "int-older-unsigned", "An older model's calls lose their signatures.", (), sign_no_call, (SEARCHED_OLDER,)
    ),
    EquivalentRequest("int-input-text", "The input is a text.", (), speak_in_a_text, (TEXTS_STORED,)),
    EquivalentRequest("int-input-contents", "The input has contents.", (), speak_in_contents, (TEXTS, STEPS)),
    EquivalentRequest(
        "int-foreign-answer", "An answer is nobody's.", (), invent_an_answer, (TEXTS, ONE_CALL, SEARCHED)
    ),
    EquivalentRequest("int-top-k", "A setting is unknown to the types.", (), ask_for_few_words, (TEXTS,)),
    EquivalentRequest("int-no-settings", "Nothing is set.", (), settle_nothing, (STATEFUL, ONE_CALL)),
    EquivalentRequest("int-agent", "An agent is asked.", (), ask_an_agent, (TEXTS,)),
    EquivalentRequest("int-one-tool-allowed", "One tool is allowed.", (), allow_one_tool, (ONE_CALL,)),
)
