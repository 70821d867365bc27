"""Words that ``turns.yaml`` needs besides."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from harness.wire import Call, Result, Text
from harness_lab.mutants.traces.conversations import Entry, rewriting
from harness_lab.mutants.traces.draft import TraceDraft, rewrite
from harness_lab.mutants.traces.mutant import Edit
from harness_lab.mutants.traces.small_runs.changes import (
    part,
)


@rewriting
def signature_reversed(entries: list[Entry]) -> None:
    """The last call has its signature from behind."""
    at = max(at for at, each in enumerate(entries) if isinstance(each[1], Call))
    who, call, where = entries[at]
    assert isinstance(call, Call)  # noqa: S101 - what was looked for
    entries[at] = (who, replace(call, signature=call.signature[::-1]), where)


def texts_joined(text: str, *, times: int) -> Edit:
    """The last texts of the model go back as one."""
    without = [part(Text, [], -1, "assistant")] * (times - 1)

    def edit(draft: TraceDraft) -> None:
        for each in (*without, part(Text, {"text": text}, -1, "assistant")):
            each(draft)

    return edit


def no_first_thought(number: int) -> Edit:
    """A request of Anthropic's does not have the thoughts of the first turn."""

    def edit(body: Any) -> None:
        first = next(each for each in body["messages"] if each["role"] == "assistant")
        first["content"] = [each for each in first["content"] if each["type"] != "thinking"]

    return lambda draft: rewrite(draft.records, number, edit)


@rewriting
def result_of_the_model(entries: list[Entry]) -> None:
    """The last result is in the model's turn."""
    at = max(number for number, (_, each, _) in enumerate(entries) if isinstance(each, Result))
    entries[at] = ("assistant", *entries[at][1:])


def text_apart(draft: TraceDraft) -> None:
    """The text of the last turn in the second request is a message of its own, behind its results."""

    def change(body: Any) -> None:
        turn = next(each for each in reversed(body["messages"]) if each["role"] == "assistant")
        body["messages"].append({"role": "assistant", "content": turn.pop("content")})

    rewrite(draft.records, 1, change)


@rewriting
def demand(entries: list[Entry]) -> None:
    """The user demands the answer, at the end of the last request."""
    entries.append(("user", Text("Answer now."), "demand"))
