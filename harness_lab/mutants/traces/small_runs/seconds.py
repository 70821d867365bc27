"""Words that ``seconds.yaml`` needs besides."""

from __future__ import annotations

from typing import Any

from harness.trace import SetCode, ToolResult
from harness_lab.mutants.traces.conversations import Entry, rewriting
from harness_lab.mutants.traces.draft import TraceDraft, insert, place, rewrite
from harness_lab.mutants.traces.mutant import Edit, draft_edit


@rewriting
def speaks_as_the_model(entries: list[Entry]) -> None:
    """The user's first words are the model's."""
    at = next(at for at, each in enumerate(entries) if each[0] == "user")
    entries[at] = ("assistant", *entries[at][1:])


def undescribed(**others: str) -> Edit:
    """Tools are offered with other descriptions, and all of them without those of their members."""

    def change(body: Any) -> None:
        for tool in body["tools"]:
            about = tool["function"]
            about["description"] = others.get(about["name"], about["description"])
            for member in about["parameters"]["properties"].values():
                member.pop("description", None)

    def edit(draft: TraceDraft) -> None:
        for number in (0, 1):
            rewrite(draft.records, number, change)

    return edit


@draft_edit
def code_set(draft: TraceDraft, code: str, *, preview: bool = False, id: str | None = "call_1") -> None:
    """A code is set in front of the first result."""
    insert(draft.records, place(draft.records, ToolResult, 0), SetCode(code, id, preview=preview))
