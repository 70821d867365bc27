"""Broken servers of the Interactions API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from harness.wire.base import Json
from harness_lab.mutants.responses.mutant import (
    PLAIN_ERROR,
    ResponseMutant,
    by_bytes,
    by_events,
    each,
    objects_in,
    without,
)


def _is(kind: str, delta: str = "") -> Callable[[Json], bool]:
    return lambda event: event.get("event_type") == kind and delta in ("", (event.get("delta") or {}).get("type"))


def _created_twice(events: list[Json]) -> list[Json]:
    return [events[0], *events]


def _from_one(events: list[Json]) -> list[Json]:
    for event in events:
        if "index" in event:
            event["index"] += 1
    return events


def _text_in_call(delta: Json) -> None:
    if delta.get("type") == "arguments_delta":
        delta.update(type="text", text=delta.pop("arguments"))


def _shortened(events: list[Json]) -> list[Json]:
    last = [event for event in events if _is("step.delta", "arguments_delta")(event)][-1]
    last["delta"]["arguments"] = ""
    return events


def _completed(found: Json) -> None:
    if found.get("status") == "requires_action":
        found["status"] = "completed"


def _one_id(events: list[Json]) -> list[Json]:
    for found in objects_in(events):
        if found.get("type") == "function_call":
            found["id"] = "one"
    return events


MUTANTS: Final = (
    ResponseMutant(
        "not-created", "interaction.created never comes.", ("SI-01",), by_events(without(_is("interaction.created")))
    ),
    ResponseMutant("created-twice", "interaction.created comes twice.", ("SI-01",), by_events(_created_twice)),
    ResponseMutant("index-from-one", "Steps are numbered from 1.", ("SI-02",), by_events(_from_one)),
    ResponseMutant("never-stopped", "No step is stopped.", ("SI-02",), by_events(without(_is("step.stop")))),
    ResponseMutant("text-in-call", "Arguments come as text.", ("SI-03",), by_events(each(_text_in_call))),
    ResponseMutant(
        "arguments-cut", "The last piece of the arguments is missing.", ("SI-04", "SX-ARGS"), by_events(_shortened)
    ),
    ResponseMutant(
        "no-signature",
        "A thought has no signature.",
        ("SI-05", "SX-SIG"),
        by_events(without(_is("step.delta", "thought_signature"))),
    ),
    ResponseMutant(
        "not-completed",
        "interaction.completed never comes.",
        ("SI-06", "SX-END"),
        by_events(without(_is("interaction.completed"))),
    ),
    ResponseMutant("no-done", "The stream ends without [DONE].", ("SI-07",), by_events(list, end=False)),
    ResponseMutant("completed-with-calls", "The status is completed.", ("SI-08",), by_events(each(_completed))),
    ResponseMutant("one-id", "All calls have one id.", ("SI-09", "SX-ID"), by_events(_one_id), ("three calls",)),
    ResponseMutant(
        "other-names",
        "A frame has another name than its event.",
        ("SX-EVENT",),
        by_bytes(lambda body: body.replace(b"event: step.stop", b"event: stop")),
    ),
    ResponseMutant(
        "broken-frame",
        "A frame ends in the middle of its JSON.",
        ("SX-JSON",),
        by_bytes(lambda body: body.replace(b'"event_type":"step.stop"}', b'"event_ty', 1)),
    ),
    PLAIN_ERROR,
)
