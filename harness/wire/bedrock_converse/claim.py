"""How to recognise the body of a request of Converse."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from harness.wire.base import Claim, Json
from harness.wire.lenient import objects

_MEMBERS: Final = frozenset(["inferenceConfig", "toolConfig", "additionalModelRequestFields", "guardrailConfig"])
"""Members that no other API with ``messages`` has."""


def claim(body: Json, headers: Mapping[str, str]) -> Claim:  # noqa: ARG001 - none says it
    """How surely the body is a request of this wire: a content block has one member and no type (``Wire.claim``)."""
    if "messages" not in body:
        return Claim.NONE
    if not _MEMBERS.isdisjoint(body):
        return Claim.SURE
    blocks = [block for message in objects(body["messages"]) for block in objects(message.get("content"))]
    return Claim.SURE if blocks and all(len(block) == 1 and "type" not in block for block in blocks) else Claim.NONE
