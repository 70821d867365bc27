"""Ids and signatures that a script leaves out, read off the request that gives the turn back.

So no rule can find that a loop altered them: what came back is taken for what was sent. Where nothing came back, as
with Anthropic's thinking, the renderer's own signature stands for the one that was dropped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from harness.golden.form import Recording
from harness.wire import Call, Turn

__all__ = ["signed", "with_recorded_ids"]

Json = dict[str, Any]

_PROOF = re.compile(rb'"encrypted_content":"[^"]*",?')


def signed(turn: Turn, recording: Recording, number: int) -> Turn:
    """The turn that request ``number`` got, its calls signed as they came back."""
    if recording.wire != "gemini-generate":
        return turn
    parts = [part for content in _added(recording, number) for part in content.get("parts", ())]
    signatures = [part.get("thoughtSignature", "") for part in parts if "functionCall" in part]
    if len(signatures) != len(turn.calls):
        return turn
    back = iter(signatures)
    return replace(
        turn,
        parts=tuple(
            [
                replace(part, signature=part.signature or next(back)) if isinstance(part, Call) else part
                for part in turn.parts
            ]
        ),
    )


def with_recorded_ids(body: bytes, items: Sequence[Json], recording: Recording, number: int) -> bytes:
    """The response to request ``number``, its ``items`` under the ids under which they came back."""
    if recording.wire != "openai-responses":
        return body
    back = [item for item in _added(recording, number) if "id" in item]
    if [item["type"] for item in back] != [item["type"] for item in items]:
        return body
    for item, returned in zip(items, back, strict=True):
        body = body.replace(item["id"].encode(), returned["id"].encode())
    # The recorded loop does not ask for encrypted reasoning, and the provider sends it only to those who ask.
    return body if any("encrypted_content" in item for item in back) else _PROOF.sub(b"", body)


def _added(recording: Recording, number: int) -> list[Json]:
    """What the request after ``number`` adds to the history."""
    if number + 1 >= len(recording.requests):
        return []
    before, after = recording.requests[number].history, recording.requests[number + 1].history
    return after[len(before) :]
