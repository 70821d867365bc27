"""Broken servers of Chat Completions."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from harness.wire import Call
from harness.wire.base import Json
from harness.wire.lenient import objects
from harness_lab.mutants.responses.mutant import (
    PLAIN_ERROR,
    ResponseMutant,
    by_bytes,
    by_document,
    by_events,
    dialect,
    objects_in,
)


def with_signature(call: Call) -> Call:
    """A call with its signature where Google's own server of this wire has it."""
    if not call.signature:
        return call
    return replace(call, members={**call.members, "extra_content": {"google": {"thought_signature": call.signature}}})


def _fragments(chunks: list[Json]) -> list[Json]:
    return [each for chunk in objects_in(chunks) for each in objects(chunk.get("tool_calls"))]


def _in_calls(change: Callable[[Json], object]) -> Callable[[list[Json]], list[Json]]:
    def changed(chunks: list[Json]) -> list[Json]:
        for fragment in _fragments(chunks):
            change(fragment)
        return chunks

    return changed


def _heads(change: Callable[[Json], object]) -> Callable[[list[Json]], list[Json]]:
    return _in_calls(lambda fragment: change(fragment) if fragment.get("id") else None)


def _tails_elsewhere(fragment: Json) -> None:
    if not fragment.get("id"):
        fragment["index"] += 5


def _one_id(chunks: list[Json]) -> list[Json]:
    heads = [fragment for fragment in _fragments(chunks) if fragment.get("id")]
    for head in heads:
        head["id"] = heads[0]["id"]
    return chunks


def _shortened(chunks: list[Json]) -> list[Json]:
    """The arguments of the first call lack their last piece."""
    pieces = [each for each in _fragments(chunks) if each.get("index") == 0 and each["function"].get("arguments")]
    pieces[-1]["function"]["arguments"] = ""
    return chunks


def _usage_first(chunks: list[Json]) -> list[Json]:
    return sorted(chunks, key=lambda chunk: bool(chunk["choices"]))


def _own_list(chunks: list[Json]) -> list[Json]:
    for chunk in chunks[:2]:
        chunk["choices"][0]["delta"]["reasoning_details"] = [{"type": "reasoning.text", "text": "Hm."}]
    return chunks


def _calls_of(document: Json) -> list[Json]:
    calls: list[Json] = document["choices"][0]["message"]["tool_calls"]
    return calls


def _object_arguments(document: Json) -> None:
    for call in _calls_of(document):
        call["function"]["arguments"] = json.loads(call["function"]["arguments"])


MUTANTS: Final = (
    ResponseMutant(
        "ids-missing",
        "No fragment of a call has an id.",
        ("SC-01",),
        dialect("ids-missing"),
        evidence="opencode PR #47954",
    ),
    ResponseMutant(
        "empty-id",
        "The id of a call is empty.",
        ("SC-01", "SX-ID"),
        by_events(_heads(lambda fragment: fragment.update(id=""))),
        evidence="lmdeploy #3412",
    ),
    ResponseMutant("no-type", "A call has no type.", ("SC-01",), by_events(_heads(lambda each: each.pop("type")))),
    ResponseMutant(
        "whole-without-id",
        "A call of a whole answer has no id.",
        ("SC-01", "SX-ID"),
        by_document(lambda body: [call.pop("id") for call in _calls_of(body)]),
        stream=False,
    ),
    ResponseMutant(
        "index-zero",
        "All calls have index 0.",
        ("SC-02",),
        dialect("index-zero"),
        ("three calls",),
        evidence="ollama #15457",
    ),
    ResponseMutant(
        "index-missing", "No fragment has an index.", ("SC-03",), dialect("index-missing"), evidence="ollama #7881"
    ),
    ResponseMutant(
        "tails-elsewhere",
        "All fragments of a call but the first have another index.",
        ("SC-04",),
        by_events(_in_calls(_tails_elsewhere)),
        ("three calls",),
        evidence="agno PR #8880",
    ),
    ResponseMutant(
        "one-id",
        "All calls of a response have one id.",
        ("SC-05", "SX-ID"),
        by_events(_one_id),
        ("three calls",),
        evidence="lmdeploy #3412",
    ),
    ResponseMutant(
        "arguments-cut", "The last piece of the arguments is missing.", ("SC-06", "SX-ARGS"), by_events(_shortened)
    ),
    ResponseMutant(
        "object-arguments",
        "The arguments are an object.",
        ("SC-07",),
        dialect("object-arguments"),
        evidence="llama.cpp #20198",
    ),
    ResponseMutant(
        "whole-object-arguments",
        "The arguments of a whole answer are an object.",
        ("SC-07",),
        by_document(_object_arguments),
        stream=False,
        evidence="picoclaw #1287",
    ),
    ResponseMutant(
        "stop-with-calls",
        "An answer with calls finishes with stop.",
        ("SC-08",),
        dialect("stop-with-calls"),
        evidence="openvino model_server #3927",
    ),
    ResponseMutant(
        "no-finish-reason",
        "There is no finish reason.",
        ("SC-09",),
        dialect("no-finish-reason"),
        ("text",),
        evidence="vllm-mlx #628",
    ),
    ResponseMutant(
        "two-finish-reasons",
        "stop comes behind tool_calls.",
        ("SC-09",),
        dialect("two-finish-reasons"),
        evidence="ChatMock PR #114",
    ),
    ResponseMutant(
        "calls-after-finish",
        "The calls come behind the finish reason.",
        ("SC-09",),
        dialect("calls-after-finish"),
        evidence="recorded streams of Together",
    ),
    ResponseMutant("no-done", "The stream ends without [DONE].", ("SC-10",), dialect("no-done"), evidence="Perplexity"),
    ResponseMutant(
        "usage-first", "The chunk with the usage comes first.", ("SC-11",), by_events(_usage_first), ("text",)
    ),
    ResponseMutant(
        "usage-without-choices",
        "The chunk with the usage has no choices.",
        ("SC-21",),
        dialect("usage-without-choices"),
        ("text",),
        evidence="FastChat #3160",
    ),
    ResponseMutant(
        "own-list",
        "A list of the server's own has no index.",
        ("SX-INDEX",),
        by_events(_own_list),
    ),
    ResponseMutant(
        "broken-frame",
        "A frame ends in the middle of its JSON.",
        ("SX-JSON",),
        by_bytes(lambda body: body.replace(b'"finish_reason":null}', b'"finish_rea', 1)),
        ("text",),
        evidence="litellm #30471",
    ),
    PLAIN_ERROR,
)
