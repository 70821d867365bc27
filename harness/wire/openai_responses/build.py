"""A turn as native items and response objects, before it is streamed."""

from __future__ import annotations

import base64
import re
from typing import Any, Final

from harness.wire.base import Conversation, Json
from harness.wire.characters import joined
from harness.wire.identity import HEX, Identity
from harness.wire.json_text import compact
from harness.wire.lenient import entries, members, objects
from harness.wire.openai_models import OPENAI_MODELS, PHASE, SHOWN_REASONING
from harness.wire.openai_responses.failure import CODES
from harness.wire.openai_responses.items import ARGUMENTS, conversation_id
from harness.wire.turn import (
    NO_MEMBERS,
    Call,
    FinishReason,
    NativePiece,
    Part,
    Refusal,
    Text,
    ThinkingPart,
    Turn,
    Usage,
)

_SUMMARY_BREAK: Final = re.compile(r"\n\n(?=\*\*)")
"""Real summaries begin each part with a bold title, so a title after a blank line begins the next part."""

TRUNCATED: Final = {FinishReason.MAX_TOKENS: "max_output_tokens", FinishReason.CONTENT_FILTER: "content_filter"}
"""The stops that end a response as ``incomplete``, with the reason in the response."""

_ECHOED: Final[Json] = {
    "instructions": None,
    "max_output_tokens": None,
    "max_tool_calls": None,
    "parallel_tool_calls": True,
    "previous_response_id": None,
    "prompt_cache_key": None,
    "safety_identifier": None,
    "store": True,
    "temperature": 1.0,
    "tool_choice": "auto",
    "top_logprobs": 0,
    "top_p": 0.98,
    "truncation": "disabled",
    "user": None,
    "metadata": {},
}
"""Members of a response that repeat the request, with their values if the request does not set them."""

_FIXED: Final[Json] = {
    "object": "response",
    "background": False,
    "frequency_penalty": 0.0,
    "moderation": None,
    "presence_penalty": 0.0,
    "prompt_cache_retention": "24h",
    "tool_usage": {
        "image_gen": {
            "input_tokens": 0,
            "input_tokens_details": {"image_tokens": 0, "text_tokens": 0},
            "output_tokens": 0,
            "output_tokens_details": {"image_tokens": 0, "text_tokens": 0},
            "total_tokens": 0,
        },
        "web_search": {"num_requests": 0},
    },
}


_OF_A_TEXT: Final = ("annotations", "logprobs")
"""Members of a message's text; members with any other name belong to the message."""


def encrypted(identity: Identity) -> str:
    """Fresh ``encrypted_content``: a Fernet token (version, time, 16-byte IV, ciphertext, 32-byte MAC)."""
    token = b"\x80" + identity.now().to_bytes(8, "big") + identity.bytes(96)
    return base64.urlsafe_b64encode(token).decode("ascii")


class ResponseDraft:
    """One response in the making: its ids, its items, and the response object in each of its states."""

    def __init__(self, turn: Turn, identity: Identity, conversation: Conversation) -> None:
        self._identity = identity
        # The ids of one response share their first sixteen hex digits, as the provider's do.
        self._family = identity.id("", 16, HEX)
        self._custom = _custom_tools(conversation.body)
        phase = {"phase": "commentary" if turn.calls else "final_answer"}
        self._phase = phase if OPENAI_MODELS.holds(PHASE, conversation.model) else {}
        self._shows_all = OPENAI_MODELS.value(SHOWN_REASONING, conversation.model) == "content"
        self.id = self._id("resp_")
        self._members = turn.members
        self.items = [self._item(piece) for piece in turn.pieces]
        if self.items and "status" in self.items[-1] and (turn.stop in TRUNCATED or turn.error):
            self.items[-1]["status"] = "incomplete"
        self._constant = compact({**_FIXED, "model": conversation.model, **_echo(conversation.body)})[1:]

    def state(self, status: str, turn: Turn) -> Json:
        """The changing members of the response object, with their values at its end with ``status``."""
        finished = status in ("completed", "incomplete")
        return {
            "id": self.id,
            "created_at": self._identity.now(),
            "status": status,
            "completed_at": self._identity.now() + 2 if status == "completed" else None,
            "error": {"code": CODES[turn.error.kind], "message": turn.error.message} if turn.error else None,
            "incomplete_details": {"reason": TRUNCATED[turn.stop]} if status == "incomplete" else None,
            "output": self.items,
            "service_tier": "default" if finished else "auto",
            "usage": _usage(turn.usage) if finished else None,
            **(self._members if finished else {}),
        }

    def begun(self) -> Json:
        """The members that change, before the model has sent anything."""
        return {**self.state("in_progress", Turn()), "output": []}

    def text(self, state: Json) -> str:
        """The whole response object as JSON text."""
        return f"{compact(state)[:-1]},{self._constant}"

    def _id(self, prefix: str) -> str:
        return f"{prefix}{self._family}00{self._identity.now():08x}{self._identity.id('', 24, HEX)}"

    def _item(self, part: Part | NativePiece) -> Json:
        if isinstance(part, NativePiece):
            return dict(part.native)
        if isinstance(part, ThinkingPart):
            return self._reasoning(part)
        if isinstance(part, Call):
            return self._call(part)
        return self._message(part)

    def _reasoning(self, thinking: ThinkingPart) -> Json:
        text = joined(thinking.text) if thinking.form == "plain" else ""
        item: Json = {"id": self._id("rs_"), "type": "reasoning", "content": []}
        if thinking.signed:
            item["encrypted_content"] = thinking.signature or encrypted(self._identity)
        if text and self._shows_all:
            return {**item, "content": [{"type": "reasoning_text", "text": text}], "summary": []}
        parts = _SUMMARY_BREAK.split(text) if text else []
        return {**item, "summary": [{"type": "summary_text", "text": part} for part in parts]}

    def _message(self, part: Text | Refusal) -> Json:
        members = part.members if isinstance(part, Text) else NO_MEMBERS
        inside = {name: value for name, value in members.items() if name in _OF_A_TEXT}
        content: Json = {"type": "output_text", "annotations": [], "logprobs": [], "text": joined(part.text), **inside}
        if isinstance(part, Refusal):
            content = {"type": "refusal", "refusal": joined(part.text)}
        return {
            "id": self._id("msg_"),
            "type": "message",
            "status": "completed",
            "content": [content],
            **self._phase,
            **{name: value for name, value in members.items() if name not in _OF_A_TEXT},
            "role": "assistant",
        }

    def _call(self, call: Call) -> Json:
        custom = call.name in self._custom
        kind = "custom_tool_call" if custom else "function_call"
        call_id = self._identity.id("call_", 24) if call.id is None else call.id
        return {
            "id": self._id("ctc_" if custom else "fc_"),
            "type": kind,
            "status": "completed",
            ARGUMENTS[kind]: joined(call.arguments),
            **({"call_id": call_id} if call_id else {}),
            "name": call.name,
            **call.members,
        }


def _usage(usage: Usage) -> Json:
    return {
        "input_tokens": usage.input,
        "input_tokens_details": {"cache_write_tokens": 0, "cached_tokens": usage.cached},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": usage.input + usage.output,
    }


def _custom_tools(body: Json) -> frozenset[str]:
    """The names of the tools that the request declares as free text, whose calls have another kind."""
    return frozenset(str(tool.get("name")) for tool in objects(body.get("tools")) if tool.get("type") == "custom")


def _echo(body: Json) -> Json:
    """The members that the response repeats from the request; the provider adds its defaults to tools and settings."""
    echo = {name: default if body.get(name) is None else body[name] for name, default in _ECHOED.items()}
    reasoning = {"context": "current_turn", "effort": "medium", "mode": "standard", "summary": None}
    return {
        **echo,
        "background": body.get("background") is True,
        **({"conversation": {"id": named}} if (named := conversation_id(body)) else {}),
        "reasoning": {**reasoning, **members(body.get("reasoning"))},
        "text": {"format": {"type": "text"}, "verbosity": "medium", **members(body.get("text"))},
        "tools": [_tool(tool) for tool in entries(body.get("tools"))],
    }


def _tool(tool: Any) -> Any:
    if not isinstance(tool, dict) or tool.get("type") != "function":
        return tool
    return {"description": None, "output_schema": None, "strict": True, **tool}
