"""How to recognise the body of a request to Interactions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from harness.wire.base import Claim, Json
from harness.wire.gemini_interactions.steps import INPUT, OUTPUT, RESULT, THOUGHT, kind_of
from harness.wire.lenient import entries, string

_MEMBERS: Final = frozenset(["previous_interaction_id", "generation_config", "system_instruction", "agent"])
_STEPS: Final = frozenset([INPUT, OUTPUT, THOUGHT, RESULT])
"""Types that no other API with ``input`` has; Responses has ``function_call``, too."""


def claim(body: Json, headers: Mapping[str, str]) -> Claim:  # noqa: ARG001 - none says it
    """How surely the body is a request of this wire (``Wire.claim``)."""
    if "previous_interaction_id" in body:
        return Claim.SURE
    if "input" not in body:
        return Claim.NONE
    known = not _MEMBERS.isdisjoint(body) or any(kind_of(each) in _STEPS for each in entries(body["input"]))
    return Claim.SURE if known or string(body.get("model")).startswith("gemini") else Claim.NONE


def begins_answer(document: Json) -> bool:
    """Whether a JSON object is a whole answer, or the first event of a streamed one."""
    if document.get("event_type") == "interaction.created":
        return isinstance(document.get("interaction"), dict)
    return document.get("object") == "interaction" and isinstance(document.get("steps"), list)
