"""What a loop reports to its user of turns, texts and tool calls: twice, never, too late or under another name."""

from __future__ import annotations

from harness.trace import Assistant, EventRecord, Record, SetCode, ToolResult, ToolStart, TurnStart
from harness_lab.mutants.traces.draft import NothingToBreak, TraceDraft, change, insert, place, places, reported
from harness_lab.mutants.traces.edits import emit_last


def start_after_preview(draft: TraceDraft) -> None:
    """Emit the start of a call after its first preview."""
    at = place(draft.records, ToolStart, name="create_file")
    if not isinstance(_event(draft.records[at + 1]), SetCode):
        raise NothingToBreak
    draft.records[at : at + 2] = reversed(draft.records[at : at + 2])


def call_made_up(draft: TraceDraft) -> None:
    """Emit the start of a call that the model has not made."""
    insert(draft.records, place(draft.records, ToolStart) + 1, ToolStart("call_nobodyMadeThisOne", "edit_file"))


def id_used_again(draft: TraceDraft) -> None:
    """All that is emitted of the last call is emitted under the id of the first."""
    ids = [event.id for event in map(_event, draft.records) if isinstance(event, ToolStart)]
    if len(set(ids)) < 2:
        raise NothingToBreak
    for at, record in enumerate(draft.records):
        if getattr(_event(record), "id", None) == ids[-1]:
            change(draft.records, at, id=ids[0])


def second_call_first(draft: TraceDraft) -> None:
    """The first call of a turn ends behind the second."""
    first, second = (place(draft.records, ToolResult, which) for which in (0, 1))
    draft.records.insert(second, draft.records.pop(first))


def text_after_the_result(draft: TraceDraft) -> None:
    """The text of a turn is emitted when its call has ended."""
    result = place(draft.records, ToolResult)
    text = max((at for at in places(draft.records, Assistant) if at < result), default=None)
    if text is None:
        raise NothingToBreak
    draft.records.insert(result, draft.records.pop(text))


def one_bubble_for_two_turns(draft: TraceDraft) -> None:
    """Emit the texts of two turns under one id."""
    ids = [event.id for event in map(_event, draft.records) if isinstance(event, Assistant)]
    if len(set(ids)) < 2:
        raise NothingToBreak
    for at in places(draft.records, Assistant, id=ids[-1]):
        change(draft.records, at, id=ids[0])


def text_squeezed(draft: TraceDraft) -> None:
    """Every piece of text is reported without its white space."""
    for number in range(len(places(draft.records, Assistant))):
        at, _, event = reported(draft.records, Assistant, number)
        change(draft.records, at, text="".join(event.text.split()))


def turn_after_the_end(draft: TraceDraft) -> None:
    """Emit the start of a turn after the last one."""
    turns = len(places(draft.records, TurnStart))
    emit_last(TurnStart(turns + 1))(draft)


def _event(record: Record) -> object:
    return record.event if isinstance(record, EventRecord) else None
