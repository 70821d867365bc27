"""Which tool the model must call, and the names of tools: OAI-24, OAI-25."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from harness.finding import Finding
from harness.wire.base import Json
from harness.wire.issued import items_by
from harness.wire.lenient import entries, string
from harness.wire.openai_responses.items import ARGUMENTS
from harness.wire.openai_responses.rules.asked import Asked
from harness.wire.openai_responses.rules.book import RULES
from harness.wire.openai_responses.rules.kinds import DECLARING
from harness.wire.openai_responses.rules.places import CALLS, last, of_kind, tools
from harness.wire.openai_responses.rules.words import around, brief
from harness.wire.posted import Right, Wrong, drop, put
from harness.wire.rule import ErrorTemplate, WireRule
from harness.wire.shape import Fault

OWN: Final = ("function", "custom")
"""The types of the tools that the caller runs."""


OAI_24: Final = WireRule(
    "OAI-24",
    "tool_choice is none, auto or required, or names a tool that the request declares; required needs a tool.",
    "A loop that leaves the tools out of its last request, to get an answer, and keeps tool_choice, fails there.",
    "likely",
    ("several projects quote the wordings for required and for built-in tools; the others as they are remembered",),
    (
        ErrorTemplate("Tool choice '{kind}' not found in 'tools' parameter.", "tool_choice", name="unknown"),
        ErrorTemplate(
            "Tool choice '{kind}' must be specified with 'tools' parameter.",
            "tool_choice",
            seen="Tool choice 'required' must be specified with 'tools' parameter.",
            name="no tools",
        ),
        ErrorTemplate(
            "Invalid value: '{kind}'. Supported values are: 'none', 'auto', and 'required'.",
            "tool_choice",
            "invalid_value",
            certainty="inferred",
            name="word",
        ),
    ),
    wrong=(
        Wrong(
            "responses-choice-unknown",
            "The tool that must be called is not declared.",
            lambda it: put([it.body], tool_choice={"type": "function", "name": "tool_of_nobody"}),
            "chosen-tool one-call",
        ),
        Wrong(
            "responses-choice-among-unknown",
            "One of the allowed tools is not declared.",
            lambda it: put(
                [it.body],
                tool_choice={
                    "type": "allowed_tools",
                    "mode": "auto",
                    "tools": [{"type": "function", "name": "tool_of_nobody"}],
                },
            ),
            "chosen-tool free-text-tool",
        ),
        Wrong(
            "responses-choice-without-tools",
            "A tool must be called, and there is none.",
            lambda it: put([it.body], tool_choice="required") and (drop([it.body], "tools") or True),
            "without-reasoning one-call",
            says="no tools",
        ),
        Wrong(
            "responses-choice-of-anthropic",
            "The choice is a word of another API.",
            lambda it: put([it.body], tool_choice="any"),
            "without-reasoning one-call",
            says="word",
        ),
    ),
    right=(
        Right(
            "responses-found-tool-chosen",
            "A tool that a search has found is chosen.",
            lambda it: [
                put([it.body], tool_choice={"type": "function", "name": found["tools"][0]["name"]})
                for found in of_kind(it, "tool_search_output")[:1]
            ],
            "built-in-tools",
        ),
        Right(
            "responses-tool-of-a-namespace-chosen",
            "A tool that only a namespace has is chosen.",
            lambda it: (
                tools(it, "namespace") and put([it.body], tool_choice={"type": "function", "name": "create_widget"})
            ),
            "namespaces",
        ),
        Right(
            "responses-choice-among-declared",
            "One of the declared tools may be called.",
            lambda it: put(
                [it.body],
                tool_choice={
                    "type": "allowed_tools",
                    "mode": "auto",
                    "tools": [{"type": "function", "name": "read_file"}],
                },
            ),
            "chosen-tool one-call",
        ),
    ),
)


@RULES.check("tools", OAI_24)
def chosen_tool_is_declared(asked: Asked) -> Iterator[Finding]:
    """OAI-24. Not judged if the history declares tools itself; ``SHAPE`` checks the words."""
    yield from map(_bad_choice, asked.forbidden(OAI_24))
    choice = asked.body.get("tool_choice")
    if any(entry.kind in DECLARING for entry in asked.entries):
        return
    declared = [tool for tool in entries(asked.body.get("tools")) if isinstance(tool, dict)]
    if choice == "required" and not declared:
        yield OAI_24.broken("tool_choice", expected="a tool", got="no tools", template="no tools", kind=choice)
    for wanted in _chosen(choice):
        if not any(_names(wanted, tool) for tool in declared):
            got = f"{wanted['type']} {wanted.get('name', '')}".strip()
            yield OAI_24.broken("tool_choice", expected="a declared tool", got=got, kind=wanted["type"])


def _chosen(choice: Any) -> list[Json]:
    """The caller's own tools that a choice names."""
    if not isinstance(choice, dict):
        return []
    chosen = entries(choice.get("tools")) if choice.get("type") == "allowed_tools" else [choice]
    return [tool for tool in chosen if isinstance(tool, dict) and tool.get("type") in OWN]


def _names(wanted: Json, tool: Json) -> bool:
    if tool.get("type") in OWN:
        return (tool.get("type"), tool.get("name")) == (wanted["type"], wanted.get("name"))
    return tool.get("type") == "namespace"  # a tool of tools


def _bad_choice(fault: Fault) -> Finding:
    return OAI_24.broken(
        "tool_choice",
        expected=", ".join(fault.wanted),
        got=brief(fault.value),
        template="word",
        kind=fault.value,
        bound=("kind",),
    )


OAI_25: Final = WireRule(
    "OAI-25",
    "The name of a tool, and of a call, has letters, digits, underscores and dashes only, 1 to 64 of them.",
    "Names that are put together from a server's and a tool's have dots, slashes or blanks in them.",
    "certain",
    (
        "https://github.com/justrach/codegraff/issues/930",
        "https://github.com/openai/openai-dotnet/issues/441",
        "https://github.com/openai/codex/pull/8694",
    ),
    (
        ErrorTemplate(
            "Invalid '{param}': string does not match pattern. Expected a string that matches the pattern "
            "'^[a-zA-Z0-9_-]+$'.",
            "{param}",
            "invalid_value",
            seen="Invalid 'tools[16].name': string does not match pattern. Expected a string that matches the "
            "pattern '^[a-zA-Z0-9_-]+$'.",
            name="pattern",
        ),
        ErrorTemplate(
            "Invalid '{param}': empty string. Expected a string with minimum length 1, but got an empty string "
            "instead.",
            "{param}",
            "empty_string",
            certainty="likely",
            name="empty",
        ),
        ErrorTemplate(
            "Invalid '{param}': string too long. Expected a string with maximum length {limit}, but got a string "
            "with length {length} instead.",
            "{param}",
            "string_above_max_length",
            certainty="inferred",
            name="long",
        ),
    ),
    applies="certain for declared tools, likely for calls; a call comes back under the name that was issued",
    wrong=(
        Wrong(
            "responses-tool-name-dotted",
            "A tool's name has a dot.",
            lambda it: put(tools(it, *OWN)[:1], name="files.read"),
            "without-reasoning one-call free-text-tool",
        ),
        Wrong(
            "responses-tool-name-long",
            "A tool's name is too long.",
            lambda it: put(tools(it, *OWN)[:1], name="n" * 65),
            "without-reasoning one-call",
            says="long",
        ),
        Wrong(
            "responses-tool-name-empty",
            "A tool has no name.",
            lambda it: put(tools(it, *OWN)[:1], name=""),
            "without-reasoning one-call",
            says="empty",
        ),
        Wrong(
            "responses-call-name-dotted",
            "A call comes back under another name.",
            lambda it: put(last(it, *CALLS), name="files.read"),
            "without-reasoning free-text-tool",
        ),
    ),
)


_called_by_name = items_by(lambda item: str(item.get("name")) if item.get("type") in ARGUMENTS else None)
"""The calls of tools by the names of the tools."""


@RULES.check("tools", OAI_25)
def tool_names_are_well_formed(asked: Asked) -> Iterator[Finding]:
    """OAI-25. A call that goes back under the name that the endpoint issued is not the loop's mistake."""
    found = [*map(_bad_name, asked.forbidden(OAI_25))]
    names = {entry.at: string(entry.item.get("name")) for entry in asked.entries} if found else {}
    for finding in found:
        if names.get(finding.answered.place) not in _called_by_name(asked.state):
            yield finding


def _bad_name(fault: Fault) -> Finding:
    at, item = around(fault)
    names = {"pattern": "pattern", "minLength": "empty", "maxLength": "long"}
    return OAI_25.broken(
        at if item.startswith("tools") else item,
        expected="1 to 64 letters, digits, _ and -",
        got=brief(fault.value),
        template=names[fault.keyword],
        certainty=None if item.startswith("tools") else "likely",
        bound=("length",) if fault.is_bound else None,
        param=at,
        limit=fault.wanted,
        length=len(fault.value),
    )
