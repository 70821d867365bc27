"""Texts for the model: the system prompt and the texts of results.

The texts are copied to the letter from the program behind the design document (the measured cases ``first-request``,
``result-message-two-tools`` and ``unknown-tool``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.wire.base import ToolDeclaration
from harness.wire.characters import sendable, sendable_value
from harness.wire.json_text import compact

_USAGE = '<tool_call>{"name":"tool_name","args":{...}}</tool_call>'
_TOOLS = f"You have tools. To use one: {_USAGE}\nWhen done, respond without tool_call tags.\n\n"
_SKILLS = (
    "## Available Skills\n\nYou have access to the following skills. To activate a skill that is relevant to your"
    " current task, use the activate_skill tool.\n\n"
)


ANSWER_NOW = (
    "You have reached the maximum number of turns. Please provide your final answer now based on what you've found "
    "so far. Do not use any more tools."
)
"""The user message that demands an answer when the last turn has wanted another."""


@dataclass(frozen=True, slots=True)
class Skill:
    """Instructions that the model loads when it needs them; until then it knows only the description."""

    description: str
    instructions: str


ACTIVATE_SKILL = ToolDeclaration(
    "activate_skill",
    "Load a skill's full instructions into context. Use this before starting work that matches a listed skill.",
    {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
)


def system_prompt(own: str, skills: Mapping[str, Skill], tools: Sequence[ToolDeclaration]) -> str:
    """``own``, the skills by name, and the tools, with blank lines between them; empty if there are none of these."""
    sections = [own] if own else []
    if skills:
        sections.append(_SKILLS + "".join(f"- {name}: {skills[name].description}\n" for name in sorted(skills)))
    if tools:
        sections.append(_TOOLS + "".join(_tool_line(tool) for tool in tools))
    return sendable("\n\n".join(sections))


def _tool_line(tool: ToolDeclaration) -> str:
    """The line of a tool. Parameters are in alphabetical order, as the program writes them in any case."""
    names = ", ".join(sorted(tool.parameters.get("properties", ())))
    return f"- {tool.name}{f'({names})' if names else ''}: {tool.description}\n"


def result_text(result: Any) -> str:
    """A tool's result as the model reads it: text unchanged, nothing as ``OK``, anything else as JSON."""
    if result is None:
        return "OK"
    return result if isinstance(result, str) else compact(sendable_value(result))


def error_text(result: Any) -> str:
    """A failed tool's result: ``Error: `` and the message, then the rest of the tool's output as JSON."""
    if not (isinstance(result, dict) and isinstance(result.get("error"), str)):
        return f"Error: {result_text(result)}"
    details = {key: value for key, value in result.items() if key != "error"}
    return f"Error: {result['error']}" + (f" {result_text(details)}" if details else "")


def unknown_tool_text(name: str) -> str:
    """The text of the result of a call of a tool that was not offered."""
    return f"Error: tool '{name}' not found"


def unreadable_call_text(problem: str) -> str:
    """The text of the result of a call that could not be run because it was not written as one."""
    return f"Error: this tool call could not be read: {problem}. To use a tool: {_USAGE}"
