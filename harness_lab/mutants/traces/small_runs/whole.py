"""Words that ``whole.yaml`` needs besides."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from harness.trace import (
    Assistant,
    Event,
    EventRecord,
    RequestRecord,
    ResponseRecord,
)
from harness.wire import wire
from harness_lab.mutants.traces.draft import TraceDraft, later, numbered, requests, rewrite
from harness_lab.mutants.traces.mutant import draft_edit
from harness_lab.mutants.traces.small_runs.sockets import over


def goes_on(draft: TraceDraft) -> None:
    """The second request names the response to the first, which is not stored, and has only the results."""
    _, response = numbered(draft.records, ResponseRecord, 0)
    reply = wire("openai-responses").parse(response.headers["content-type"], response.body)

    def shorten(body: Any) -> None:
        body["previous_response_id"] = reply.id
        body["input"] = [each for each in body["input"] if each.get("type") == "function_call_output"]

    for number in (0, 1):
        rewrite(draft.records, number, lambda body: body.update(store=False))
    rewrite(draft.records, 1, shorten)


def beginning_shown(draft: TraceDraft) -> None:
    """The beginning of the second answer is emitted in front of the third request."""
    draft.records.insert(requests(draft.records)[2], EventRecord(Assistant("Ye", "text-0"), 1, 0))


@draft_edit
def reported_between(draft: TraceDraft, *events: Event) -> None:
    """Something is reported between the first answer and the second request."""
    at = requests(draft.records)[1]
    draft.records[at:at] = [EventRecord(event, 0, 0) for event in events]


@draft_edit
def breaks_and_is_sent_whole(draft: TraceDraft, connections: tuple[int, int]) -> None:
    """The second request names what is before it, its answer breaks off, and it is sent again with the whole input."""
    over((connections[0], connections[0]))(draft)
    at, whole = numbered(draft.records, RequestRecord, -1)
    _, response = numbered(draft.records, ResponseRecord, -1)
    rest = draft.records[at + 2 :]
    goes_on(draft)
    broken = response.body[: response.body.index(b"event: response.output_item.added")]
    draft.records[at + 1 :] = [
        replace(response, body=broken, end="cut"),
        replace(whole, exchange=whole.exchange + 1, connection=connections[1]),
        *map(later, (response, *rest)),
    ]
