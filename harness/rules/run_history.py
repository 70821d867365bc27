"""The history that a run returns: every answer of the model, and what its entries say of answers, results and prompt.

How a loop writes its history is its own affair. So an answer is looked for in all entries that may be the model's, and
what only some loops say (which model it was, what it thought, which calls have results) is judged where an entry says
it in the form that ``docs/command-protocol.md`` has.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from harness.finding import Finding, broken
from harness.rules.evidence import json_words, quote
from harness.rules.model import rule
from harness.rules.trace_view import TraceView
from harness.rules.turns import Ask
from harness.trace import MAIN, Final, JsonValue
from harness.wire import Text, ThinkingPart, Turn
from harness.wire.characters import sendable

_Entry = Mapping[str, Any]

RETURNED = "Tool Call Flow Diagrams, Message History: usage and all messages of the run"


def what_returns(view: TraceView) -> tuple[int, Final] | None:
    """The ``final`` with what the run returns; None of a conversation beside the main one, whose it is not."""
    return view.final if view.conversation == MAIN else None


@rule(
    "reported/history",
    "MUST",
    "unsafe",
    "The history that a run returns contains every answer of the model, in order. Where its entries say which "
    "model has answered, what it has thought, which calls have results or what the user has asked, it is so.",
    why="Whoever continues the conversation from it sends the model a history without its own turns.",
    source=RETURNED,
    needs=("events", "exchanges"),
    scope="run",
)
def _history(view: TraceView) -> Iterator[Finding]:
    """What is wrong with the history that the run returns, if it returns one that is its own."""
    final = what_returns(view)
    if final is None or not isinstance(final[1].history, list) or view.case.edits:
        return
    at, history = final[0], final[1].history
    if (missing := _missing(view, history)) is not None:
        yield broken(at, *missing)
        return
    entries = [entry for entry in history if isinstance(entry, dict)]
    yield from (broken(at, *each) for each in _wrong_answers(view, entries))
    yield from (broken(at, *each) for each in _wrong_results(entries))
    yield from (broken(at, *each) for each in _lost_prompt(view, entries))


# --- the answers --------------------------------------------------------------------------------------------


def _missing(view: TraceView, history: Sequence[JsonValue]) -> tuple[str, str] | None:
    """The first answer that the history does not contain behind those before."""
    of_the_model = [entry for entry in history if _may_be_of_the_model(entry)]
    listed = "\n".join(map(json.dumps, of_the_model))
    start = 0
    for ask in view.asks:
        if not ask.sound:
            continue
        marks = _marks(ask.turn)
        ends = [listed.find(mark, start) + len(mark) for mark in marks if listed.find(mark, start) >= 0]
        if len(ends) < len(marks):
            got = (
                f"{len(of_the_model)} entries of the model in the history, and it is in none of them after those before"
            )
            return f"the answer to request {ask.number + 1} in the history of the run", got
        start = max(ends, default=start)
    return None


def _may_be_of_the_model(entry: JsonValue) -> bool:
    """Entries may be a provider's own, of which some say no role."""
    return isinstance(entry, dict) and entry.get("role") not in ("user", "system", "developer", "tool")


def _marks(turn: Turn) -> list[str]:
    """What the history must contain of a turn, as JSON has it: its text, and the names of its calls."""
    texts = (sendable(part.text) for part in turn.parts if isinstance(part, Text) and part.text.strip())
    return [json.dumps(each)[1:-1] for each in (*texts, *(call.name for call in turn.calls))]


def _wrong_answers(view: TraceView, entries: Sequence[_Entry]) -> Iterator[tuple[str, str]]:
    """What the model's entries say otherwise than its answers, where there is one for each."""
    answered = [ask for ask in view.asks if ask.sound]
    of_the_model = [entry for entry in entries if entry.get("role") == "assistant"]
    if len(answered) != len(of_the_model):
        return
    for ask, entry in zip(answered, of_the_model, strict=True):
        assert ask.reply is not None  # noqa: S101 - it is sound
        name, model = entry.get("model"), ask.reply.model
        if isinstance(name, str) and model and name != sendable(model):
            yield f"{quote(model)} as the model of answer {ask.number + 1}", quote(name)
        thought = entry.get("thinking")
        if isinstance(thought, str) and not _is_thought(ask, thought):
            yield f"the thinking of answer {ask.number + 1} in its entry of the history", quote(thought)


def _is_thought(ask: Ask, text: str) -> bool:
    """Whether a text is all that the model has thought in an answer, whatever is between the pieces of it."""
    parts = ask.turn.parts
    for piece in (sendable(part.text) for part in parts if isinstance(part, ThinkingPart) and part.text):
        before, found, text = text.partition(piece)
        if before.strip() or not found:
            return False
    return not text.strip()


# --- what the model has received ----------------------------------------------------------------------------


def _wrong_results(entries: Sequence[_Entry]) -> Iterator[tuple[str, str]]:
    """Entries with results that are not those of the calls in the entry before."""
    for before, entry in pairwise(entries):
        results, made = entry.get("results"), _ids(before.get("calls"))
        if isinstance(results, list) and before.get("role") == "assistant" and sorted(_ids(results)) != sorted(made):
            yield f"results of {json_words([*made])} behind these calls", json_words([*_ids(results)])


def _ids(listed: object) -> list[str]:
    entries = listed if isinstance(listed, list) else []
    return [str(each["id"]) for each in entries if isinstance(each, dict) and "id" in each]


def _lost_prompt(view: TraceView, entries: Sequence[_Entry]) -> Iterator[tuple[str, str]]:
    """What the user has asked and no entry of the user's says, where they have texts."""
    texts = [entry.get("text") for entry in entries if entry.get("role") == "user"]
    of_the_user = [text for text in texts if isinstance(text, str)]
    together = "\n".join(of_the_user)
    for role, text in view.case.prompt:
        if of_the_user and role == "user" and text.strip() not in together:
            yield f"the user's words in the history: {quote(text)}", quote(together)
