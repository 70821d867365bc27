"""Words that ``switches.yaml`` needs besides."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from harness.trace import Final, RequestRecord, ToolResult, ToolStart
from harness.wire import Text, ThinkingPart, Turn, wire
from harness_lab.mutants.traces.conversations import Entry, history_edit, read_request, rewriting
from harness_lab.mutants.traces.draft import (
    NothingToBreak,
    TraceDraft,
    insert,
    numbered,
    place,
    reported,
    requests,
    rewrite,
)
from harness_lab.mutants.traces.mutant import Edit, draft_edit
from harness_lab.mutants.traces.plain import PlainRun, call, says
from harness_lab.mutants.traces.small_runs.acting import begins
from harness_lab.mutants.traces.small_runs.changes import (
    part,
)


@draft_edit
def result_once_more(draft: TraceDraft, /, which: int, **members: Any) -> None:
    """A result of the first run is reported once more at the beginning of the last one."""
    _, _, first = reported(draft.records, ToolResult, which)
    insert(draft.records, requests(draft.records)[2], replace(first, **members))


def run_later(draft: TraceDraft) -> None:
    """The second call runs in the run that the caller begins, and the first run says that it waits."""
    ran = [draft.records.pop(place(draft.records, kind, 1)) for kind in (ToolStart, ToolResult)]
    end, first, _ = reported(draft.records, Final)
    draft.records[end] = replace(first, event=Final("", "deferred"))
    draft.records[end + 2 : end + 2] = ran


@draft_edit
def with_key(draft: TraceDraft, number: int, name: str, value: str) -> None:
    """A request has this header."""
    at, request = numbered(draft.records, RequestRecord, number)
    draft.records[at] = replace(request, headers={**request.headers, name: value})


@draft_edit
def names_response(draft: TraceDraft, number: int, answer: int) -> None:
    """A request names the response to an earlier one."""
    at = requests(draft.records)[answer]
    response = draft.records[at + 1]
    reply = wire("openai-responses").parse(response.headers["content-type"], response.body)  # type: ignore[union-attr]
    rewrite(draft.records, number, lambda body: body.update(previous_response_id=reply.id))


def with_item_id(id: str) -> Edit:
    """The first call of the last request is an item with this id."""

    def change(body: Any) -> None:
        next(each for each in body["input"] if each.get("type") == "function_call")["id"] = id

    return lambda draft: rewrite(draft.records, -1, change)


def thinking_again(draft: TraceDraft) -> None:
    """The last request has the first thinking of the conversation, with its signature."""
    _, asked = read_request(draft, numbered(draft.records, RequestRecord, 1)[1])
    thought = next((each for message in asked.messages for each in message.parts if _is_signed(each)), None)
    if thought is None:
        raise NothingToBreak

    def change(entries: list[Entry]) -> None:
        at = next(at for at, entry in enumerate(entries) if entry[0] == "assistant")
        if isinstance(thought, ThinkingPart):
            entries.insert(at, ("assistant", thought, entries[at][2]))
        else:
            at = next(at for at, entry in enumerate(entries) if isinstance(entry[1], type(thought)))
            entries[at] = ("assistant", thought, entries[at][2])

    rewriting(change)(draft)


def _is_signed(each: object) -> bool:
    return bool(getattr(each, "signature", ""))


def own_words(draft: TraceDraft) -> None:
    """The request before the switch has words of the model's that it has not said."""
    at = requests(draft.records)[1]
    left = TraceDraft(draft.case, draft.records[: at + 1])
    part(Text, {"text": "I have looked."}, -1, "assistant")(left)
    draft.records[at] = left.records[at]


def compacting(length: int) -> PlainRun:
    """A run whose history has so many characters, text, arguments and result, when the user has it compacted."""
    arguments, result = len('{"basin": "n"}'), len('{"done": "depth"}')
    text = "x" * (length - arguments - result - len("May we?") - len("Yes."))
    turns = (Turn((Text(text), call("depth", "call_1", basin="n"))), says("Yes."), says("No."))
    return PlainRun(
        turns, prompt=(("system", "You pilot ships."), ("user", "May we?")), acts={3: begins("On.", compacted=True)}
    )


@history_edit
def summed_up(entries: list[Entry], length: int) -> None:
    """The history is a text of the user of so many characters, and what the user says."""
    system = [each for each in entries if each[0] == "system"]
    summary: Entry = ("user", Text("s" * length), "summary")
    entries[:] = [*system, summary, entries[-1]]


@rewriting
def two_orders(entries: list[Entry]) -> None:
    """The system prompt is in two messages."""
    at = next(at for at, each in enumerate(entries) if each[0] == "system")
    entries[at : at + 1] = [("system", Text(text), text) for text in ("You pilot", "ships.")]
