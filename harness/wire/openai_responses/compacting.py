"""``POST /v1/responses/compact``: a history as the user's messages and one encrypted item for all the rest.

The form comes from recordings of the provider (``test_openai_responses_compact_messages`` and similar ones).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from harness.wire.base import Conversation, Json
from harness.wire.identity import HEX, Identity
from harness.wire.openai_responses.build import encrypted
from harness.wire.turn import Text

_BYTES_PER_TOKEN: Final = 4
_OUTPUT: Final = 180
"""Tokens that a compaction costs, about as many as recorded ones."""


def compacted(conversation: Conversation, identity: Identity) -> Json:
    """The compacted history of a resolved request (``Wire.in_place``)."""
    user_messages = list(_user_messages(conversation, identity))
    item = {"id": identity.id("cmp_", 48, HEX), "type": "compaction", "encrypted_content": encrypted(identity)}
    tokens = max(1, sum(len(message.text) for message in conversation.messages) // _BYTES_PER_TOKEN)
    return {
        "id": identity.id("resp_", 48, HEX),
        "object": "response.compaction",
        "created_at": identity.now(),
        "output": [*user_messages, item],
        "usage": {
            "input_tokens": tokens,
            "input_tokens_details": {"cache_write_tokens": 0, "cached_tokens": 0},
            "output_tokens": _OUTPUT,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": tokens + _OUTPUT,
        },
    }


def _user_messages(conversation: Conversation, identity: Identity) -> Iterator[Json]:
    for message in conversation.messages:
        if message.role == "user":
            parts = [
                {"type": "input_text", "text": part.text} if isinstance(part, Text) else getattr(part, "native", {})
                for part in message.parts
            ]
            id = identity.id("msg_", 48, HEX)
            yield {"id": id, "type": "message", "status": "completed", "role": "user", "content": parts}
