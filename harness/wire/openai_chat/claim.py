"""How to recognise the body of a request of Chat Completions."""

from __future__ import annotations

import re
from collections.abc import Mapping

from harness.wire.base import Claim
from harness.wire.lenient import Json, objects

_MEMBERS = frozenset(
    [
        "frequency_penalty",
        "functions",
        "logprobs",
        "max_completion_tokens",
        "modalities",
        "n",
        "parallel_tool_calls",
        "presence_penalty",
        "reasoning_effort",
        "response_format",
        "seed",
        "stop",
        "stream_options",
    ]
)
"""Members that no other API with ``messages`` has."""

_PARTS = frozenset(["image_url", "input_audio"])
_ROLES = frozenset(["tool", "function", "developer"])


def claim(body: Json, headers: Mapping[str, str]) -> Claim:  # noqa: ARG001 - none says it
    """How surely the body is a request of this wire (``Wire.claim``)."""
    if "messages" not in body:
        return Claim.NONE
    return Claim.LIKELY if _is_marked(body) else Claim.POSSIBLE


def _is_marked(body: Json) -> bool:
    messages = objects(body.get("messages"))
    return (
        not _MEMBERS.isdisjoint(body)
        or re.match(r"gpt-|o\d", str(body.get("model"))) is not None
        or any("function" in tool for tool in objects(body.get("tools")))
        or any("tool_calls" in message or message.get("role") in _ROLES for message in messages)
        or any(_kinds(message) & _PARTS for message in messages)
    )


def _kinds(message: Json) -> set[str]:
    return {str(part.get("type")) for part in objects(message.get("content"))}
