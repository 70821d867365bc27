"""Which wire a body belongs to, told by what only one wire's requests have; and what a text is that is no request."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from harness.wire import HISTORY, NativeWireName, WireName
from harness.wire.base import Json
from harness.wire.lenient import objects

__all__ = ["SAYING_HISTORY", "guess_wires", "no_request"]

SAYING_HISTORY: Mapping[WireName, tuple[str, ...]] = {
    **{name: (member,) for name, member in HISTORY.items()},
    "openai-responses": (HISTORY["openai-responses"], "previous_response_id", "conversation", "prompt"),
}
"""The members of a body that hold or name the history, one of which every request of a wire has."""

_ONLY_ANTHROPIC = frozenset(["system", "thinking", "stop_sequences", "top_k", "anthropic_version", "output_config"])
_ONLY_CHAT = frozenset(
    [
        *(
            "frequency_penalty",
            "functions",
            "logprobs",
            "max_completion_tokens",
            "modalities",
            "n",
            "parallel_tool_calls",
        ),
        *("presence_penalty", "reasoning_effort", "response_format", "seed", "stop", "stream_options"),
    ]
)
_ANTHROPIC_BLOCKS = frozenset(["tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use"])
_CHAT_PARTS = frozenset(["image_url", "input_audio"])
_CHAT_ROLES = frozenset(["tool", "function", "developer"])


def guess_wires(body: Json, headers: Mapping[str, str]) -> tuple[NativeWireName, ...]:
    """The wires that the body may belong to; one where it says so clearly, none where it is no request at all."""
    if "contents" in body:
        return ("gemini-generate",)
    if "messages" not in body:
        return ("openai-responses",) if {"input", "previous_response_id"} & body.keys() else ()
    anthropic, chat = _is_anthropic(body, headers), _is_chat(body)
    if anthropic == chat:
        return ("openai-chat", "anthropic-messages")
    return ("anthropic-messages",) if anthropic else ("openai-chat",)


def _is_anthropic(body: Json, headers: Mapping[str, str]) -> bool:
    return (
        not _ONLY_ANTHROPIC.isdisjoint(body)
        or "anthropic-version" in headers
        or str(body.get("model")).startswith("claude")
        or any("input_schema" in tool for tool in objects(body.get("tools")))
        or any(_kinds(message) & _ANTHROPIC_BLOCKS for message in objects(body.get("messages")))
    )


def _is_chat(body: Json) -> bool:
    messages = objects(body.get("messages"))
    return (
        not _ONLY_CHAT.isdisjoint(body)
        or re.match(r"gpt-|o\d", str(body.get("model"))) is not None
        or any("function" in tool for tool in objects(body.get("tools")))
        or any("tool_calls" in message or message.get("role") in _CHAT_ROLES for message in messages)
        or any(_kinds(message) & _CHAT_PARTS for message in messages)
    )


def _kinds(message: Json) -> set[str]:
    return {str(part.get("type")) for part in objects(message.get("content"))}


# --- what is no request -------------------------------------------------------------------------------------

_CASSETTE = "a cassette; 'harness lint-cassette' judges the requests in it"
_RESPONSE = "a response, not a request"

_OTHERS: tuple[tuple[str, Callable[[Json], bool]], ...] = (
    (_CASSETTE, lambda body: "interactions" in body or "http_interactions" in body),
    (_RESPONSE, lambda body: str(body.get("object")).startswith(("chat.completion", "response"))),
    (_RESPONSE, lambda body: body.get("type") == "message" and "stop_reason" in body),
    (_RESPONSE, lambda body: "candidates" in body or "choices" in body),
    ("an error answer of a provider, not a request", lambda body: isinstance(body.get("error"), dict | str)),
    ("an HTTP archive (HAR)", lambda body: isinstance(body.get("log"), dict) and "entries" in body["log"]),
)


def no_request(value: Any) -> str:
    """What a text or a parsed value is known to be instead of a request; ``""`` for what is nothing known."""
    if isinstance(value, str):
        if re.match(r"(?:---\s*\n)?(?:version:|interactions:|http_interactions:)", value):
            return _CASSETTE
        return "the events of a streamed response" if value.startswith(("event:", "data:")) else ""
    return next((kind for kind, fits in _OTHERS if fits(value)), "") if isinstance(value, dict) else ""
