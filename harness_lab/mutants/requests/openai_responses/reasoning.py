"""Mistakes in reasoning: OAI-14 to OAI-17, OAI-DS, OAI-LENGTH."""

from __future__ import annotations

from typing import Any

from harness.wire.openai_models import OPENAI_MODELS, REASONING
from harness.wire.posted import Edit, Posted
from harness_lab.mutants.requests.mutant import RequestMutant
from harness_lab.mutants.requests.openai_responses.base_requests import (
    ANSWERED,
    CHOSEN,
    CUSTOM,
    DEEPSEEK,
    FOREIGN,
    NAMED,
    ONE_CALL,
    SEVERAL,
    STORED,
)
from harness_lab.mutants.requests.openai_responses.making import GO_ON, OTHER_TEXT, mutant
from harness_lab.mutants.requests.openai_responses.places import (
    CALLS,
    answered_calls,
    is_by,
    items,
    last,
    places,
    reasoning_with_item,
)


def part_reasoning_from_its_item(posted: Posted) -> bool:
    """Insert a message between reasoning and the item that it led to."""
    for _, following in reasoning_with_item(posted):
        items(posted).insert(following, dict(GO_ON))
        return True
    return False


def rename_the_call(posted: Posted) -> bool:
    """Send the call behind reasoning under an item id that the model has not given it."""
    for _, following in reasoning_with_item(posted):
        item = items(posted)[following]
        if item.get("type") in CALLS and item.get("id"):
            item["id"] = f"{item['id'].partition('_')[0]}_{item['call_id']}"
            return True
    return False


def move_thoughts_to_text(posted: Posted) -> bool:
    """Send reasoning with its plain text, to a model of OpenAI, which sends none."""
    item = last(posted, "reasoning")
    if item is None or not OPENAI_MODELS.holds(REASONING, posted.body.get("model", "")):
        return False
    item["content"] = [{"type": "reasoning_text", "text": "I need the file."}]
    return True


def _is_deepseeks(posted: Posted) -> bool:
    return str(posted.body.get("model")).startswith("deepseek-v") and bool(places(posted, *CALLS))


def keep_no_reasoning(posted: Posted) -> bool:
    """Send DeepSeek's calls back without the reasoning in front of them."""
    found = places(posted, "reasoning") if _is_deepseeks(posted) else []
    for place in reversed(found):
        del items(posted)[place]
    return bool(found)


def disable_thinking(posted: Posted) -> bool:
    """Send DeepSeek's calls back alone, and disable thinking by a setting that its Chat API has."""
    if not keep_no_reasoning(posted):
        return False
    posted.body.pop("reasoning", None)
    posted.body["thinking"] = {"type": "disabled"}
    return True


def keep_a_summary(posted: Posted) -> bool:
    """Send DeepSeek's reasoning back as a summary, without its text."""
    found = [items(posted)[place] for place in places(posted, "reasoning")] if _is_deepseeks(posted) else []
    for item in found:
        item["summary"] = [{"type": "summary_text", "text": "Both."}]
        item.pop("content", None)
    return bool(found)


def answer_calls_in_turn(posted: Posted) -> bool:
    """Put the first output right behind its call, so that the second call has no reasoning in front of it."""
    pairs = [*answered_calls(posted)] if _is_deepseeks(posted) else []
    if len(pairs) < 2 or pairs[1][0] != pairs[0][0] + 1:
        return False
    (call, output), _ = pairs[:2]
    items(posted).insert(call + 1, items(posted).pop(output))
    return True


def cut_behind_reasoning(posted: Posted) -> bool:
    """Remove everything behind reasoning, also the item that it led to."""
    for place, _ in reversed([*reasoning_with_item(posted)]):
        del items(posted)[place + 1 :]
        return True
    return False


def rewrite_the_answer(posted: Posted) -> bool:
    """Replace the answer that reasoning led to by another message."""
    for place, following in reasoning_with_item(posted):
        if items(posted)[place].get("id") and is_by(items(posted)[following], "assistant"):
            items(posted)[following] = dict(OTHER_TEXT)
            return True
    return False


def answer_with_a_call(posted: Posted) -> bool:
    """Send a call, whose call id is the answer's id, in the place of the answer that reasoning led to."""
    for _, following in reasoning_with_item(posted):
        item = items(posted)[following]
        if item.get("id") and is_by(item, "assistant"):
            call = {"call_id": item["id"], "name": "read_file", "arguments": "{}"}
            items(posted)[following : following + 1] = [
                {"type": "function_call", **call},
                {"type": "function_call_output", "call_id": item["id"], "output": "x"},
            ]
            return True
    return False


def _answering_as(**members: Any) -> Edit:
    """The answer that reasoning led to says the same, without its id, as a plain text, and as something else."""

    def edit(posted: Posted) -> bool:
        for place, following in reasoning_with_item(posted):
            item = items(posted)[following]
            if items(posted)[place].get("id") and item.get("id") and is_by(item, "assistant"):
                text = "".join(part.get("text", "") for part in item["content"])
                items(posted)[following] = {"role": "assistant", "content": text, **members}
                return True
        return False

    return edit


def forge_under_no_id(posted: Posted) -> bool:
    """Send reasoning without its id, and with content that was never issued."""
    for place in _led(posted):
        item = items(posted)[place]
        if item.pop("id", None) and item.get("encrypted_content"):
            item["encrypted_content"] = "gAAAAABmade_up_reasoning=="
            return True
    return False


def _led(posted: Posted) -> list[int]:
    """The reasoning items whose item behind them has its id."""
    return [place for place, following in reasoning_with_item(posted) if items(posted)[following].get("id")]


def forget_reasoning(posted: Posted) -> bool:
    """Remove the reasoning in front of items that were sent with it."""
    found = _led(posted)
    for place in reversed(found):
        del items(posted)[place]
    return bool(found)


def gather_reasoning_in_front(posted: Posted) -> bool:
    """Move all reasoning to the beginning, away from its items."""
    found = [place for place in _led(posted) if place]
    if not found:
        return False
    thoughts = [items(posted).pop(place) for place in reversed(found)]
    items(posted)[:0] = [*reversed(thoughts), dict(GO_ON)]
    return True


def forget_the_encrypted_content(posted: Posted) -> bool:
    """It is needed only where nothing is stored."""
    found = [items(posted)[place] for place in places(posted, "reasoning") if items(posted)[place].get("id")]
    if not found or posted.body.get("store") is not False:
        return False
    return found[-1].pop("encrypted_content", None) is not None


def refer_to_what_was_not_stored(posted: Posted) -> bool:
    """Send a reference to an item in the place of one that was not stored."""
    for place in places(posted, *CALLS, "message"):
        item = items(posted)[place]
        if posted.body.get("store") is False and item.get("id"):
            items(posted)[place] = {"type": "item_reference", "id": item["id"]}
            return True
    return False


def _tokens(posted: Posted) -> list[str]:
    return [items(posted)[place].get("encrypted_content") or "" for place in places(posted, "reasoning")]


def shorten_the_encrypted_content(posted: Posted) -> bool:
    """Cut the encrypted content of reasoning to its first half."""
    for place, token in zip(places(posted, "reasoning"), _tokens(posted), strict=True):
        if len(token) > 4:
            items(posted)[place]["encrypted_content"] = f"{token[: len(token) // 2]}=="
            return True
    return False


def swap_encrypted_contents(posted: Posted) -> bool:
    """Rotate the encrypted contents among the reasoning items."""
    found = [place for place in places(posted, "reasoning") if items(posted)[place].get("id")]
    tokens = [items(posted)[place].get("encrypted_content") for place in found]
    if len(set(tokens)) < 2 or None in tokens:
        return False
    for place, token in zip(found, (*tokens[1:], tokens[0]), strict=True):
        items(posted)[place]["encrypted_content"] = token
    return True


def make_up_reasoning(posted: Posted) -> bool:
    """Insert reasoning with encrypted content that the endpoint has not issued."""
    if not items(posted):
        return False
    forged = {"type": "reasoning", "summary": [], "encrypted_content": "gAAAAABmade_up_reasoning=="}
    items(posted)[:0] = [forged, dict(OTHER_TEXT)]
    return True


MUTANTS: tuple[RequestMutant, ...] = (
    mutant(
        "reasoning-parted",
        "A message is between reasoning and what it led to.",
        ("OAI-14",),
        part_reasoning_from_its_item,
        ONE_CALL,
        ANSWERED,
        STORED,
        FOREIGN,
    ),
    mutant(
        "call-renamed",
        "The call behind reasoning has another item id, and its call_id.",
        ("OAI-14",),
        rename_the_call,
        ONE_CALL,
        CUSTOM,
    ),
    mutant(
        "reasoning-last",
        "The history is cut behind a reasoning item.",
        ("OAI-14",),
        cut_behind_reasoning,
        ONE_CALL,
        SEVERAL,
        FOREIGN,
    ),
    mutant(
        "answer-rewritten",
        "An answer is replaced by another, and its reasoning is kept.",
        ("OAI-14",),
        rewrite_the_answer,
        ANSWERED,
        SEVERAL,
        FOREIGN,
    ),
    mutant(
        "answer-exchanged-for-a-call",
        "A call stands in the place of the answer that reasoning led to.",
        ("OAI-14",),
        answer_with_a_call,
        ANSWERED,
    ),
    mutant(
        "answer-retold",
        "An answer is sent without its id, as plain text.",
        ("OAI-14",),
        _answering_as(),
        ANSWERED,
    ),
    mutant(
        "answer-of-the-user",
        "The user says what the model has answered.",
        ("OAI-14",),
        _answering_as(role="user"),
        ANSWERED,
    ),
    mutant(
        "answer-of-another-type",
        "An answer is sent as an item of another type.",
        ("OAI-14",),
        _answering_as(type="answer"),
        ANSWERED,
    ),
    mutant(
        "reasoning-forged-without-id",
        "Reasoning has no id, and content that was never issued.",
        ("OAI-15", "OAI-17"),
        forge_under_no_id,
        ONE_CALL,
    ),
    mutant(
        "reasoning-forgotten",
        "Reasoning is left out, what it led to is sent with its id.",
        ("OAI-15",),
        forget_reasoning,
        ONE_CALL,
        ANSWERED,
        STORED,
        CUSTOM,
    ),
    mutant(
        "reasoning-gathered",
        "All reasoning is moved to the front.",
        ("OAI-15", "OAI-14"),
        gather_reasoning_in_front,
        SEVERAL,
        ONE_CALL,
        CHOSEN,
    ),
    mutant(
        "encrypted-content-forgotten",
        "Reasoning that is not stored goes back without its content.",
        ("OAI-16",),
        forget_the_encrypted_content,
        ONE_CALL,
        SEVERAL,
        FOREIGN,
    ),
    mutant(
        "reference-not-stored",
        "An item that is not stored is only named.",
        ("OAI-16",),
        refer_to_what_was_not_stored,
        ONE_CALL,
        ANSWERED,
        CUSTOM,
    ),
    mutant(
        "encrypted-content-cut",
        "Long strings are cut, encrypted content as well.",
        ("OAI-17",),
        shorten_the_encrypted_content,
        ONE_CALL,
        STORED,
    ),
    mutant(
        "encrypted-contents-swapped",
        "Two reasoning items have each other's content.",
        ("OAI-17",),
        swap_encrypted_contents,
        SEVERAL,
        STORED,
    ),
    mutant(
        "reasoning-made-up",
        "Reasoning of another organisation is put before the history.",
        ("OAI-17",),
        make_up_reasoning,
        ONE_CALL,
        NAMED,
    ),
    mutant("thinking-forgotten", "DeepSeek's calls come back alone.", ("OAI-DS",), keep_no_reasoning, DEEPSEEK),
    mutant(
        "thinking-disabled",
        "DeepSeek's thinking is disabled by a setting of another API.",
        ("OAI-05",),
        disable_thinking,
        DEEPSEEK,
    ),
    mutant("thinking-as-summary", "DeepSeek's reasoning has no text.", ("OAI-DS",), keep_a_summary, DEEPSEEK),
    mutant(
        "calls-answered-in-turn",
        "An output stands between DeepSeek's calls.",
        ("OAI-DS",),
        answer_calls_in_turn,
        DEEPSEEK,
    ),
    mutant(
        "reasoning-in-plain-text",
        "Reasoning goes back with its text, as open models have it.",
        ("OAI-LENGTH",),
        move_thoughts_to_text,
        ONE_CALL,
        FOREIGN,
    ),
)
