"""Reads ids and signatures that a script leaves out from the request that sends the turn back.

So no rule can find that a loop altered them: what came back is taken for what was sent. If nothing came back, as with
Anthropic's thinking, the renderer's own signature replaces the missing one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from harness.wire import Call, Part, Turn
from harness.wire.base import Json
from harness.wire.lenient import objects, string
from harness_lab.recorded.run import RecordedRun

_PROOF = re.compile(rb'"encrypted_content":"[^"]*",?')


def signed(turn: Turn, recording: RecordedRun, number: int) -> Turn:
    """The turn that answers request ``number``, with its calls signed as they came back."""
    if recording.wire != "gemini-generate":
        return turn
    parts = [part for content in _added(recording, number) for part in objects(content.get("parts"))]
    signatures = [string(part.get("thoughtSignature")) for part in parts if "functionCall" in part]
    if len(signatures) != len(turn.calls):
        return turn
    back = iter(signatures)
    return replace(turn, parts=tuple([_signed(part, back) for part in turn.parts]))


def _signed(part: Part, signatures: Iterator[str]) -> Part:
    if not isinstance(part, Call):
        return part
    signature = next(signatures)
    return replace(part, signature=part.signature or signature)


def with_recorded_ids(body: bytes, items: Sequence[Json], recording: RecordedRun, number: int) -> bytes:
    """The response to request ``number``, with the ids of its ``items`` that came back."""
    if recording.wire != "openai-responses":
        return body
    back = [item for item in _added(recording, number) if string(item.get("id"))]
    if [item.get("type") for item in back] != [item["type"] for item in items]:
        return body
    for item, returned in zip(items, back, strict=True):
        body = body.replace(item["id"].encode(), returned["id"].encode())
    # The recorded loop does not ask for encrypted reasoning, and the provider sends it only to those who ask.
    return body if any("encrypted_content" in item for item in back) else _PROOF.sub(b"", body)


def _added(recording: RecordedRun, number: int) -> list[Json]:
    """The part of the history that the request after ``number`` adds."""
    if number + 1 >= len(recording.exchanges):
        return []
    before, after = recording.exchanges[number].history, recording.exchanges[number + 1].history
    return after[len(before) :]
