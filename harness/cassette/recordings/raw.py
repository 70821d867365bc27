"""The raw JSON of recorded responses, and forms of them that no session asks for."""

from __future__ import annotations

import json
from typing import Any, Literal

from harness.wire.base import Json

UnaskedForm = Literal["numeric enums", "streamed arguments"]
"""Forms of a Gemini response that the session never asks for, and does not read."""


def raw_events(body: bytes) -> list[Any]:
    """The JSON of every ``data`` line of a stream. Each recorded event has one such line."""
    lines = body.decode().replace("\r", "\n").split("\n")
    data = (line[5:].strip() for line in lines if line.startswith("data:"))
    return [json.loads(text) for text in data if text and text != "[DONE]"]


def unasked_form(body: bytes, *, streamed: bool) -> UnaskedForm | None:
    """Why the session does not read this response; None if it does. May raise for a body of another form."""
    responses = gemini_objects(body, streamed=streamed)
    candidates = [each for response in responses for each in response.get("candidates") or ()]
    calls = [part.get("functionCall") or {} for each in candidates for part in gemini_parts(each)]
    if any("partialArgs" in call or "willContinue" in call for call in calls):
        return "streamed arguments"
    ends = [each.get("finishReason") for each in candidates] + [gemini_block_reason(response) for response in responses]
    return "numeric enums" if any(isinstance(end, int) for end in ends) else None


def gemini_objects(body: bytes, *, streamed: bool) -> list[Any]:
    """The JSON of a Gemini response: of each event, or of the whole."""
    return raw_events(body) if streamed else [json.loads(body)]


def gemini_parts(candidate: Json) -> list[Json]:
    """The parts of a candidate."""
    return (candidate.get("content") or {}).get("parts") or []


def gemini_block_reason(response: Json) -> Any:
    """Why the prompt was blocked; None if it was not."""
    return (response.get("promptFeedback") or {}).get("blockReason")
