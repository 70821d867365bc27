"""Words that ``in_order.yaml`` needs besides."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from harness.trace import EventRecord, Final, ResponseRecord, ToolArguments, ToolResult, ToolStart
from harness.wire import ToolDeclaration, Turn
from harness_lab.mutants.traces.draft import TraceDraft, change, event_record, place, places, reported
from harness_lab.mutants.traces.mutant import draft_edit
from harness_lab.mutants.traces.plain import PlainRun, says


def arguments_first(draft: TraceDraft) -> None:
    """The arguments of a call are emitted in front of its toolStart."""
    at, record, start = reported(draft.records, ToolStart)
    draft.records.insert(at, replace(record, event=ToolArguments(start.id, '{"basin"')))


@draft_edit
def emitted_again(
    draft: TraceDraft, kind: type[ToolStart] | type[ToolResult], behind: type[ToolResult], which: int
) -> None:
    """The first of these events is emitted once more behind a result."""
    first = draft.records[place(draft.records, kind, 0)]
    draft.records.insert(place(draft.records, behind, which) + 1, first)


@draft_edit
def reported_under(draft: TraceDraft, id: str) -> None:
    """Tools are reported under this id."""
    for kind in (ToolStart, ToolResult):
        for at in places(draft.records, kind):
            change(draft.records, at, id=id)


_SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}, "content": {"type": "string"}}}


FILES = (
    ToolDeclaration("create_file", "Creates a file.", _SCHEMA),
    ToolDeclaration("edit_file", "Edits it.", _SCHEMA),
)


HERE: dict[str, Any] = {"profile": "screenshot-to-code", "tools": {"create_file": {}, "edit_file": {}}}


_PAGE = "<html>\n<p>Brot</p>\n" + "<p>Wein</p>\n" * 20 + "</html>"


def writing(*turns: Turn, code: str = _PAGE, **members: Any) -> PlainRun:
    """These turns, and a last one; the run returns the code."""
    return PlainRun((*turns, says("Done.")), tools=FILES, case={**HERE, **members}, end=Final(code))


def of_the_next(draft: TraceDraft) -> None:
    """The result is reported when the first bytes of the next response have come."""
    at = place(draft.records, ToolResult, 0)
    draft.records[at] = replace(event_record(draft.records, at), exchange=1, offset=5)


def at_the_last_byte(draft: TraceDraft) -> None:
    """The result is reported with the last byte of the response."""
    length = len(next(each for each in draft.records if isinstance(each, ResponseRecord)).body)
    at = place(draft.records, ToolResult, 0)
    draft.records[at] = replace(event_record(draft.records, at), offset=length)


@draft_edit
def unreported(draft: TraceDraft, id: str) -> None:
    """Nothing is reported of a call."""
    draft.records[:] = [
        each for each in draft.records if not (isinstance(each, EventRecord) and getattr(each.event, "id", "") == id)
    ]
