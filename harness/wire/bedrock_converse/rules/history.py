"""Calls and their results, and who speaks when: BED-01 to 06, 10, 11, 19."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from harness.wire.bedrock_converse.models import FREE_FIRST, FREE_ROLES
from harness.wire.bedrock_converse.rules.request import ConverseRequest, Entry, Found, brief
from harness.wire.bedrock_converse.rules.table import (
    BED_01,
    BED_02,
    BED_04,
    BED_05,
    BED_06,
    BED_10,
    BED_11,
    BED_19,
)
from harness.wire.lenient import members

_NOTHING = Entry(-1, "", None)


def user_first(request: ConverseRequest) -> Found:
    """BED-10. Where the API takes messages of the role system, they may be in front."""
    if request.fact(FREE_FIRST):
        return
    spoken = [entry for entry in request.entries if entry.role != "system"]
    if spoken and spoken[0].role == "assistant":
        yield BED_10.broken(spoken[0].at, expected="a user message first", got="an assistant message first")


def roles_alternate(request: ConverseRequest) -> Found:
    """BED-11."""
    if request.fact(FREE_ROLES):
        return
    for before, entry in pairwise(request.entries):
        if entry.role == before.role != "system":
            yield BED_11.broken(entry.at, expected=f"another role than {entry.role}", got=f"{entry.role} again")


def ids_differ(request: ConverseRequest) -> Found:
    """BED-04."""
    for entry in request.entries:
        counts = Counter(block.id for block in entry.calls if block.id)
        if twice := [id_ for id_, count in counts.items() if count > 1]:
            at = f"{entry.at}.content"
            yield BED_04.broken(at, expected="an id for each call", got=brief(", ".join(twice)), ids=", ".join(twice))


def calls_answered(request: ConverseRequest) -> Found:
    """BED-01: in the next message, whatever comes after it. A history that ends with a call is refused, too."""
    for entry, after in pairwise((*request.entries, _NOTHING)):
        answered = {block.id for block in after.results}
        missing = list(dict.fromkeys(block.id for block in entry.calls if block.id not in answered))
        if missing:
            at, ids = f"messages.{entry.number + 1}.content", ", ".join(missing)
            template, got = ("last", "the end of the history") if after is _NOTHING else (None, _results(after))
            yield BED_01.broken(at, template=template, expected=f"results of {brief(ids)}", got=got, ids=ids)


def _results(entry: Entry) -> str:
    return f"results of {brief(', '.join(block.id for block in entry.results))}" if entry.results else "no results"


def results_asked_for(request: ConverseRequest) -> Found:
    """BED-02."""
    for before, entry in pairwise((_NOTHING, *request.entries)):
        sent, asked = len(entry.results), len(before.calls)
        if sent > asked:
            at = f"{entry.at}.content"
            yield BED_02.broken(at, expected=f"at most {asked} results", got=f"{sent} results")


def tools_declared(request: ConverseRequest) -> Found:
    """BED-05."""
    used = next((block for entry in request.entries for block in (*entry.calls, *entry.results)), None)
    if used is not None and not request.tool_config:
        yield BED_05.broken("toolConfig", expected="the tools", got=f"none, and a {used.kind} at {used.at}")


def failures_say_something(request: ConverseRequest) -> Found:
    """BED-06."""
    for entry in request.entries:
        for block in entry.results:
            result = members(block.value)
            if result.get("status") == "error" and not result.get("content"):
                at = f"{block.at}.toolResult"
                yield BED_06.broken(at, expected="content", got=brief(result.get("content", "none")))


def reasoning_of_the_model(request: ConverseRequest) -> Found:
    """BED-19."""
    for entry in request.entries:
        if entry.role == "user":
            for block in entry.reasoning:
                yield BED_19.broken(block.at, expected="no reasoningContent", got=brief(block.native))
