"""Words that ``sockets.yaml`` needs besides."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from harness.trace import Record, RequestRecord, ResponseRecord, SocketDid, SocketRecord
from harness_lab.mutants.traces.draft import TraceDraft, later, numbered, requests, rewrite
from harness_lab.mutants.traces.mutant import Edit, draft_edit


def over(connections: tuple[int, ...] = (1, 1)) -> Edit:
    """The requests come over these WebSockets, each of which is opened in front of its first one; 0: over HTTP."""

    def edit(draft: TraceDraft) -> None:
        opened: set[int] = set()
        for which, number in enumerate(connections):
            at, record = numbered(draft.records, RequestRecord, which)
            draft.records[at] = replace(record, connection=number)
        for at, number in zip(requests(draft.records), connections, strict=True):
            if number and number not in opened:
                draft.records.insert(at + len(opened), SocketRecord(number, "open"))
                opened.add(number)

    return edit


@draft_edit
def at_request(
    draft: TraceDraft, /, number: int, did: SocketDid, times: int = 1, *, behind: bool = False, **members: Any
) -> None:
    """This has happened so many times in front of a request, or right behind it."""
    at = requests(draft.records)[number] + behind
    draft.records[at:at] = [SocketRecord(1, did, **members)] * times


def at_the_end(did: SocketDid, **members: Any) -> Edit:
    """This has happened when all else has, but for the end of the run."""
    return lambda draft: draft.records.insert(len(draft.records) - 1, SocketRecord(1, did, **members))


@draft_edit
def cut_and_sent_again(draft: TraceDraft, result: str) -> None:
    """The last answer breaks off, and the request is sent again on another WebSocket, with another result."""
    at = requests(draft.records)[-1]
    request, response, rest = draft.records[at], draft.records[at + 1], draft.records[at + 2 :]
    assert isinstance(request, RequestRecord)  # noqa: S101 - what requests() looks for
    assert isinstance(response, ResponseRecord)  # noqa: S101 - what follows it
    broken = response.body[: response.body.index(b"event: response.output_item.added")]
    again: list[Record] = [
        SocketRecord(2, "open"),
        replace(request, exchange=request.exchange + 1, connection=2),
        replace(response, exchange=response.exchange + 1),
    ]
    moved = map(later, rest)
    draft.records[at:] = [request, replace(response, body=broken, end="cut"), *again, *moved]
    rewrite(draft.records, -1, lambda body: body["input"][-1].update(output=result))
