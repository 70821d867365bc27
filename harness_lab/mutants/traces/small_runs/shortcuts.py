"""Words that ``shortcuts.yaml`` needs besides."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import accumulate
from typing import Any

from harness.trace import (
    Assistant,
    EventRecord,
    Final,
    ResponseRecord,
    SetCode,
    Thinking,
    ToolResult,
    ToolStart,
)
from harness.wire import Call, ThinkingPart, Turn, wire
from harness_lab.mutants.traces.draft import (
    TraceDraft,
    event_record,
    insert,
    numbered,
    place,
    reported,
    requests,
)
from harness_lab.mutants.traces.mutant import draft_edit
from harness_lab.mutants.traces.plain import PlainRun, says
from harness_lab.mutants.traces.small_runs.in_order import FILES

_BATCH = 8
"""Events of the stream that a loop may collect before it emits what they say."""


def _ends(draft: TraceDraft, number: int = 0) -> list[int]:
    """Where the events of a response end, each of which is a piece now."""
    at, response = numbered(draft.records, ResponseRecord, number)
    sizes = [len(event) + 2 for event in response.body.split(b"\n\n")[:-1]]
    draft.records[at] = replace(response, chunks=tuple(sizes))
    return list(accumulate(sizes))


@draft_edit
def shown_in_pieces(
    draft: TraceDraft, kind: type[Assistant] | type[Thinking], which: int, *moments: tuple[int, int], number: int = 0
) -> None:
    """A text comes in pieces: (how many characters more, and behind which character of it they come)."""
    ends, (_, response) = _ends(draft, number), numbered(draft.records, ResponseRecord, number)
    speaker, kind_of_body = wire(draft.case.wire), response.headers["content-type"]
    turns = [speaker.parse(kind_of_body, response.body[:end]).turn for end in ends]
    known = [_length(turn, kind) for turn in turns]
    at, record, whole = reported(draft.records, kind, which)
    start = 0
    pieces: list[EventRecord] = []
    for length, behind_character in moments:
        offset = ends[next(i for i, there in enumerate(known) if there >= behind_character)]
        event = replace(whole, text=whole.text[start : start + length])
        pieces.append(replace(record, event=event, offset=offset))
        start += length
    draft.records[at : at + 1] = pieces


def _length(turn: Turn, kind: type[Assistant] | type[Thinking]) -> int:
    if kind is Assistant:
        return len(turn.text)
    return sum(len(part.text) for part in turn.parts if isinstance(part, ThinkingPart))


@draft_edit
def emitted_late(draft: TraceDraft, length: int) -> None:
    """So much of the text of the first answer comes at its end, in front of the second request."""
    end = _ends(draft)[-1]
    _, emitted, event = reported(draft.records, Assistant)
    late = replace(emitted, event=replace(event, text=event.text[:length]), exchange=0, offset=end)
    draft.records.insert(requests(draft.records)[1], late)


def creates_pages(page: str, *pages: str) -> PlainRun:
    """Pages are written in one turn, their code a character in each event."""
    calls = tuple(
        Call("create_file", json.dumps({"path": "index.html", "content": each}), f"call_{number}")
        for number, each in enumerate((page, *pages), 1)
    )
    return PlainRun(
        (Turn(calls, deltas="character"), says("Done.")),
        tools=FILES[:1],
        case={"profile": "screenshot-to-code", "tools": {"create_file": {}}, "paced": True},
        end=Final(page),
    )


@draft_edit
def starts_and_previews(draft: TraceDraft, page: str, *known: int, which: int = 0) -> None:
    """A call starts, and previews all that is known, when a loop must know so many characters of its code. At the end
    it shows all of it."""
    ends, (_, response) = _ends(draft), numbered(draft.records, ResponseRecord, 0)
    turn = wire(draft.case.wire).parse(response.headers["content-type"], response.body).turn
    arguments = [each.arguments for each in turn.calls]
    arrivals = wire(draft.case.wire).arrivals(response.headers["content-type"], response.body, arguments)
    assert arrivals is not None  # noqa: S101 - each event has one character
    before = arguments[which].index(page)
    came = [ends.index(arrivals[which].offsets[before + each - 1]) for each in known]
    result, id = place(draft.records, ToolResult, which), f"call_{which + 1}"
    insert(draft.records, result, SetCode(page, id, preview=True), SetCode(page, id))
    start = place(draft.records, ToolStart, which)
    record = event_record(draft.records, start)
    moments = [replace(record, offset=ends[at + _BATCH + 1]) for at in came]
    draft.records[start : start + 1] = [
        moments[0],
        *(
            replace(moment, event=SetCode(page[:length], id, preview=True))
            for moment, length in zip(moments, known, strict=True)
        ),
    ]


@draft_edit
def start_is(draft: TraceDraft, /, **members: Any) -> None:
    """The first toolStart has another moment."""
    at = place(draft.records, ToolStart)
    draft.records[at] = replace(event_record(draft.records, at), **members)


def start_again(draft: TraceDraft) -> None:
    """The call is shown to start once more, in front of its result."""
    start = event_record(draft.records, place(draft.records, ToolStart))
    insert(draft.records, place(draft.records, ToolResult), start.event)


@draft_edit
def result_early(draft: TraceDraft, which: int) -> None:
    """The result of a call is there before its arguments."""
    at = place(draft.records, ToolResult, which)
    draft.records[at] = replace(event_record(draft.records, at), offset=10)
