"""What a loop reports to its user of turns, texts and tool calls: twice, never, too late or under another name."""

from __future__ import annotations

from harness.trace import Assistant, EventRecord, Final, Record, SetCode, Thinking, ToolResult, ToolStart, TurnStart
from harness_lab.mutants.traces.draft import NothingToBreak, TraceDraft, change, insert, place, places
from harness_lab.mutants.traces.edits import alter, drop, emit_last, repeat
from harness_lab.mutants.traces.mutant import TraceMutant


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
    for at in places(draft.records, Assistant):
        event = _event(draft.records[at])
        assert isinstance(event, Assistant)  # noqa: S101 - what places() looks for
        change(draft.records, at, text="".join(event.text.split()))


def turn_after_the_end(draft: TraceDraft) -> None:
    """Emit the start of a turn after the last one."""
    turns = len(places(draft.records, TurnStart))
    emit_last(TurnStart(turns + 1))(draft)


def _event(record: Record) -> object:
    return record.event if isinstance(record, EventRecord) else None


_TWO_TURNS = "create-then-edit"
_THREE_CALLS = "create-and-edit-in-one-turn"

_TOOLS = (
    TraceMutant(
        "start-told-twice",
        "A call is announced when its arguments begin to arrive, and again when it runs.",
        "order/tool-start-once",
        repeat(ToolStart),
        _TWO_TURNS,
    ),
    TraceMutant(
        "start-never-told",
        "A call that is not previewed is not announced.",
        "order/tool-started",
        drop(ToolStart, name="edit_file"),
        _TWO_TURNS,
    ),
    TraceMutant(
        "start-after-preview",
        "The preview overtakes the start of its call.",
        "order/tool-start-first",
        start_after_preview,
        _TWO_TURNS,
    ),
    TraceMutant("result-told-twice", "A call ends twice.", "order/tool-result-once", repeat(ToolResult), _TWO_TURNS),
    TraceMutant("result-never-told", "A call never ends.", "order/tool-result-reported", drop(ToolResult), _TWO_TURNS),
    TraceMutant("call-made-up", "A call that was never made is reported.", "order/tool-id", call_made_up, _TWO_TURNS),
    TraceMutant(
        "other-tool-named",
        "A call is reported under the name of another tool.",
        "order/tool-name",
        alter(ToolStart, -1, name="create_file"),
        _TWO_TURNS,
    ),
    TraceMutant(
        "id-used-again",
        "The call of a later turn is reported under the id of an earlier one.",
        "order/tool-ids-fresh",
        id_used_again,
        _TWO_TURNS,
        also=("order/tool-id", "order/tool-result-reported"),
    ),
    TraceMutant(
        "results-told-out-of-order",
        "The second call of a turn ends before the first.",
        "order/call-order",
        second_call_first,
        _THREE_CALLS,
    ),
    TraceMutant(
        "half-a-character",
        "A summary is cut inside a surrogate pair.",
        "preview/half-character",
        alter(ToolResult, output={"summary": ["done \ud83e"]}),
        _TWO_TURNS,
    ),
)

_TURNS = (
    TraceMutant(
        "text-after-the-result",
        "What the model said before its call is reported after the call has ended.",
        "order/deltas-first",
        text_after_the_result,
        _TWO_TURNS,
    ),
    TraceMutant(
        "turn-after-the-end", "A turn begins after the end.", "order/nothing-after-end", turn_after_the_end, _TWO_TURNS
    ),
    TraceMutant("end-told-twice", "The run ends twice.", "order/one-end", repeat(Final), _TWO_TURNS),
    TraceMutant("end-never-told", "The run just stops.", "order/one-end", drop(Final), _TWO_TURNS),
    TraceMutant(
        "turns-miscounted",
        "The second turn is the seventh.",
        "order/turn-count",
        alter(TurnStart, 1, turn=7),
        _TWO_TURNS,
    ),
)

_TEXTS = (
    TraceMutant(
        "two-bubbles",
        "The text of one turn goes to two bubbles.",
        "stream/one-id",
        alter(Assistant, 1, id="assistant-x"),
        "text-between-calls",
        ("openai-responses", "anthropic-messages", "gemini-generate"),
    ),
    TraceMutant(
        "one-bubble-for-two-turns",
        "The last text is glued to the first.",
        "stream/fresh-id",
        one_bubble_for_two_turns,
        _TWO_TURNS,
    ),
    TraceMutant("text-told-twice", "A piece of text comes twice.", "stream/text", repeat(Assistant), _TWO_TURNS),
    TraceMutant("text-lost", "A piece of text is not reported.", "stream/text", drop(Assistant), _TWO_TURNS),
    TraceMutant(
        "text-squeezed-on-its-way",
        "Text is reported without its white space.",
        "stream/text",
        text_squeezed,
        _TWO_TURNS,
    ),
    TraceMutant(
        "thinking-lost",
        "A piece of thinking is not reported.",
        "stream/thinking",
        drop(Thinking),
        _TWO_TURNS,
    ),
)

MUTANTS = (*_TOOLS, *_TURNS, *_TEXTS)
