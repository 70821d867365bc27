"""The text that a run returns at its end, of loops that report no text before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from harness.rules import TraceView
from harness.trace import Assistant, EventRecord, Final
from harness.trace import Thinking as ThinkingEvent
from harness.wire import Reply, Text, ThinkingPart
from harness_lab.mutants.traces.draft import NothingToBreak, TraceDraft, change, place, places
from harness_lab.mutants.traces.mutant import draft_edit


@draft_edit
def returning(draft: TraceDraft, text: str, *, silent: bool = True) -> None:
    """The run returns this text, in which ``{answer}`` and its like are of the replies (``_PARTS``). ``silent``: it has
    reported no text and no thinking before."""
    replies = _replies(draft)
    made = {name: part(replies) for name, part in _PARTS.items() if f"{{{name}}}" in text}
    change(draft.records, place(draft.records, Final), text=text.format_map(made))
    if silent:
        _without_texts(draft)


def returning_nothing(draft: TraceDraft) -> None:
    """The run returns no text, and has reported none."""
    _replies(draft)
    change(draft.records, place(draft.records, Final), text=None)
    _without_texts(draft)


def _replies(draft: TraceDraft) -> list[Reply]:
    replies = [ask.reply for ask in TraceView(draft.trace).asks if ask.reply is not None]
    if not replies or not replies[-1].turn.text:
        raise NothingToBreak
    return replies


def _without_texts(draft: TraceDraft) -> None:
    if not places(draft.records, Assistant):
        raise NothingToBreak
    draft.records[:] = [record for record in draft.records if not _is_of_a_text(record)]
    draft.case = replace(draft.case, emits=("toolStart", "toolResult", "error", "final"))


def _is_of_a_text(record: object) -> bool:
    return isinstance(record, EventRecord) and isinstance(record.event, Assistant | ThinkingEvent)


def _answer(replies: list[Reply]) -> str:
    return replies[-1].turn.text


def _thoughts(replies: list[Reply]) -> str:
    thoughts = "".join(part.text for part in replies[-1].turn.parts if isinstance(part, ThinkingPart))
    if not thoughts:
        raise NothingToBreak
    return thoughts


def _all_texts(replies: list[Reply]) -> str:
    parts = [part for reply in replies for part in reply.turn.parts]
    return "\n\n".join(part.text for part in parts if isinstance(part, Text))


_PARTS: dict[str, Callable[[list[Reply]], str]] = {
    "answer": _answer,
    "half": lambda replies: _answer(replies)[: len(_answer(replies)) // 2],
    "in_lines": lambda replies: _answer(replies).replace(" ", "\n"),
    "each_twice": lambda replies: "\n".join(reply.turn.text for reply in replies for _ in range(2)),
    "thoughts": _thoughts,
    "all": _all_texts,
}
