"""Calls and results lost, doubled and moved, and who speaks when: BED-01 to 06, 10, 11, 19, 40, 41."""

from __future__ import annotations

from typing import Final

from harness.wire.base import Json
from harness.wire.bedrock_converse.models import CLAUDE, FREE_FIRST, FREE_ROLES, LONE_RESULTS, NO_PREFILL
from harness.wire.posted import Posted
from harness_lab.mutants.requests.bedrock_converse.base_requests import (
    FOREIGN,
    FOREIGN_TEXTS,
    GPT_OSS,
    LLAMA,
    NOVA,
    ONE_CALL,
    REDACTED,
    SONNET_4_6,
    STEPS,
    TEXTS,
    THINKING,
    TWO_CALLS,
)
from harness_lab.mutants.requests.bedrock_converse.finding import (
    blocks,
    call_turns,
    fact,
    last_answers,
    messages,
    reasoning,
    result_turns,
)
from harness_lab.mutants.requests.mutant import RequestMutant


def _text(text: str) -> Json:
    return {"text": text}


# --- calls and results --------------------------------------------------------------------------------------


def lose_a_result(posted: Posted) -> bool:
    """Decline one of several calls, and send nothing for it."""
    for message in reversed(result_turns(posted)):
        if len(blocks(message, "toolResult")) > 1:
            message["content"].remove(blocks(message, "toolResult")[-1])
            return True
    return False


def split_the_results(posted: Posted) -> bool:
    """Send each result in a message of its own."""
    for message in reversed(result_turns(posted)):
        if len(answers := blocks(message, "toolResult")) > 1:
            message["content"].remove(answers[-1])
            at = messages(posted).index(message)
            messages(posted).insert(at + 1, {"role": "user", "content": [answers[-1]]})
            return True
    return False


def speak_instead(posted: Posted) -> bool:
    """Interrupt the loop, and say something where the results should be."""
    for message in result_turns(posted)[-1:]:
        message["content"] = [_text("Never mind.")]
        return True
    return False


def answer_another_call(posted: Posted) -> bool:
    """Send the last result under an id that no call has."""
    for answer in last_answers(posted)[-1:]:
        answer["toolUseId"] = "tooluse_0000000000000000000000"
        return True
    return False


def end_with_the_call(posted: Posted) -> bool:
    """Remove everything behind the last calls."""
    for message in call_turns(posted)[-1:]:
        del messages(posted)[messages(posted).index(message) + 1 :]
        return True
    return False


def forget_the_call(posted: Posted) -> bool:
    """Cut the history between the last calls and their results, and say something in the model's place."""
    for message in call_turns(posted)[-1:]:
        message["content"] = [_text("Some files were read.")]
        return True
    return False


def answer_twice(posted: Posted) -> bool:
    """Send the last result twice."""
    for message in result_turns(posted)[-1:]:
        answers = blocks(message, "toolResult")
        message["content"].insert(message["content"].index(answers[-1]), answers[-1])
        return True
    return False


def begin_with_a_result(posted: Posted) -> bool:
    """Cut the history in front of the last results."""
    for message in result_turns(posted)[-1:]:
        del messages(posted)[: messages(posted).index(message)]
        return True
    return False


def call_twice_under_one_id(posted: Posted) -> bool:
    """Give two calls and their results one id, as an adapter does that cuts ids."""
    for message in reversed(call_turns(posted)):
        if len(calls := blocks(message, "toolUse")) > 1:
            first = calls[0]["toolUse"]["toolUseId"]
            lost = calls[1]["toolUse"]["toolUseId"]
            calls[1]["toolUse"]["toolUseId"] = first
            for each in result_turns(posted):
                for answer in blocks(each, "toolResult"):
                    if answer["toolResult"]["toolUseId"] == lost:
                        answer["toolResult"]["toolUseId"] = first
            return True
    return False


def leave_the_tools_out(posted: Posted) -> bool:
    """Ask for a summary without tools."""
    return bool(call_turns(posted)) and posted.body.pop("toolConfig", None) is not None


def fail_without_a_text(posted: Posted) -> bool:
    """Say of the last result that it failed, and nothing else."""
    for answer in last_answers(posted)[-1:]:
        answer.update(status="error", content=[])
        return True
    return False


# --- who speaks when ----------------------------------------------------------------------------------------


def begin_with_an_answer(posted: Posted) -> bool:
    """Cut the history in front of the first answer."""
    if fact(posted, FREE_FIRST):
        return False
    answers = [message for message in messages(posted) if message["role"] == "assistant"]
    if answers:
        del messages(posted)[: messages(posted).index(answers[0])]
    return bool(answers)


def speak_twice(posted: Posted) -> bool:
    """Put the user's next words into a message of their own."""
    if fact(posted, FREE_ROLES):
        return False
    messages(posted).append({"role": "user", "content": [_text("And quickly.")]})
    return True


def answer_in_two_messages(posted: Posted) -> bool:
    """Put a text of the model's in front of its answer."""
    answers = [message for message in messages(posted) if message["role"] == "assistant"]
    if fact(posted, FREE_ROLES) or not answers:
        return False
    messages(posted).insert(messages(posted).index(answers[-1]), {"role": "assistant", "content": [_text("Well.")]})
    return True


def reason_as_the_user(posted: Posted) -> bool:
    """Move the model's reasoning into the message in front."""
    for number, message in enumerate(messages(posted)):
        if number and (found := blocks(message, "reasoningContent")):
            before = messages(posted)[number - 1]
            if fact(posted, LONE_RESULTS) and blocks(before, "toolResult"):
                return False
            message["content"] = [block for block in message["content"] if block not in found]
            before["content"] += found
            return True
    return False


def prefill(posted: Posted) -> bool:
    """Begin the answer for a model that takes no beginning."""
    if not fact(posted, NO_PREFILL):
        return False
    messages(posted).append({"role": "assistant", "content": [_text("The file")]})
    return True


# --- reasoning ----------------------------------------------------------------------------------------------


def _signed(posted: Posted) -> list[Json]:
    texts = [each["reasoningText"] for each in reasoning(posted) if "reasoningText" in each]
    return texts if fact(posted, CLAUDE) else []


def lose_the_signature(posted: Posted) -> bool:
    """Send the model's reasoning back without its signature."""
    for text in _signed(posted)[:1]:
        return text.pop("signature", None) is not None
    return False


def forge_the_signature(posted: Posted) -> bool:
    """Put another signature under the model's reasoning."""
    for text in _signed(posted)[:1]:
        text["signature"] = text["signature"][::-1]
        return True
    return False


def rewrite_the_reasoning(posted: Posted) -> bool:
    """Trim the model's reasoning."""
    for text in _signed(posted)[:1]:
        text["text"] = text["text"].upper()
        return True
    return False


def lose_what_is_redacted(posted: Posted) -> bool:
    """Send back only reasoning that can be read."""
    for message in call_turns(posted)[-1:]:
        kept = [block for block in message["content"] if "redactedContent" not in block.get("reasoningContent", {})]
        lost = len(kept) < len(message["content"])
        message["content"] = kept
        return lost
    return False


def lose_the_reasoning(posted: Posted) -> bool:
    """Send back none of the model's reasoning, in any turn, while it is asked to think."""
    thinking = posted.body.get("additionalModelRequestFields", {}).get("thinking")
    if not thinking or not reasoning(posted):
        return False
    for message in messages(posted):
        message["content"] = [block for block in message["content"] if "reasoningContent" not in block]
    return True


HISTORY: Final = (
    RequestMutant(
        "bed-result-lost", "One of two calls has no result.", ("BED-01",), lose_a_result, (TWO_CALLS, STEPS, NOVA)
    ),
    RequestMutant(
        "bed-results-split",
        "Each result is in a message of its own.",
        ("BED-01", "BED-02"),
        split_the_results,
        (TWO_CALLS, STEPS, NOVA, LLAMA),
    ),
    RequestMutant(
        "bed-interrupted",
        "The user speaks where the results should be.",
        ("BED-01",),
        speak_instead,
        (ONE_CALL, STEPS, FOREIGN),
    ),
    RequestMutant(
        "bed-result-of-another-call",
        "A result has an id that no call has.",
        ("BED-01",),
        answer_another_call,
        (ONE_CALL, TWO_CALLS, FOREIGN),
    ),
    RequestMutant(
        "bed-call-last", "The history ends with calls.", ("BED-01",), end_with_the_call, (TWO_CALLS, STEPS, SONNET_4_6)
    ),
    RequestMutant(
        "bed-call-forgotten",
        "The results of calls stay that were summed up.",
        ("BED-02",),
        forget_the_call,
        (ONE_CALL, STEPS, FOREIGN, NOVA),
    ),
    RequestMutant(
        "bed-result-twice", "A result is sent twice.", ("BED-02",), answer_twice, (TWO_CALLS, ONE_CALL, LLAMA, FOREIGN)
    ),
    RequestMutant(
        "bed-result-first",
        "The history is cut in front of the results.",
        ("BED-02",),
        begin_with_a_result,
        (TWO_CALLS, STEPS, FOREIGN),
    ),
    RequestMutant(
        "bed-id-twice",
        "Two calls have one id.",
        ("BED-04",),
        call_twice_under_one_id,
        (TWO_CALLS, STEPS, LLAMA),
    ),
    RequestMutant(
        "bed-tools-left-out",
        "The last request of a loop declares no tools.",
        ("BED-05",),
        leave_the_tools_out,
        (TWO_CALLS, STEPS, LLAMA, FOREIGN_TEXTS),
    ),
    RequestMutant(
        "bed-failure-without-a-text",
        "A failed tool says nothing.",
        ("BED-06",),
        fail_without_a_text,
        (ONE_CALL, NOVA, FOREIGN),
    ),
    RequestMutant(
        "bed-answer-first",
        "The history is cut in front of an answer.",
        ("BED-10",),
        begin_with_an_answer,
        (NOVA, FOREIGN_TEXTS, LLAMA),
    ),
    RequestMutant(
        "bed-user-twice", "The user's words are in two messages.", ("BED-11",), speak_twice, (TEXTS, STEPS, FOREIGN)
    ),
    RequestMutant(
        "bed-answer-in-two",
        "The model's answer is in two messages.",
        ("BED-11",),
        answer_in_two_messages,
        (TEXTS, TWO_CALLS, FOREIGN),
    ),
    RequestMutant(
        "bed-reasoning-of-the-user",
        "The model's reasoning is in a message of the user.",
        ("BED-19",),
        reason_as_the_user,
        (THINKING, ONE_CALL, GPT_OSS, FOREIGN),
    ),
    RequestMutant("bed-prefill", "The model's answer is begun for it.", ("BED-41", "BED-11"), prefill, (SONNET_4_6,)),
    RequestMutant(
        "bed-signature-lost",
        "The model's reasoning has no signature.",
        ("BED-40",),
        lose_the_signature,
        (THINKING, REDACTED),
    ),
    RequestMutant(
        "bed-signature-forged",
        "The model's reasoning has another signature.",
        ("BED-40",),
        forge_the_signature,
        (THINKING, REDACTED),
    ),
    RequestMutant(
        "bed-reasoning-rewritten",
        "The model's reasoning is changed under its signature.",
        ("BED-40",),
        rewrite_the_reasoning,
        (THINKING, REDACTED),
    ),
    RequestMutant(
        "bed-redacted-lost",
        "What the model has redacted is not sent back.",
        ("BED-40",),
        lose_what_is_redacted,
        (REDACTED,),
    ),
    RequestMutant(
        "bed-reasoning-lost",
        "The model's reasoning is not sent back.",
        ("BED-40",),
        lose_the_reasoning,
        (THINKING, REDACTED),
    ),
)
