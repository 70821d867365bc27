"""Broken servers of ``generateContent``."""

from __future__ import annotations

import json
from typing import Final

from harness.wire.base import Json
from harness_lab.mutants.responses.mutant import (
    PLAIN_ERROR,
    ResponseMutant,
    by_bytes,
    by_document,
    by_events,
    dialect,
    each,
    objects_in,
)


def _unsigned(part: Json) -> None:
    if "functionCall" in part:
        part.pop("thoughtSignature", None)


def _function_call(candidate: Json) -> None:
    if candidate.get("finishReason") == "STOP":
        candidate["finishReason"] = "FUNCTION_CALL"


def _snake_case(part: Json) -> None:
    if "functionCall" in part:
        part["function_call"] = part.pop("functionCall")


def _partial(part: Json) -> None:
    if "functionCall" in part:
        name = part["functionCall"]["name"]
        piece = {"jsonPath": "$.path", "stringValue": "src", "willContinue": True}
        part["functionCall"] = {"name": name, "partialArgs": [piece], "willContinue": True}


def _one_id(chunks: list[Json]) -> list[Json]:
    for found in objects_in(chunks):
        if "functionCall" in found:
            found["functionCall"]["id"] = "one"
    return chunks


def _no_end(candidate: Json) -> None:
    candidate.pop("finishReason", None)


def _text_args(part: Json) -> None:
    if "functionCall" in part:
        part["functionCall"]["args"] = json.dumps(part["functionCall"]["args"])


def _nothing_between(chunks: list[Json]) -> list[Json]:
    return [chunks[0], {}, *chunks[1:]]


MUTANTS: Final = (
    ResponseMutant(
        "no-signature",
        "The first call has no thoughtSignature.",
        ("SG-01", "SX-SIG"),
        by_events(each(_unsigned)),
        evidence="openrouter-examples #67",
    ),
    ResponseMutant(
        "broken-frame",
        "A data: line ends in the middle of its JSON.",
        ("SG-02",),
        by_bytes(lambda body: body.replace(b'"functionCall"', b'"functi\r\n\r\ndata: {"', 1)),
        evidence="litellm #30471",
    ),
    ResponseMutant(
        "function-call-reason",
        "finishReason is FUNCTION_CALL.",
        ("SG-04",),
        by_events(each(_function_call)),
        evidence="aimock",
    ),
    ResponseMutant(
        "snake-case",
        "Members are in snake_case.",
        ("SG-05",),
        by_events(each(_snake_case)),
        evidence="CLIProxyAPI #1538",
    ),
    ResponseMutant(
        "partial-without-end",
        "Arguments that come in parts have no end.",
        ("SG-06",),
        by_events(each(_partial)),
        evidence="vercel/ai: fixture stream-tool-call-array-arguments-missing-terminal-function-call",
    ),
    ResponseMutant("one-id", "All calls have one id.", ("SG-07", "SX-ID"), by_events(_one_id), ("three calls",)),
    ResponseMutant("no-finish-reason", "There is no finishReason.", ("SG-08", "SX-END"), by_events(each(_no_end))),
    ResponseMutant(
        "early-stop",
        "Each chunk has the finishReason STOP.",
        ("SG-08",),
        dialect("early-stop"),
        evidence="CLIProxyAPI #5651",
    ),
    ResponseMutant("text-args", "The arguments are text.", ("SG-09",), by_events(each(_text_args))),
    ResponseMutant(
        "whole-text-args",
        "The arguments of a whole answer are text.",
        ("SG-09",),
        by_document(lambda body: [*map(_text_args, objects_in(body))]),
        stream=False,
    ),
    ResponseMutant("empty-chunk", "A chunk has nothing in it.", ("SG-10",), by_events(_nothing_between)),
    PLAIN_ERROR,
)
