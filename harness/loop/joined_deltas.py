"""The deltas of a session, put together."""

from __future__ import annotations

from dataclasses import dataclass, field

from harness.loop.session import AssistantDelta, Delta, ThinkingDelta, ToolCallDelta


@dataclass
class JoinedDeltas:
    """The session's deltas, joined; arguments by the id of their call."""

    text: str = ""
    thinking: str = ""
    arguments: dict[str, str] = field(default_factory=dict)

    async def __call__(self, delta: Delta) -> None:
        match delta:
            case AssistantDelta(text):
                self.text += text
            case ThinkingDelta(text):
                self.thinking += text
            case ToolCallDelta(call_id, _, arguments):
                self.arguments[call_id] = self.arguments.get(call_id, "") + arguments
