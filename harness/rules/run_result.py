"""What a run returns: its history, and an object as its output instead of a text.

How a loop writes its history is its own affair. So an answer is looked for in all entries that may be the model's, and
what only some loops say (which model it was, what it thought, which calls have results) is judged where an entry says
it in the form that ``docs/command-protocol.md`` has.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from harness.finding import Finding, broken
from harness.rules.arguments import members
from harness.rules.evidence import json_words, quote
from harness.rules.model import rule
from harness.rules.tool_input import first_difference
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
    proof="""
    run: {turns: [[Let me look., {call: depth, with: {basin: north}}], Yes.]}
    right: {history-no-list: [A history that is no list is none., {alter: Final, history: {role: assistant}}]}
    wrong: {history-empty: [An empty history., {alter: Final, history: []}]}
    """,
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
    """Whether an entry may be the model's. It may have a provider's own form, and some of these have no role."""
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
    """Entries whose results do not belong to the calls in the previous entry."""
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


# --- the output ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _ModelOutput:
    """An object that the model has given as the output (``what`` it is), and the schema that was declared for it."""

    what: str
    value: Mapping[str, Any]
    schema: Any


@rule(
    "reported/run-output",
    "MUST",
    "unsafe",
    "The output that a run returns as an object means what the model gave: the arguments of an output call of its "
    "last turn, or the JSON object that its last text is. What the schema does not declare may be left out, and "
    "defaults may be added. Where the last turn gives none, none is returned, such as that of an earlier "
    "run. Nothing is expected of a run that returns no output.",
    why="The program goes on with values that the model never gave.",
    source="Tool Call Flow Diagrams, Tool Kind Hierarchy: the arguments of an output tool are the result of the run",
    needs=("events", "exchanges"),
    scope="run",
    proof="""
    run: {turns: ['{"metres": 4}'], end: {Final: '', output: {metres: 4}}}
    right: {output-as-given: The output is the object that the last text is.}
    wrong: {output-of-another-value: [The output has another value., {alter: Final, output: {metres: 5}}]}
    """,
)
def _output(view: TraceView) -> Iterator[Finding]:
    final, last = what_returns(view), view.last
    if final is None or final[1].output is None or final[1].outcome != "completed":
        return
    at, event = final
    if at < last.at or not last.runnable or view.edited(last):
        return
    candidates = list(_candidates(view, last))
    if any(_is_same(each, event.output) for each in candidates):
        return
    expected = " or ".join(f"{each.what}: {json_words(dict(each.value))}" for each in candidates)
    if candidates or (isinstance(event.output, dict) and not _says(event.output, last.turn.text)):
        got = json_words(event.output)
        yield broken(at, expected or "no output, since the last turn gives none", got, "the output of the run")


def _candidates(view: TraceView, last: Ask) -> Iterator[_ModelOutput]:
    """What may be the output: of several calls the loop may refuse some, and so each of them may be the one."""
    calls = [call for call in view.calls_of(last) if view.kind(call) == "output"]
    offered = last.full.tools if last.full is not None else ()
    for call in calls:
        value = members(call.call.arguments)
        if value is not None:
            schema = next((tool.parameters for tool in offered if tool.name == call.call.name), {})
            yield _ModelOutput(f"the arguments of {call.call.name}", value, schema)
    text = "".join(part.text for part in last.turn.parts if isinstance(part, Text))
    if not last.calls and text.strip() and (value := members(text)) is not None:
        yield _ModelOutput("the object in the model's last text", value, {})


def _is_same(candidate: _ModelOutput, output: JsonValue) -> bool:
    """Whether the output means what was given. An object may be written out as JSON, one that only wraps another value
    may be taken off, and a member may be of another type."""
    returned = members(output) if isinstance(output, str) and output.strip() else output
    if not isinstance(returned, dict):
        return [output] == [*candidate.value.values()]
    found = first_difference(candidate.value, returned, candidate.schema)
    return found is None or found.level == "SHOULD"


def _says(output: Mapping[str, JsonValue], text: str) -> bool:
    """Whether the object only wraps the text, as some loops return every answer."""
    return text in output.values()
