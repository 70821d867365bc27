"""The case as a command receives it: one line of JSON, with the keys of scenario files."""

from __future__ import annotations

import json
from typing import Any, Final

from harness.scenario import Resolve, Round, Tool, is_fresh
from harness.scenario.callers import action_entry
from harness.targets.base import CaseRun

PROTOCOL: Final = 1
"""The version of the protocol between the harness and a command."""


def case_id(case_run: CaseRun) -> str:
    """The case, as its endpoint is called."""
    return case_run.case or case_run.base_url.rpartition("/")[2]


def case_line(case_run: CaseRun, *, persistent: bool = False) -> bytes:
    """The line with the case for a command's standard input. It is ASCII, so lone surrogates arrive as escapes.

    With ``persistent`` the command waits for another case after this one.
    """
    case = {
        "harness": PROTOCOL,
        "case": case_id(case_run),
        "persistent": persistent,
        "wire": case_run.wire,
        "model": case_run.model,
        "reasons": case_run.reasons,
        "base_url": case_run.base_url,
        "api_key": case_run.api_key,
        "prompt": [{"role": role, "text": text} for role, text in case_run.prompt],
        "tools": [_tool(tool) for tool in case_run.tools],
        "stream": case_run.stream,
        "turn_limit": case_run.turn_limit,
        "profile": case_run.profile,
        "resolve": [_round(each) for each in case_run.resolve],
        "answer_schema": case_run.answer_schema,
        "caller": {str(turn): [action_entry(each) for each in actions] for turn, actions in case_run.caller.items()},
        "run": case_run.number,
        "state": case_run.state,
        "resumed": case_run.resumed,
        **({"transport": case_run.transport} if case_run.transport else {}),
    }
    return json.dumps(case, separators=(",", ":")).encode("ascii") + b"\n"


def _tool(tool: Tool) -> dict[str, Any]:
    """The tool, without ``returns`` and ``raises`` if the scenario has neither: the loop has it, or nobody runs it.

    Only the harness can make a value that is new for each call.
    """
    description: dict[str, Any] = {
        "name": tool.declaration.name,
        "description": tool.declaration.description,
        "parameters": tool.declaration.parameters,
        "kind": tool.kind,
        "extra": tool.extra,
        "finishes_after": tool.finishes_after,
    }
    if tool.raises is not None:
        return {**description, "raises": tool.raises}
    answers = not tool.canonical and tool.kind in ("function", "unapproved") and not is_fresh(tool.returns)
    return {**description, "returns": tool.returns} if answers else description


def _round(resolved: Round) -> dict[str, Any]:
    return {
        tool: [_word(each) for each in words] if isinstance(words, tuple) else _word(words)
        for tool, words in resolved.items()
    }


def _word(word: Resolve) -> Any:
    return word.how if word.how == "approve" else {word.how: word.value}
