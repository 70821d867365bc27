"""Turns of every kind that a wire can say and that end well."""

from __future__ import annotations

from harness.wire import Turn, WireName
from tests.wire import spoken
from tests.wire.anthropic_messages.turns import WHOLE
from tests.wire.gemini_generate.samples import BROKEN
from tests.wire.gemini_generate.samples import TURNS as GENERATE
from tests.wire.openai_chat.chat_support import TURNS as CHAT
from tests.wire.openai_responses.speak import TURNS as RESPONSES

WHOLE_TURNS: dict[WireName, dict[str, Turn]] = {
    "anthropic-messages": WHOLE,
    "bedrock-converse": spoken.TURNS,
    "gemini-generate": {
        said: turn
        for said, turn in GENERATE.items()
        if said not in BROKEN and turn.error is None and turn.ending == "complete"
    },
    "gemini-interactions": spoken.TURNS,
    "openai-chat": CHAT,
    "openai-responses": RESPONSES,
}
