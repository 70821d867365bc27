"""Broken servers of the Responses API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from harness.wire.base import Json
from harness_lab.mutants.responses.mutant import (
    PLAIN_ERROR,
    ResponseMutant,
    by_bytes,
    by_document,
    by_events,
    dialect,
    each,
    without,
)

_ARGUMENTS_DONE: Final = "response.function_call_arguments.done"
_ITEM_DONE: Final = "response.output_item.done"


def _is(*kinds: str) -> Callable[[Json], bool]:
    return lambda event: event.get("type") in kinds


def _changed(kind: str, change: Callable[[Json], Any]) -> Callable[[list[Json]], list[Json]]:
    """Changes the events of one type."""
    return each(lambda event: change(event) if event.get("type") == kind else None)


def _call_in_item(event: Json) -> None:
    if event["item"]["type"] == "function_call":
        event["item"]["arguments"] = "{}"


def _end_twice(events: list[Json]) -> list[Json]:
    last = events[-1]
    return [*events, {**last, "sequence_number": last["sequence_number"] + 1}]


def _failed_behind(events: list[Json]) -> list[Json]:
    last = events[-1]
    failed = {**last["response"], "status": "failed"}
    return [*events, {**last, "type": "response.failed", "response": failed}]


def _empty_output(event: Json) -> None:
    event["response"]["output"] = []


def _call_ids(change: Callable[[str], str]) -> Callable[[Json], Any]:
    return lambda found: found.update(call_id=change(found["call_id"])) if "call_id" in found else None


def _no_encrypted(found: Json) -> None:
    if found.get("type") == "reasoning" and "summary" in found:
        found.pop("encrypted_content", None)


def _reasoning_last(document: Json) -> None:
    document["output"].append(document["output"].pop(0))


def _no_details(event: Json) -> None:
    event["response"]["incomplete_details"] = None


def _completed(found: Json) -> None:
    """A response that was cut says that it is completed; its item stays incomplete."""
    if found.get("object") == "response" and found["status"] == "incomplete":
        found["status"] = "completed"
    if found.get("type") == "response.incomplete":
        found["type"] = "response.completed"


def _bare_error(events: list[Json]) -> list[Json]:
    return [*events[:4], {"error": {"message": "The server had an error.", "type": "server_error"}}]


MUTANTS: Final = (
    ResponseMutant(
        "no-sequence-numbers",
        "No event has a sequence_number.",
        ("SR-01",),
        dialect("no-sequence-numbers"),
        evidence="llama.cpp PR #24957",
    ),
    ResponseMutant(
        "sequence-number-one",
        "Each event has the sequence_number 1.",
        ("SR-01",),
        dialect("sequence-number-one"),
        evidence="litellm PR #28899",
    ),
    ResponseMutant(
        "no-output-index",
        "No event has an output_index.",
        ("SR-02",),
        dialect("no-output-index"),
        evidence="lemonade #3607",
    ),
    ResponseMutant(
        "no-content-index",
        "No event has a content_index.",
        ("SR-02",),
        by_events(each(lambda event: event.pop("content_index", None))),
        ("text",),
    ),
    ResponseMutant(
        "no-text-done",
        "output_text.done never comes.",
        ("SR-03",),
        by_events(without(_is("response.output_text.done"))),
        ("text",),
        evidence="ogx #5309",
    ),
    ResponseMutant(
        "no-part-added",
        "content_part.added never comes.",
        ("SR-03",),
        by_events(without(_is("response.content_part.added"))),
        ("text",),
    ),
    ResponseMutant(
        "other-text-done",
        "output_text.done says something else than the deltas.",
        ("SR-03",),
        by_events(_changed("response.output_text.done", lambda event: event.update(text="Done."))),
        ("text",),
    ),
    ResponseMutant(
        "no-arguments-done",
        "function_call_arguments.done never comes.",
        ("SR-04",),
        by_events(without(_is(_ARGUMENTS_DONE))),
        evidence="llama.cpp",
    ),
    ResponseMutant(
        "other-arguments-done",
        "function_call_arguments.done says something else than the deltas.",
        ("SR-04",),
        by_events(_changed(_ARGUMENTS_DONE, lambda event: event.update(arguments="{}"))),
    ),
    ResponseMutant(
        "empty-arguments-in-item",
        "The item that is done has no arguments.",
        ("SR-04", "SX-ARGS"),
        by_events(_changed(_ITEM_DONE, _call_in_item)),
    ),
    ResponseMutant(
        "no-created", "response.created never comes.", ("SR-05",), by_events(without(_is("response.created")))
    ),
    ResponseMutant(
        "no-completed",
        "The stream ends without response.completed.",
        ("SR-05", "SX-END"),
        by_events(without(_is("response.completed"))),
    ),
    ResponseMutant("completed-twice", "response.completed comes twice.", ("SR-05",), by_events(_end_twice)),
    ResponseMutant(
        "failed-behind-completed",
        "response.failed comes behind response.completed.",
        ("SR-05",),
        by_events(_failed_behind),
        evidence="sub2api #3038",
    ),
    ResponseMutant(
        "empty-output",
        "The response at the end has no output.",
        ("SR-05",),
        by_events(_changed("response.completed", _empty_output)),
    ),
    ResponseMutant(
        "changing-item-ids",
        "Each event names another item.",
        ("SR-06",),
        dialect("changing-item-ids"),
        evidence="vercel/ai PR #18548",
    ),
    ResponseMutant(
        "empty-call-id", "A call has an empty call_id.", ("SR-08", "SX-ID"), by_events(each(_call_ids(lambda _: "")))
    ),
    ResponseMutant(
        "one-call-id",
        "All calls have one call_id.",
        ("SR-08", "SX-ID"),
        by_events(each(_call_ids(lambda _: "call_1"))),
        ("three calls",),
    ),
    ResponseMutant(
        "no-encrypted-content",
        "Reasoning has no encrypted_content.",
        ("SR-10", "SX-SIG"),
        by_events(each(_no_encrypted)),
    ),
    ResponseMutant(
        "no-phase", "A message has no phase.", ("SX-PHASE",), by_events(each(lambda item: item.pop("phase", None)))
    ),
    ResponseMutant(
        "reasoning-last",
        "Reasoning comes behind what it has produced.",
        ("SR-10",),
        by_document(_reasoning_last),
        stream=False,
    ),
    ResponseMutant(
        "no-reason",
        "An answer that was cut does not say why.",
        ("SR-12",),
        by_events(_changed("response.incomplete", _no_details)),
        ("a cut text",),
    ),
    ResponseMutant(
        "cut-and-completed",
        "An answer that was cut is completed, with an item that is not.",
        ("SR-12",),
        by_events(each(_completed)),
        ("a cut text",),
    ),
    ResponseMutant(
        "bare-error",
        "An error in the stream has no type.",
        ("SR-15",),
        by_events(_bare_error),
        ("text",),
        evidence="sub2api #3038",
    ),
    ResponseMutant(
        "error-with-200",
        "An error before the stream has status 200.",
        ("SR-15",),
        by_bytes(lambda _: b'{"error": {"message": "The server had an error.", "type": "server_error"}}'),
        stream=False,
    ),
    ResponseMutant(
        "no-json-arguments",
        "The arguments of a call are no JSON.",
        ("SR-17", "SX-ARGS"),
        by_document(lambda body: body["output"][-1].update(arguments='{"path": "src')),
        stream=False,
    ),
    ResponseMutant(
        "other-names",
        "A frame has another name than its event.",
        ("SX-EVENT",),
        by_bytes(lambda body: body.replace(b"event: response.output_item.done", b"event: item.done")),
    ),
    ResponseMutant(
        "broken-frame",
        "A frame ends in the middle of its JSON.",
        ("SX-JSON",),
        by_bytes(lambda body: body.replace(b'"sequence_number":3}', b'"sequence_num', 1)),
    ),
    PLAIN_ERROR,
)
