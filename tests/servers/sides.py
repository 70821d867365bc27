"""Answers on the two sides of a gateway, for the tests of what is compared."""

from __future__ import annotations

from harness.servers.rules import AnswerSide
from harness.wire import Call, FinishReason, Part, Reply, Turn, WireName

CHAT: WireName = "openai-chat"
RESPONSES: WireName = "openai-responses"
MESSAGES: WireName = "anthropic-messages"
GEMINI: WireName = "gemini-generate"


def call(
    name: str = "read_file", arguments: str = '{"path": "a"}', call_id: str = "call_1", signature: str = ""
) -> Call:
    return Call(name, arguments, call_id, signature)


def side(name: WireName, *parts: Part, turn: Turn | None = None, status: int = 200) -> AnswerSide:
    """An answer that says some parts, or a turn; an HTTP error where the status is one."""
    if status >= 400:
        return AnswerSide(wire=name, reply=None, status=status)
    calls = any(isinstance(part, Call) for part in parts)
    spoken = turn or Turn(parts, FinishReason.TOOL_CALLS if calls else FinishReason.END)
    whole = spoken.ending == "complete" and spoken.error is None
    return AnswerSide(wire=name, reply=Reply(name, "", "", (), spoken, whole))
