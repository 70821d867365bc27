"""Finds things in the body of a posted request, for the edits that make it wrong."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from harness.wire.base import Json
from harness.wire.bedrock_converse.models import CLAUDE, MODELS
from harness.wire.posted import Posted


def messages(posted: Posted) -> list[Json]:
    """The messages."""
    found: list[Json] = posted.body["messages"]
    return found


def blocks(message: Json, kind: str) -> list[Json]:
    """The blocks of a kind in a message; changes to them change the request."""
    return [block for block in message["content"] if kind in block]


def call_turns(posted: Posted) -> list[Json]:
    """The messages with calls."""
    return [message for message in messages(posted) if blocks(message, "toolUse")]


def result_turns(posted: Posted) -> list[Json]:
    """The messages with results."""
    return [message for message in messages(posted) if blocks(message, "toolResult")]


def last_answers(posted: Posted) -> list[Json]:
    """The results of the last message that has any."""
    turns = result_turns(posted)
    return [block["toolResult"] for block in blocks(turns[-1], "toolResult")] if turns else []


def reasoning(posted: Posted) -> list[Json]:
    """The reasoning of the last message with calls."""
    turns = call_turns(posted)
    return [block["reasoningContent"] for block in blocks(turns[-1], "reasoningContent")] if turns else []


def tool_config(posted: Posted) -> Json:
    """The declaration of tools; empty if there is none."""
    found: Json = posted.body.get("toolConfig", {})
    return found


def fact(posted: Posted, name: str) -> Any:
    """The fact with this name about the model that is asked."""
    return MODELS.value(name, unquote(posted.path.split("/")[2]))


def answers(posted: Posted) -> list[Json]:
    """The messages of the assistant."""
    return [message for message in messages(posted) if message["role"] == "assistant"]


def last_calls(posted: Posted) -> list[Json]:
    """The calls of the last message that has any."""
    turns = call_turns(posted)
    return [block["toolUse"] for block in blocks(turns[-1], "toolUse")] if turns else []


def last_text_answer(posted: Posted) -> list[Json]:
    """The last message of the assistant without calls; empty if all have calls."""
    return [message for message in answers(posted) if not blocks(message, "toolUse")][-1:]


def signed(posted: Posted) -> list[Json]:
    """The first text of the reasoning in the last message with calls; empty for models other than Claude."""
    texts = [each["reasoningText"] for each in reasoning(posted) if "reasoningText" in each]
    return texts[:1] if fact(posted, CLAUDE) else []


def without_reasoning(message: Json) -> list[Json]:
    """The blocks of a message except reasoning."""
    return [block for block in message["content"] if "reasoningContent" not in block]


def thinks(posted: Posted) -> Any:
    """How Claude is asked to think; something false if it is not."""
    return posted.body.get("additionalModelRequestFields", {}).get("thinking")


def rename(posted: Posted, old: str, new: str) -> bool:
    """Give a call and its result another id."""
    turns = ((call_turns(posted), "toolUse"), (result_turns(posted), "toolResult"))
    named = [block[kind] for messages, kind in turns for message in messages for block in blocks(message, kind)]
    for each in named:
        if each["toolUseId"] == old:
            each["toolUseId"] = new
    return True


def use_ids_of_ones_own(posted: Posted) -> bool:
    """Give every call another id, of another form."""
    for number, message in enumerate(call_turns(posted)):
        for index, block in enumerate(blocks(message, "toolUse")):
            rename(posted, block["toolUse"]["toolUseId"], f"call.{number}:{index}")
    return True
