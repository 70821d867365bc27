"""Conversations of several runs, wrong in what becomes of what the caller does: cancels, says, begins, switches."""

from __future__ import annotations

import json
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
    WireName,
    recognise,
    wire,
)
from harness.wire.base import Role
from harness_lab.mutants.traces.conversations import Entry, rewriting
from harness_lab.mutants.traces.draft import NothingToBreak, TraceDraft, event_record, place, requests
from harness_lab.mutants.traces.edits import alter
from harness_lab.mutants.traces.mutant import Edit, TraceMutant

_ANTHROPIC: tuple[WireName, ...] = ("anthropic-messages",)
_RESPONSES: tuple[WireName, ...] = ("openai-responses",)


# --- where things are ---------------------------------------------------------------------------------------


def _acted(draft: TraceDraft, did: str) -> int:
    """Where the caller has last done this."""
    found = [at for at, each in enumerate(draft.records) if isinstance(each, CallerRecord) and each.did == did]
    if not found:
        raise NothingToBreak
    return found[-1]


def _read(draft: TraceDraft, at: int) -> Conversation:
    """What the request at ``at`` says, on whichever wire it is."""
    request = draft.records[at]
    assert isinstance(request, RequestRecord)  # noqa: S101 - the caller has looked
    route = recognise(request.method, request.path)
    if route is None:
        raise NothingToBreak
    return wire(route.wire).read(route, request.body, request.headers)


def _after_the_run(change: Callable[[TraceDraft, Conversation], Conversation]) -> Edit:
    """The first request of the run that the caller has begun last asks for something else."""

    def edit(draft: TraceDraft) -> None:
        begun = _acted(draft, "run")
        at = next(each for each in requests(draft.records) if each > begun)
        asked = _read(draft, at)
        written = wire(asked.wire).write(change(draft, asked))
        draft.records[at] = replace(cast(RequestRecord, draft.records[at]), body=written.body, path=written.path)

    return edit


def _at(entries: list[Entry], kind: type, which: int, role: Role | None = None) -> int:
    found = [at for at, (who, part, _) in enumerate(entries) if isinstance(part, kind) and role in (None, who)]
    if not -len(found) <= which < len(found):
        raise NothingToBreak
    return found[which]


def _message(entries: list[Entry], which: int = -1) -> int:
    return _at(entries, Text, which, "user")


# --- a run is cancelled -------------------------------------------------------------------------------------


def _begun_too_late(draft: TraceDraft) -> None:
    """The loop asks the model once more before the caller begins the next run."""
    begun = draft.records.pop(_acted(draft, "run"))
    answered = max(at for at, each in enumerate(draft.records) if isinstance(each, ResponseRecord))
    draft.records.insert(answered + 1, begun)


def _answering(which: int, output: str, *, is_error: bool) -> Edit:
    """A result of the last request says something else."""

    @rewriting
    def edit(entries: list[Entry]) -> None:
        at = _at(entries, Result, which)
        who, part, where = entries[at]
        entries[at] = who, replace(cast(Result, part), output=output, is_error=is_error), where

    return edit


@rewriting
def _lose_what_was_shown(entries: list[Entry]) -> None:
    del entries[_at(entries, Text, -1, "assistant")]


@rewriting
def _cut_what_was_shown(entries: list[Entry]) -> None:
    at = _at(entries, Text, -1, "assistant")
    who, part, where = entries[at]
    entries[at] = who, Text(cast(Text, part).text[:12]), where


def _says_what_it_thought(draft: TraceDraft, asked: Conversation) -> Conversation:
    """The model's message in front of the user's last one is what it has thought in the first answer."""
    answer = next(each for each in draft.records if isinstance(each, ResponseRecord))
    reply = wire(asked.wire).parse(answer.headers.get("content-type", ""), answer.body)
    thought = "".join(part.text for part in reply.turn.parts if isinstance(part, ThinkingPart))
    message = Message("assistant", (Text(thought),), "")
    return replace(asked, messages=(*asked.messages[:-1], message, *asked.messages[-1:]))


def _under_the_old_key(draft: TraceDraft) -> None:
    """The last request has the headers of the first one."""
    at, first = requests(draft.records)[-1], cast(RequestRecord, draft.records[requests(draft.records)[0]])
    draft.records[at] = replace(cast(RequestRecord, draft.records[at]), headers=first.headers)


# --- a call waits for approval ------------------------------------------------------------------------------


def _deciding(*words: tuple[str, str]) -> Edit:
    """The user has decided so when the call that waited ran."""

    def edit(draft: TraceDraft) -> None:
        at = _acted(draft, "run")
        draft.records[at] = replace(cast(CallerRecord, draft.records[at]), resolved=words)

    return edit


# --- the user says something --------------------------------------------------------------------------------


@rewriting
def _lose_the_message(entries: list[Entry]) -> None:
    del entries[_message(entries)]


@rewriting
def _say_it_twice(entries: list[Entry]) -> None:
    who, part, where = entries[_message(entries)]
    entries.append((who, part, f"{where} once more"))


@rewriting
def _say_it_before_the_turn(entries: list[Entry]) -> None:
    message = entries.pop(_message(entries))
    entries.insert(next(at for at, entry in enumerate(entries) if entry[0] == "assistant"), message)


@rewriting
def _say_it_as_the_model(entries: list[Entry]) -> None:
    text = entries[_message(entries)][1]
    for at, (_, part, where) in enumerate(entries):
        if part == text:
            entries[at] = "assistant", part, where


# --- another run --------------------------------------------------------------------------------------------


def _run_again(draft: TraceDraft) -> None:
    """The first call of the conversation is run once more at the end of the last run."""
    at = place(draft.records, ToolResult, 0)
    end = max(each for each, _ in enumerate(draft.records) if not isinstance(draft.records[each], ResponseRecord))
    last = event_record(draft.records, place(draft.records, ToolResult, -1))
    draft.records.insert(end, replace(last, event=event_record(draft.records, at).event))


def _of_the_model_before(draft: TraceDraft, asked: Conversation) -> Conversation:
    return replace(asked, model=_read(draft, requests(draft.records)[0]).model)


def _with_its_thinking(draft: TraceDraft, asked: Conversation) -> Conversation:
    """With the first thinking of the conversation, as the request before the switch has it."""
    begun = _acted(draft, "run")
    before = _read(draft, max(each for each in requests(draft.records) if each < begun))
    thought = next(part for each in before.messages for part in each.parts if isinstance(part, ThinkingPart))
    at = next(at for at, message in enumerate(asked.messages) if message.role == "assistant")
    turn = asked.messages[at]
    messages = (*asked.messages[:at], replace(turn, parts=(thought, *turn.parts)), *asked.messages[at + 1 :])
    return replace(asked, messages=messages)


def _with_long_ids(draft: TraceDraft, asked: Conversation) -> Conversation:  # noqa: ARG001
    def renamed(part: object) -> object:
        return replace(part, id=f"call_{part.id}") if isinstance(part, Call | Result) else part

    parts = (replace(each, parts=tuple(map(renamed, each.parts))) for each in asked.messages)  # type: ignore[arg-type]
    return replace(asked, messages=tuple(parts))


def _going_on_with_a_response(draft: TraceDraft, asked: Conversation) -> Conversation:
    """The last response before the switch is named, and only what the user says is sent."""
    begun = _acted(draft, "run")
    answers = [each for each in draft.records[:begun] if isinstance(each, ResponseRecord)]
    kind = answers[-1].headers.get("content-type", "")
    reply = wire(asked.wire).parse(kind, answers[-1].body)
    return replace(asked, continues=reply.id, messages=asked.messages[-1:])


def _without(kind: type) -> Callable[[TraceDraft, Conversation], Conversation]:
    def change(draft: TraceDraft, asked: Conversation) -> Conversation:  # noqa: ARG001
        left = (
            replace(message, parts=tuple(part for part in message.parts if not isinstance(part, kind)))
            for message in asked.messages
        )
        return replace(asked, messages=tuple(message for message in left if message.parts))

    return change


def _in_other_words(draft: TraceDraft, asked: Conversation) -> Conversation:  # noqa: ARG001
    at = max(at for at, message in enumerate(asked.messages) if message.role == "assistant" and message.text)
    reworded = Message("assistant", (Text("In other words."),), asked.messages[at].at)
    return replace(asked, messages=(*asked.messages[:at], reworded, *asked.messages[at + 1 :]))


def _at_length(draft: TraceDraft, asked: Conversation) -> Conversation:
    """With a summary that is longer than what it sums up."""
    begun = _acted(draft, "run")
    before = _read(draft, max(each for each in requests(draft.records) if each < begun))
    words = "".join(message.text for message in before.messages) + "x" * 2_000
    at = next(at for at, message in enumerate(asked.messages) if message.role == "user")
    summary = replace(asked.messages[at], parts=(Text(words),))
    return replace(asked, messages=(*asked.messages[:at], summary, *asked.messages[at + 1 :]))


def _without_orders(draft: TraceDraft, asked: Conversation) -> Conversation:  # noqa: ARG001
    return replace(asked, messages=tuple(message for message in asked.messages if message.role != "system"))


MUTANTS = (
    TraceMutant(
        "tool-ended-after-the-cancel",
        "A call whose run was cancelled is reported to have ended well.",
        "caller/cancelled",
        alter(ToolResult, -1, ok=True, output={"time": "14:05"}),
        "cancelled-while-a-tool-runs",
        also=("history/result-value", "history/result-error"),
    ),
    TraceMutant(
        "asked-after-the-cancel",
        "The model is asked before the caller begins the next run.",
        "caller/cancelled",
        _begun_too_late,
        "cancelled-while-a-tool-runs",
        also=("caller/message-sent",),
    ),
    TraceMutant(
        "cancelled-result-of-a-success",
        "The result of a cancelled call reads like that of one that was done.",
        "caller/cancelled-result",
        _answering(-1, json.dumps({"output": "All done."}), is_error=False),
        "cancelled-while-a-tool-runs",
        also=("history/result-value", "history/result-error"),
    ),
    TraceMutant(
        "cancelled-result-as-returned",
        "The result of a cancelled call is what its tool would have returned.",
        "caller/cancelled-result",
        _answering(-1, json.dumps({"time": "14:05"}), is_error=False),
        "cancelled-while-a-tool-runs",
        also=("history/result-value", "history/result-error"),
    ),
    TraceMutant(
        "ended-result-lost",
        "The result of a call that had ended before the cancel says that it was cancelled.",
        "caller/ended-result",
        _answering(0, json.dumps({"error": "Cancelled."}), is_error=True),
        "cancelled-while-a-tool-runs",
        also=("history/result-value", "history/result-error"),
    ),
    TraceMutant(
        "shown-text-lost",
        "The text of a cancelled answer is not in the next request.",
        "caller/shown",
        _lose_what_was_shown,
        "cancelled-while-text-arrives",
    ),
    TraceMutant(
        "shown-text-cut",
        "Only the beginning of what was shown of a cancelled answer is in the next request.",
        "caller/shown",
        _cut_what_was_shown,
        "cancelled-while-text-arrives",
    ),
    TraceMutant(
        "thought-taken-for-an-answer",
        "What the model was thinking when it was cancelled is in the next request as what it said.",
        "caller/thought",
        _after_the_run(_says_what_it_thought),
        "cancelled-while-it-thinks",
        _ANTHROPIC,
    ),
    TraceMutant(
        "asked-under-the-old-key",
        "A request behind a change of key has the key of before.",
        "caller/switched-key",
        _under_the_old_key,
        "switched-key",
    ),
    TraceMutant(
        "denied-and-run",
        "A call that waited runs, though the user has denied it.",
        "caller/approved",
        _deciding(("delete_file", "deny")),
        "approved-in-a-later-run",
    ),
    TraceMutant(
        "run-without-a-decision",
        "A call that waited runs, though the user has decided about another one.",
        "caller/approved",
        _deciding(("send_mail", "approve")),
        "approved-in-a-later-run",
    ),
    TraceMutant(
        "said-and-lost",
        "What the user has said while a tool ran is in no request.",
        "caller/message-sent",
        _lose_the_message,
        "said-while-a-tool-runs",
    ),
    TraceMutant(
        "said-and-sent-twice",
        "What the user has said while a tool ran is sent twice.",
        "caller/message-sent",
        _say_it_twice,
        "said-while-a-tool-runs",
    ),
    TraceMutant(
        "said-and-sent-again",
        "What the user has said is sent once more in a later request.",
        "caller/message-sent",
        _say_it_twice,
        "said-while-arguments-arrive",
    ),
    TraceMutant(
        "said-in-front-of-the-turn",
        "What the user has said while a tool ran is before the turn that called it.",
        "caller/message-last",
        _say_it_before_the_turn,
        "said-while-a-tool-runs",
        also=("history/results-first", "continuation/"),
    ),
    TraceMutant(
        "said-by-the-model",
        "What the user has said while a tool ran is sent as the model's.",
        "caller/message-role",
        _say_it_as_the_model,
        "said-while-a-tool-runs",
        also=("caller/message-sent", "history/model-text", "continuation/"),
    ),
    TraceMutant(
        "ran-in-two-runs",
        "A call of the first run is run again in the second.",
        "caller/ran-again",
        _run_again,
        "resumed-from-what-was-stored",
        also=("order/",),
    ),
    TraceMutant(
        "model-of-before",
        "The run after a switch asks the model before it.",
        "caller/switched-model",
        _after_the_run(_of_the_model_before),
        "switched-model-after-thinking",
        _ANTHROPIC,
    ),
    TraceMutant(
        "response-of-before",
        "The run at another provider names a response of the first one.",
        "caller/switched-state",
        _after_the_run(_going_on_with_a_response),
        "switched-provider-on-openai-responses",
        _RESPONSES,
        also=("caller/switched-thinking", "continuation/"),
    ),
    TraceMutant(
        "ids-of-before",
        "Another model is sent calls under ids that its maker does not take.",
        "caller/switched-ids",
        _after_the_run(_with_long_ids),
        "switched-to-mistral",
        ("openai-chat",),
        also=("continuation/", "history/"),
    ),
    TraceMutant(
        "thinking-of-before",
        "Another model is sent what the one before has signed.",
        "caller/switched-thinking",
        _after_the_run(_with_its_thinking),
        "switched-model-after-thinking",
        _ANTHROPIC,
        also=("history/append-only",),
    ),
    TraceMutant(
        "longer-after-compaction",
        "The run after a compaction is sent a history that is longer than before.",
        "caller/compacted",
        _after_the_run(_at_length),
        "compacted-after-two-runs",
        also=("history/append-only", "continuation/"),
    ),
    TraceMutant(
        "orders-lost-in-compaction",
        "The run after a compaction is sent no system prompt.",
        "caller/compacted-system",
        _after_the_run(_without_orders),
        "compacted-after-two-runs",
        also=("offered/", "history/append-only", "continuation/"),
    ),
    TraceMutant(
        "results-lost-on-the-way",
        "Another provider is sent calls and results of the first one no more.",
        "caller/switched-history",
        _after_the_run(_without(Call | Result)),  # type: ignore[arg-type]
        "switched-after-a-failed-call",
        _ANTHROPIC,
    ),
    TraceMutant(
        "text-changed-on-the-way",
        "Another provider is sent other words than the first model has said.",
        "caller/switched-history",
        _after_the_run(_in_other_words),
        "switched-after-a-failed-call",
        _ANTHROPIC,
    ),
)
