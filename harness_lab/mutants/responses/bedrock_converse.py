"""Broken servers of Converse."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Final

from harness.wire.base import Json
from harness.wire.bedrock_converse.stream import event, events
from harness_lab.mutants.responses.answers import ServedAnswer
from harness_lab.mutants.responses.mutant import PLAIN_ERROR, Edit, ResponseMutant, by_bytes, by_document, objects_in


def _by_frames(change: Callable[[list[Json]], Iterable[Json]]) -> Edit:
    """Changes the events of a stream of AWS, each of which is ``{name: payload}``."""

    def edit(answer: ServedAnswer) -> ServedAnswer:
        return replace(answer, body=b"".join(_framed(change([each for _, each in events(answer.body)]))))

    return edit


def _framed(changed: Iterable[Json]) -> Iterator[bytes]:
    for each in changed:
        for name, payload in each.items():
            yield event(name, {member: value for member, value in payload.items() if member != "p"})


def _without(name: str) -> Edit:
    return _by_frames(lambda frames: [each for each in frames if name not in each])


def _started_twice(frames: list[Json]) -> list[Json]:
    return [frames[0], *frames]


def _text_in_call(frames: list[Json]) -> list[Json]:
    for each in frames:
        delta = each.get("contentBlockDelta", {}).get("delta", {})
        if "toolUse" in delta:
            each["contentBlockDelta"]["delta"] = {"text": delta["toolUse"]["input"]}
    return frames


def _shortened(frames: list[Json]) -> list[Json]:
    calls = [each for each in objects_in(frames) if "toolUse" in each and "input" in each["toolUse"]]
    calls[-1]["toolUse"]["input"] = ""
    return frames


def _end_turn(frames: list[Json]) -> list[Json]:
    for each in frames:
        if "messageStop" in each:
            each["messageStop"]["stopReason"] = "end_turn"
    return frames


def _unsigned(frames: list[Json]) -> list[Json]:
    return [
        each
        for each in frames
        if "signature" not in each.get("contentBlockDelta", {}).get("delta", {}).get("reasoningContent", {})
    ]


def _one_id(frames: list[Json]) -> list[Json]:
    for each in objects_in(frames):
        if "toolUseId" in each:
            each["toolUseId"] = "tooluse_1"
    return frames


MUTANTS: Final = (
    ResponseMutant("not-started", "messageStart never comes.", ("SB-01",), _without("messageStart")),
    ResponseMutant("started-twice", "messageStart comes twice.", ("SB-01",), _by_frames(_started_twice)),
    ResponseMutant("never-stopped", "No block is stopped.", ("SB-02",), _without("contentBlockStop")),
    ResponseMutant("text-in-call", "The input of a call comes as text.", ("SB-03",), _by_frames(_text_in_call)),
    ResponseMutant(
        "input-cut", "The last piece of the input is missing.", ("SB-04", "SX-ARGS"), _by_frames(_shortened)
    ),
    ResponseMutant(
        "end-turn-with-calls", "An answer with calls stops with end_turn.", ("SB-05",), _by_frames(_end_turn)
    ),
    ResponseMutant("no-signature", "Reasoning has no signature.", ("SB-06", "SX-SIG"), _by_frames(_unsigned)),
    ResponseMutant("no-metadata", "metadata never comes.", ("SB-07",), _without("metadata")),
    ResponseMutant("no-message-stop", "messageStop never comes.", ("SB-07", "SX-END"), _without("messageStop")),
    ResponseMutant(
        "one-id", "All calls have one toolUseId.", ("SB-08", "SX-ID"), _by_frames(_one_id), ("three calls",)
    ),
    ResponseMutant(
        "no-usage",
        "A whole answer has no usage.",
        ("SB-07",),
        by_document(lambda body: body.pop("usage")),
        stream=False,
    ),
    ResponseMutant(
        "wrong-checksum",
        "A frame has a wrong checksum.",
        ("SX-JSON",),
        by_bytes(lambda body: body[:-1] + bytes([body[-1] ^ 1])),
    ),
    PLAIN_ERROR,
)
