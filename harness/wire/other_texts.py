"""Servers' answers that differ from the templates of a rule. They help to find the rule of a pasted error.

The endpoint never answers with these. ``{words}`` mark what differs, as in a template. No text here is also a template
of its rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

OTHER_TEXTS: Final[Mapping[str, tuple[str, ...]]] = {
    "ANT-09": (
        "messages.{number}.content.{number}.thinking.signature: Field required",
        "thinking.signature: Field required",
    ),
    "ANT-16": ("Expected `thinking` or `redacted_thinking`, but found `{found}`.",),
    "OAI-04": ("Input[{number}] missing required field `{name}`",),
    "OAI-11": ("No tool call found for tool output with call_id {id}",),
    "OAI-17": ("invalid_encrypted_content",),
    "OAI-18": ("previous_response_not_found",),
    "OAC-17": (
        "This model's maximum context length is {limit} tokens. However, you requested {tokens} tokens ({tokens} in "
        "the messages, {tokens} in the completion).",
        "This endpoint's maximum context length is {limit} tokens. However, you requested about {tokens} tokens",
        "request ({tokens} tokens) exceeds the available context size ({limit} tokens), try increasing it",
        "prompt too long; exceeded max context length by {tokens} tokens",
    ),
    "OAC-19": (
        "Missing `reasoning_content` field in the assistant message at message index {number}. For more information, "
        "please refer to {page}",
    ),
    "GEM-08": ("Function call `{name}` in the `{number}.` content block is missing a `thought_signature`.",),
}
"""By rule: from public threads, from ``corpus`` and ``corpus2`` and from the code of clients."""
