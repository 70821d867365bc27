"""Finding things in the body of any request of this wire."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from harness.wire.base import Json
from harness.wire.bedrock_converse.models import MODELS
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
    """What is declared of tools; empty where nothing is."""
    found: Json = posted.body.get("toolConfig", {})
    return found


def fact(posted: Posted, name: str) -> Any:
    """What is known of the model that is asked."""
    return MODELS.value(name, unquote(posted.path.split("/")[2]))
