"""What is accepted, though one could think otherwise. Most of it was recorded."""

from __future__ import annotations

from typing import Final

from harness.wire.bedrock_converse.models import CLAUDE, FREE_FIRST, LONE_RESULTS
from harness.wire.posted import Posted
from harness_lab.mutants.requests.bedrock_converse.base_requests import (
    DOCUMENTS,
    FOREIGN,
    GPT,
    LLAMA,
    NOVA,
    ONE_CALL,
    REDACTED,
    SONNET_4_6,
    STEPS,
    TEXTS,
    THINKING,
    TWO_CALLS,
    WITHOUT_THINKING,
)
from harness_lab.mutants.requests.bedrock_converse.finding import (
    blocks,
    call_turns,
    fact,
    last_answers,
    messages,
    result_turns,
    tool_config,
)
from harness_lab.mutants.requests.mutant import EquivalentRequest


def speak_beside_the_results(posted: Posted) -> bool:
    """Send the user's next words with the results, to a model that takes both."""
    for message in result_turns(posted)[-1:]:
        message["content"].append({"text": "And quickly."})
    return not fact(posted, LONE_RESULTS)


def begin_with_an_answer_of_claude(posted: Posted) -> bool:
    """Cut the history in front of the first answer, for a Claude that takes that."""
    answers = [message for message in messages(posted) if message["role"] == "assistant"]
    if answers:
        del messages(posted)[: messages(posted).index(answers[0])]
    return bool(answers) and bool(fact(posted, FREE_FIRST))


def speak_twice_to_nova(posted: Posted) -> bool:
    """Send the user's next words in a message of their own, to a Nova."""
    messages(posted).append({"role": "user", "content": [{"text": "And quickly."}]})
    return True


def leave_the_status_out(posted: Posted) -> bool:
    """Send results without a status."""
    for answer in last_answers(posted):
        answer.pop("status", None)
    return bool(last_answers(posted))


def return_an_object(posted: Posted) -> bool:
    """Return JSON as JSON."""
    for answer in last_answers(posted):
        answer["content"] = [{"json": {"files": ["app.py"]}}]
    return bool(last_answers(posted))


def fail_with_a_text(posted: Posted) -> bool:
    """Say that the tools have failed, and why."""
    for answer in last_answers(posted):
        answer["status"] = "error"
    return bool(last_answers(posted))


def return_results_backwards(posted: Posted) -> bool:
    """Send the results in another order than the calls."""
    for message in result_turns(posted)[-1:]:
        message["content"].reverse()
    return True


def keep_the_type(posted: Posted) -> bool:
    """Send calls back with the type that Claude's have."""
    for message in call_turns(posted):
        for block in blocks(message, "toolUse"):
            block["toolUse"]["type"] = "tool_use"
    return True


def add_a_cache_point(posted: Posted) -> bool:
    """Mark the end of the tools and of the last message."""
    tool_config(posted)["tools"].append({"cachePoint": {"type": "default"}})
    messages(posted)[-1]["content"].append({"cachePoint": {"type": "default"}})
    return True


def part_with_white_space(posted: Posted) -> bool:
    """Put a new line between a document and a mark."""
    at = next(at for at, block in enumerate(messages(posted)[0]["content"]) if "cachePoint" in block)
    messages(posted)[0]["content"].insert(at, {"text": "\n"})
    return True


def use_ids_of_ones_own(posted: Posted) -> bool:
    """Give calls short ids, or those of another provider."""
    for number, message in enumerate(call_turns(posted)):
        for index, block in enumerate(blocks(message, "toolUse")):
            old, new = block["toolUse"]["toolUseId"], f"call.{number}:{index}"
            block["toolUse"]["toolUseId"] = new
            for turn in result_turns(posted):
                for answer in blocks(turn, "toolResult"):
                    if answer["toolResult"]["toolUseId"] == old:
                        answer["toolResult"]["toolUseId"] = new
    return True


def leave_earlier_reasoning_out(posted: Posted) -> bool:
    """Send back the reasoning of the last turn only."""
    turns = call_turns(posted)
    for message in turns[:-1]:
        message["content"] = [block for block in message["content"] if "reasoningContent" not in block]
    return len(turns) > 1 and bool(fact(posted, CLAUDE))


def say_the_model_twice(posted: Posted) -> bool:
    """Name the model in the body, too."""
    posted.body["modelId"] = posted.path.split("/")[2]
    return True


def put_an_answer_between(posted: Posted) -> bool:
    """Part results and the user's next words by a word of the model's, as adapters do for models that ask for it."""
    messages(posted).append({"role": "assistant", "content": [{"text": "."}]})
    messages(posted).append({"role": "user", "content": [{"text": "And quickly."}]})
    return True


def show_five_documents(posted: Posted) -> bool:
    """Show five documents, one of them with an underscore in its name."""
    for number in range(5):
        document = {"format": "txt", "name": f"file_{number} (copy)", "source": {"bytes": "aGk="}}
        messages(posted)[0]["content"].append({"document": document})
    return True


def force_a_call(posted: Posted) -> bool:
    """Force the call of a model that is not asked to think."""
    tool_config(posted)["toolChoice"] = {"tool": {"name": "read_file"}}
    return True


def redact_the_reasoning(posted: Posted) -> bool:
    """Send reasoning as bytes."""
    for message in call_turns(posted)[-1:]:
        message["content"].insert(0, {"reasoningContent": {"redactedContent": "aGk="}})
    return True


def leave_a_result_empty(posted: Posted) -> bool:
    """Return nothing from a tool that has not failed."""
    for answer in last_answers(posted)[-1:]:
        answer.update(status="success", content=[])
    return True


EQUIVALENTS: Final = (
    EquivalentRequest(
        "bed-words-with-the-results",
        "Words are beside results.",
        ("BED-30",),
        speak_beside_the_results,
        (TWO_CALLS, NOVA, THINKING, FOREIGN),
    ),
    EquivalentRequest(
        "bed-answer-first-of-claude",
        "An answer is first.",
        ("BED-10",),
        begin_with_an_answer_of_claude,
        (TEXTS, STEPS, SONNET_4_6),
    ),
    EquivalentRequest(
        "bed-two-messages-to-nova", "Two messages of the user's.", ("BED-11",), speak_twice_to_nova, (NOVA,)
    ),
    EquivalentRequest(
        "bed-no-status", "A result has no status.", ("BED-06",), leave_the_status_out, (ONE_CALL, NOVA, FOREIGN)
    ),
    EquivalentRequest("bed-result-as-json", "A result is JSON.", ("BED-13",), return_an_object, (ONE_CALL, NOVA)),
    EquivalentRequest("bed-failure", "A result says why it failed.", ("BED-06",), fail_with_a_text, (ONE_CALL, LLAMA)),
    EquivalentRequest(
        "bed-results-backwards", "Results in another order.", ("BED-01",), return_results_backwards, (TWO_CALLS, LLAMA)
    ),
    EquivalentRequest(
        "bed-typed-calls", "A call has the type tool_use.", ("BED-17",), keep_the_type, (TWO_CALLS, ONE_CALL)
    ),
    EquivalentRequest("bed-cache-points", "Two marks.", ("BED-16",), add_a_cache_point, (TWO_CALLS, STEPS, NOVA)),
    EquivalentRequest(
        "bed-white-space-between", "White space between blocks.", ("BED-09",), part_with_white_space, (DOCUMENTS,)
    ),
    EquivalentRequest(
        "bed-own-ids", "Ids of another form.", ("BED-15",), use_ids_of_ones_own, (TWO_CALLS, LLAMA, FOREIGN)
    ),
    EquivalentRequest(
        "bed-own-ids-without-reasoning",
        "Calls of a turn without reasoning have other ids.",
        ("BED-40",),
        use_ids_of_ones_own,
        (WITHOUT_THINKING,),
    ),
    EquivalentRequest(
        "bed-earlier-reasoning",
        "The reasoning of an earlier turn is not sent back.",
        ("BED-40",),
        leave_earlier_reasoning_out,
        (REDACTED, SONNET_4_6),
    ),
    EquivalentRequest(
        "bed-model-in-the-body", "The body names the model.", ("BED-17",), say_the_model_twice, (TEXTS, NOVA)
    ),
    EquivalentRequest(
        "bed-answer-between",
        "A word of the model's parts results and words.",
        ("BED-30", "BED-11"),
        put_an_answer_between,
        (LLAMA, TWO_CALLS),
    ),
    EquivalentRequest(
        "bed-five-documents", "Five documents.", ("BED-24", "BED-20"), show_five_documents, (TEXTS, NOVA)
    ),
    EquivalentRequest("bed-forced", "A call is forced.", ("BED-36", "BED-47"), force_a_call, (TWO_CALLS, NOVA)),
    EquivalentRequest("bed-reasoning-as-bytes", "Reasoning as bytes.", ("BED-39",), redact_the_reasoning, (GPT,)),
    EquivalentRequest(
        "bed-empty-result", "A tool returns nothing.", ("BED-06",), leave_a_result_empty, (ONE_CALL, WITHOUT_THINKING)
    ),
)
