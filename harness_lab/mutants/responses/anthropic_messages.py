"""Broken servers of the Messages API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from harness.wire import Call, FinishReason, Turn
from harness.wire.base import Json
from harness_lab.mutants.responses.answers import CALL
from harness_lab.mutants.responses.mutant import (
    ResponseMutant,
    by_bytes,
    by_document,
    by_events,
    dialect,
    each,
    without,
)

_SEARCH: Final = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "Oslo"}}

OWN_ANSWERS: Final = {
    "a call by code": Turn(
        (
            Call(
                CALL.name,
                CALL.arguments,
                members={"caller": {"type": "code_execution_20250825", "tool_id": "srvtoolu_01"}},
            ),
        ),
        FinishReason.TOOL_CALLS,
        members={"container": {"id": "container_01", "expires_at": "2026-08-01T00:00:00Z"}},
    ),
    "a pause": Turn((), FinishReason.PAUSE),
}


def _is(kind: str, delta: str = "") -> Callable[[Json], bool]:
    return lambda event: event.get("type") == kind and delta in ("", (event.get("delta") or {}).get("type"))


def _renumbered(events: list[Json]) -> list[Json]:
    """The blocks are numbered from 1."""
    for event in events:
        if "index" in event:
            event["index"] += 1
    return events


def _first_stop_missing(events: list[Json]) -> list[Json]:
    at = next(at for at, event in enumerate(events) if event["type"] == "content_block_stop")
    return events[:at] + events[at + 1 :]


def _text_in_call(event: Json) -> None:
    if event.get("type") == "input_json_delta":
        text = event.pop("partial_json")
        event.update(type="text_delta", text=text)


def _shortened(events: list[Json]) -> list[Json]:
    last = [event for event in events if _is("content_block_delta", "input_json_delta")(event)][-1]
    last["delta"]["partial_json"] = ""
    return events


def _empty_text(event: Json) -> None:
    if event.get("type") == "text_delta":
        event["text"] = ""


def _no_text(event: Json) -> None:
    if event.get("type") == "text" and "text" in event:
        event["text"] = None


def _named(change: Callable[[str], str], kind: str) -> Callable[[Json], Any]:
    return lambda found: found.update(id=change(found["id"])) if found.get("type") == kind else None


def _thought_id(call_id: str) -> str:
    return f"{call_id}__thought__EqQB+/=="


def _one_id(events: list[Json]) -> list[Json]:
    calls = [event["content_block"] for event in events if "content_block" in event]
    for call in calls:
        if call["type"] == "tool_use":
            call["id"] = "toolu_01"
    return events


def _without_container(event: Json) -> None:
    event.pop("container", None)


MUTANTS: Final = (
    ResponseMutant(
        "two-message-starts",
        "message_start comes twice.",
        ("SA-01",),
        dialect("two-message-starts"),
        evidence="litellm #32357",
    ),
    ResponseMutant(
        "no-message-start", "message_start never comes.", ("SA-01",), by_events(without(_is("message_start")))
    ),
    ResponseMutant("index-from-one", "Blocks are numbered from 1.", ("SA-02",), by_events(_renumbered)),
    ResponseMutant(
        "block-not-stopped",
        "A block is not stopped before the next.",
        ("SA-02",),
        by_events(_first_stop_missing),
        evidence="sglang PR #25876",
    ),
    ResponseMutant(
        "block-not-started",
        "Blocks are not started.",
        ("SA-02",),
        by_events(without(_is("content_block_start"))),
        ("text",),
    ),
    ResponseMutant(
        "thinking-in-text",
        "Thinking comes in the block of the text.",
        ("SA-03",),
        dialect("thinking-in-text"),
        evidence="litellm #33224",
    ),
    ResponseMutant(
        "text-in-call", "The arguments of a call come as text_delta.", ("SA-03",), by_events(each(_text_in_call))
    ),
    ResponseMutant(
        "no-input",
        "The arguments of a call never come.",
        ("SA-04", "SX-ARGS"),
        by_events(without(_is("content_block_delta", "input_json_delta"))),
        evidence="litellm #25561",
    ),
    ResponseMutant(
        "input-cut", "The last piece of the arguments is missing.", ("SA-04", "SX-ARGS"), by_events(_shortened)
    ),
    ResponseMutant(
        "whole-text-input",
        "The arguments of a whole answer are text.",
        ("SA-04",),
        by_document(lambda body: body["content"][-1].update(input="{}")),
        stream=False,
    ),
    ResponseMutant(
        "invented-search",
        "A search of the provider is in front that there never was.",
        ("SX-MORE",),
        by_document(lambda body: body["content"].insert(0, dict(_SEARCH))),
        stream=False,
        evidence="claude-code-router 2.0.0",
    ),
    ResponseMutant(
        "end-turn-with-calls",
        "An answer with calls stops with end_turn.",
        ("SA-05",),
        dialect("end-turn-with-calls"),
        evidence="litellm #34692",
    ),
    ResponseMutant(
        "empty-text",
        "A block of text is empty.",
        ("SA-06", "SX-TEXT"),
        by_events(each(_empty_text)),
        evidence="litellm #34692",
    ),
    ResponseMutant(
        "no-signature",
        "Thinking has no signature.",
        ("SA-07", "SX-SIG"),
        by_events(without(_is("content_block_delta", "signature_delta"))),
        evidence="litellm #32357",
    ),
    ResponseMutant(
        "no-message-delta", "message_delta never comes.", ("SA-08",), by_events(without(_is("message_delta")))
    ),
    ResponseMutant(
        "no-message-stop", "message_stop never comes.", ("SA-08", "SX-END"), by_events(without(_is("message_stop")))
    ),
    ResponseMutant(
        "no-usage",
        "message_delta has no usage.",
        ("SA-08",),
        by_events(each(lambda event: event.pop("usage", None) if event.get("type") == "message_delta" else None)),
    ),
    ResponseMutant(
        "thought-in-id",
        "The id of a call has a signature in it.",
        ("SA-09",),
        by_events(each(_named(_thought_id, "tool_use"))),
        evidence="litellm #25561",
    ),
    ResponseMutant("one-id", "All calls have one id.", ("SA-09", "SX-ID"), by_events(_one_id), ("three calls",)),
    ResponseMutant(
        "plain-error",
        "An HTTP error has another body.",
        ("SA-10",),
        by_bytes(lambda _: b'{"detail": "Internal Server Error"}'),
        ("HTTP 500",),
        stream=False,
        evidence="sglang PR #25876",
    ),
    ResponseMutant(
        "no-container",
        "The container is not named.",
        ("SA-11",),
        by_events(each(_without_container)),
        ("a call by code",),
        evidence="anthropic-sdk-python #1865",
    ),
    ResponseMutant(
        "server-tool-id",
        "A server tool has the id of a call.",
        ("SA-12",),
        by_events(each(_named(lambda _: "toolu_01", "server_tool_use"))),
        ("a pause",),
        evidence="litellm PR #31672",
    ),
    ResponseMutant(
        "none-text",
        "The text of a block is null.",
        ("SA-13",),
        by_events(each(_no_text)),
        ("text",),
        evidence="vllm PR #22627",
    ),
    ResponseMutant(
        "other-names",
        "A frame has another name than its event.",
        ("SX-EVENT",),
        by_bytes(lambda body: body.replace(b"event: content_block_stop", b"event: block_stop")),
    ),
    ResponseMutant(
        "broken-frame",
        "A frame ends in the middle of its JSON.",
        ("SX-JSON",),
        by_bytes(lambda body: body.replace(b'"type":"content_block_stop","index":0}', b'"type":"content_blo', 1)),
    ),
)
