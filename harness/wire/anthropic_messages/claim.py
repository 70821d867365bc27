"""How to recognise the body of a request of the Messages API."""

from __future__ import annotations

from collections.abc import Mapping

from harness.wire.base import Claim
from harness.wire.lenient import Json, objects

_MEMBERS = frozenset(["system", "thinking", "stop_sequences", "top_k", "anthropic_version", "output_config"])
"""Members that no other API with ``messages`` has."""

_BLOCKS = frozenset(["tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use"])


def claim(body: Json, headers: Mapping[str, str]) -> Claim:
    """How surely the body is a request of this wire (``Wire.claim``)."""
    if "messages" not in body:
        return Claim.NONE
    return Claim.LIKELY if _is_marked(body, headers) else Claim.POSSIBLE


def _is_marked(body: Json, headers: Mapping[str, str]) -> bool:
    return (
        not _MEMBERS.isdisjoint(body)
        or "anthropic-version" in headers
        or str(body.get("model")).startswith("claude")
        or any("input_schema" in tool for tool in objects(body.get("tools")))
        or any(_kinds(message) & _BLOCKS for message in objects(body.get("messages")))
    )


def _kinds(message: Json) -> set[str]:
    return {str(part.get("type")) for part in objects(message.get("content"))}
