"""Words that ``sent.yaml`` needs besides."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from harness.trace import ResponseRecord
from harness.wire import Result, Text, ThinkingPart, ToolDeclaration
from harness_lab.mutants.traces.conversations import Entry, asking, history_edit, rewriting
from harness_lab.mutants.traces.draft import NothingToBreak, TraceDraft, rewrite
from harness_lab.mutants.traces.mutant import Edit
from harness_lab.mutants.traces.plain import SYSTEM, TOOLS
from harness_lab.mutants.traces.small_runs.acting import in_request
from harness_lab.mutants.traces.small_runs.changes import (
    part,
)


def continued(draft: TraceDraft) -> None:
    """Requests name the response before (``previous_response_id``), and have only the results of its calls."""
    named = [each.body for each in draft.records if isinstance(each, ResponseRecord)]

    def shorten(request: Any) -> None:
        found = re.search(rb'"id": ?"(resp_[^"]+)"', named[0])
        if found is None:
            raise NothingToBreak
        request["previous_response_id"] = found[1].decode()
        request["input"] = [each for each in request["input"] if each.get("type") == "function_call_output"]

    for number in (0, 1):
        rewrite(draft.records, number, lambda request: request.update(store=True))
    rewrite(draft.records, 1, shorten)


@rewriting
def signature_url_safe(entries: list[Entry]) -> None:
    """The signature of the last thinking is in the other alphabet of base64."""
    at = max(at for at, each in enumerate(entries) if isinstance(each[1], ThinkingPart))
    who, thinking, where = entries[at]
    assert isinstance(thinking, ThinkingPart)  # noqa: S101 - what was looked for
    signature = thinking.signature.translate({ord("+"): "-", ord("/"): "_", ord("="): None})
    entries[at] = (who, replace(thinking, signature=signature), where)


@history_edit
def says_before(entries: list[Entry], role: str, text: str, *, before: type, which: int = 0) -> None:
    """Something is said in front of a part."""
    places = [at for at, (_, each, _) in enumerate(entries) if isinstance(each, before)]
    entries.insert(places[which], (role, Text(text), entries[places[which]][2]))  # type: ignore[arg-type]


def step_counted(number: int) -> Edit:
    """A request says which step it is."""
    step = {"text": f"{SYSTEM} Step {number}."}
    return in_request(number, part(Text, step, 0, "system"))


def offers_tools(*tools: str | ToolDeclaration, **members: Any) -> Edit:
    """The last request offers these tools, by their names; those of a plain run that are named have ``members``."""
    there = {tool.name: replace(tool, **members) for tool in TOOLS}
    offered = tuple(there[tool] if isinstance(tool, str) else tool for tool in tools)
    return asking(lambda asked: replace(asked, tools=offered))


@rewriting
def thinking_moved(entries: list[Entry]) -> None:
    """The last thinking goes behind the part that follows it."""
    at = max((at for at, (_, each, _) in enumerate(entries) if isinstance(each, ThinkingPart)), default=None)
    if at is None:
        raise NothingToBreak
    entries[at], entries[at + 1] = entries[at + 1], entries[at]


@rewriting
def words_for_results(entries: list[Entry]) -> None:
    """The user says two things in place of all results."""
    entries[:] = [each for each in entries if not isinstance(each[1], Result)]
    entries += [("user", Text("Well?"), "one"), ("user", Text("So?"), "two")]
