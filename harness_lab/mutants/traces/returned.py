"""The text that a run returns at its end, of loops that report no text before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from harness.rules import TraceView
from harness.trace import Assistant, EventRecord, Final
from harness.trace import Thinking as ThinkingEvent
from harness.wire import Reply, Text, ThinkingPart
from harness_lab.mutants.traces.draft import NothingToBreak, TraceDraft, change, place, places
from harness_lab.mutants.traces.mutant import Edit, EquivalentTrace, TraceMutant

Returned = Callable[[list[Reply]], str | None]
"""The text that is returned, of the replies of the run."""


def returning(text: Returned, *, silent: bool = True) -> Edit:
    """The run returns this text. ``silent``: it has reported no text and no thinking before."""

    def edit(draft: TraceDraft) -> None:
        replies = [ask.reply for ask in TraceView(draft.trace).asks if ask.reply is not None]
        if not replies or not replies[-1].turn.text:
            raise NothingToBreak
        change(draft.records, place(draft.records, Final), text=text(replies))
        if silent:
            if not places(draft.records, Assistant):
                raise NothingToBreak
            draft.records[:] = [record for record in draft.records if not _is_of_a_text(record)]
            draft.case = replace(draft.case, emits=("toolStart", "toolResult", "error", "final"))

    return edit


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


_ONE_TURN = "answer"
_TWO_TURNS = "tool-returns"
_THINKING = "thinking-before-text"

MUTANTS = (
    TraceMutant(
        "answer-not-returned", "The run returns the empty text.", "final/text", returning(lambda _: ""), _TWO_TURNS
    ),
    TraceMutant(
        "answer-returned-twice",
        "The run returns the answer, and then once more.",
        "final/text",
        returning(lambda replies: f"{_answer(replies)}\n{_answer(replies)}"),
        _ONE_TURN,
    ),
    TraceMutant(
        "each-text-returned-twice",
        "The run returns the text of each turn twice.",
        "final/text",
        returning(lambda replies: "\n".join(reply.turn.text for reply in replies for _ in range(2))),
        _TWO_TURNS,
    ),
    TraceMutant(
        "half-an-answer-returned",
        "The run returns the first half of the answer.",
        "final/text",
        returning(lambda replies: _answer(replies)[: len(_answer(replies)) // 2]),
        _ONE_TURN,
    ),
    TraceMutant(
        "another-answer-returned",
        "The run reports one text and returns another.",
        "final/text",
        returning(lambda _: "Something else.", silent=False),
        _TWO_TURNS,
    ),
    TraceMutant(
        "thinking-returned",
        "The run returns what the model thought in front of what it said.",
        "final/thinking",
        returning(lambda replies: _thoughts(replies) + _answer(replies)),
        _THINKING,
    ),
)

EQUIVALENTS = (
    EquivalentTrace("no-text-returned", "A loop may return nothing.", returning(lambda _: None), _TWO_TURNS),
    EquivalentTrace(
        "answer-reported-and-not-returned",
        "A loop that has reported the text may return the empty one.",
        returning(lambda _: "", silent=False),
        _TWO_TURNS,
    ),
    EquivalentTrace(
        "all-texts-returned", "A loop may return the texts of all turns.", returning(_all_texts), _TWO_TURNS
    ),
    EquivalentTrace(
        "answer-wrapped",
        "A loop may break lines of the answer, and put words around it.",
        returning(lambda replies: "The agent says:\n" + _answer(replies).replace(" ", "\n") + "\n\nThat is all."),
        _THINKING,
    ),
)
