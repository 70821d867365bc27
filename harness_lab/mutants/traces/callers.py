"""Conversations of several runs, wrong in what becomes of what the caller does: cancels, says, begins, switches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import cast

from harness.trace import CallerRecord, RequestRecord, ResponseRecord, ToolResult
from harness.wire import (
    Call,
    Conversation,
    Message,
    Result,
    Text,
    ThinkingPart,
    wire,
)
from harness.wire.base import Role
from harness_lab.mutants.traces.conversations import Entry, read_request, rewriting
from harness_lab.mutants.traces.draft import NothingToBreak, TraceDraft, event_record, place, requests
from harness_lab.mutants.traces.mutant import draft_edit

# --- where things are ---------------------------------------------------------------------------------------


def _acted(draft: TraceDraft, did: str) -> int:
    """Where the caller has last done this."""
    found = [at for at, each in enumerate(draft.records) if isinstance(each, CallerRecord) and each.did == did]
    if not found:
        raise NothingToBreak
    return found[-1]


def _read(draft: TraceDraft, at: int) -> Conversation:
    """What the request at ``at`` says, on whichever wire it is."""
    _, asked = read_request(draft, cast(RequestRecord, draft.records[at]))
    return asked


@draft_edit
def after_the_run(draft: TraceDraft, change: Callable[[TraceDraft, Conversation], Conversation]) -> None:
    """The first request of the run that the caller has begun last asks for something else."""
    begun = _acted(draft, "run")
    at = next(each for each in requests(draft.records) if each > begun)
    asked = _read(draft, at)
    written = wire(asked.wire).write(change(draft, asked))
    draft.records[at] = replace(cast(RequestRecord, draft.records[at]), body=written.body, path=written.path)


def _at(entries: list[Entry], kind: type, which: int, role: Role | None = None) -> int:
    found = [at for at, (who, part, _) in enumerate(entries) if isinstance(part, kind) and role in (None, who)]
    if not -len(found) <= which < len(found):
        raise NothingToBreak
    return found[which]


def _message(entries: list[Entry], which: int = -1) -> int:
    return _at(entries, Text, which, "user")


# --- a run is cancelled -------------------------------------------------------------------------------------


def begun_too_late(draft: TraceDraft) -> None:
    """The loop asks the model once more before the caller begins the next run."""
    begun = draft.records.pop(_acted(draft, "run"))
    answered = max(at for at, each in enumerate(draft.records) if isinstance(each, ResponseRecord))
    draft.records.insert(answered + 1, begun)


@rewriting
def cut_what_was_shown(entries: list[Entry]) -> None:
    """Only the beginning of what was shown goes back."""
    at = _at(entries, Text, -1, "assistant")
    who, part, where = entries[at]
    entries[at] = who, Text(cast(Text, part).text[:12]), where


def says_what_it_thought(draft: TraceDraft, asked: Conversation) -> Conversation:
    """The model's message in front of the user's last one is what it has thought in the first answer."""
    answer = next(each for each in draft.records if isinstance(each, ResponseRecord))
    reply = wire(asked.wire).parse(answer.headers.get("content-type", ""), answer.body)
    thought = "".join(part.text for part in reply.turn.parts if isinstance(part, ThinkingPart))
    message = Message("assistant", (Text(thought),), "")
    return replace(asked, messages=(*asked.messages[:-1], message, *asked.messages[-1:]))


def under_the_old_key(draft: TraceDraft) -> None:
    """The last request has the headers of the first one."""
    at, first = requests(draft.records)[-1], cast(RequestRecord, draft.records[requests(draft.records)[0]])
    draft.records[at] = replace(cast(RequestRecord, draft.records[at]), headers=first.headers)


# --- a call waits for approval ------------------------------------------------------------------------------


@draft_edit
def deciding(draft: TraceDraft, /, **words: str) -> None:
    """The user has decided so when the call that waited ran."""
    at = _acted(draft, "run")
    draft.records[at] = replace(cast(CallerRecord, draft.records[at]), resolved=tuple(words.items()))


# --- the user says something --------------------------------------------------------------------------------


@rewriting
def say_it_twice(entries: list[Entry]) -> None:
    """The user's last words are there once more."""
    who, part, where = entries[_message(entries)]
    entries.append((who, part, f"{where} once more"))


@rewriting
def say_it_before_the_turn(entries: list[Entry]) -> None:
    """The user's last words are before the turn."""
    message = entries.pop(_message(entries))
    entries.insert(next(at for at, entry in enumerate(entries) if entry[0] == "assistant"), message)


@rewriting
def say_it_as_the_model(entries: list[Entry]) -> None:
    """The user's last words are the model's."""
    text = entries[_message(entries)][1]
    for at, (_, part, where) in enumerate(entries):
        if part == text:
            entries[at] = "assistant", part, where


# --- another run --------------------------------------------------------------------------------------------


def run_again(draft: TraceDraft) -> None:
    """The first call of the conversation is run once more at the end of the last run."""
    at = place(draft.records, ToolResult, 0)
    end = max(each for each, _ in enumerate(draft.records) if not isinstance(draft.records[each], ResponseRecord))
    last = event_record(draft.records, place(draft.records, ToolResult, -1))
    draft.records.insert(end, replace(last, event=event_record(draft.records, at).event))


def of_the_model_before(draft: TraceDraft, asked: Conversation) -> Conversation:
    """The model is that of the first request."""
    return replace(asked, model=_read(draft, requests(draft.records)[0]).model)


def with_its_thinking(draft: TraceDraft, asked: Conversation) -> Conversation:
    """With the first thinking of the conversation, as the request before the switch has it."""
    begun = _acted(draft, "run")
    before = _read(draft, max(each for each in requests(draft.records) if each < begun))
    thought = next(part for each in before.messages for part in each.parts if isinstance(part, ThinkingPart))
    at = next(at for at, message in enumerate(asked.messages) if message.role == "assistant")
    turn = asked.messages[at]
    messages = (*asked.messages[:at], replace(turn, parts=(thought, *turn.parts)), *asked.messages[at + 1 :])
    return replace(asked, messages=messages)


def with_long_ids(draft: TraceDraft, asked: Conversation) -> Conversation:  # noqa: ARG001 - every edit of a history takes it
    """The ids of calls are too long."""

    def renamed(part: object) -> object:
        return replace(part, id=f"call_{part.id}") if isinstance(part, Call | Result) else part

    parts = (replace(each, parts=tuple(map(renamed, each.parts))) for each in asked.messages)  # type: ignore[arg-type]
    return replace(asked, messages=tuple(parts))


def going_on_with_a_response(draft: TraceDraft, asked: Conversation) -> Conversation:
    """The last response before the switch is named, and only what the user says is sent."""
    begun = _acted(draft, "run")
    answers = [each for each in draft.records[:begun] if isinstance(each, ResponseRecord)]
    kind = answers[-1].headers.get("content-type", "")
    reply = wire(asked.wire).parse(kind, answers[-1].body)
    return replace(asked, continues=reply.id, messages=asked.messages[-1:])


def without_parts(*kinds: type) -> Callable[[TraceDraft, Conversation], Conversation]:
    """Without parts of these kinds, and without messages that have no others."""

    def change(draft: TraceDraft, asked: Conversation) -> Conversation:  # noqa: ARG001 - every edit of a history takes it
        left = (
            replace(message, parts=tuple(part for part in message.parts if not isinstance(part, kinds)))
            for message in asked.messages
        )
        return replace(asked, messages=tuple(message for message in left if message.parts))

    return change


def in_other_words(draft: TraceDraft, asked: Conversation) -> Conversation:  # noqa: ARG001 - every edit of a history takes it
    """The model's last text is another one."""
    at = max(at for at, message in enumerate(asked.messages) if message.role == "assistant" and message.text)
    reworded = Message("assistant", (Text("In other words."),), asked.messages[at].at)
    return replace(asked, messages=(*asked.messages[:at], reworded, *asked.messages[at + 1 :]))


def at_length(draft: TraceDraft, asked: Conversation) -> Conversation:
    """With a summary that is longer than what it sums up."""
    begun = _acted(draft, "run")
    before = _read(draft, max(each for each in requests(draft.records) if each < begun))
    words = "".join(message.text for message in before.messages) + "x" * 2_000
    at = next(at for at, message in enumerate(asked.messages) if message.role == "user")
    summary = replace(asked.messages[at], parts=(Text(words),))
    return replace(asked, messages=(*asked.messages[:at], summary, *asked.messages[at + 1 :]))


def without_orders(draft: TraceDraft, asked: Conversation) -> Conversation:  # noqa: ARG001 - every edit of a history takes it
    """There is no system prompt."""
    return replace(asked, messages=tuple(message for message in asked.messages if message.role != "system"))
