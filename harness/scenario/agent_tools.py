"""Neutral tools of coding agents, and scenarios translated to the tools of one agent.

Every coding agent reads, writes, edits and searches files and runs commands, with its own names and arguments of tools.
A scenario of the profile ``coding-agent`` calls neutral tools; a target file maps each to a tool of the agent. A path
is relative to the work directory, which is new for each case.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from harness.scenario.model import Expect, Scenario, SideConversation, Step, ToolRun, TurnStep
from harness.trace import JsonValue
from harness.wire import Call, Conversation, Part, ToolDeclaration

_WORD: Final = re.compile(r"\$(?:([a-z][a-z0-9_]*)|\{([a-z][a-z0-9_]*)\})")
_ENDINGS: Final = ('"}', "}", '"]}', "]}", "")
"""Endings that may be missing from arguments that break off."""

_Value = TypeVar("_Value", bound=JsonValue)


def _tool(name: str, description: str, **arguments: str) -> ToolDeclaration:
    properties: dict[str, JsonValue] = {
        each: {"type": "string", "description": about} for each, about in arguments.items()
    }
    parameters: dict[str, JsonValue] = {
        "type": "object",
        "properties": properties,
        "required": list(arguments),
        "additionalProperties": False,
    }
    return ToolDeclaration(name, description, parameters)


_PATH: Final = "The file, relative to the work directory."

_ALL: Final = (
    _tool("read", "Read a text file.", path=_PATH),
    _tool("write", "Write a file, whole.", path=_PATH, content="The text of the file."),
    _tool("edit", "Replace a text in a file.", path=_PATH, old="The text to replace.", new="What comes in its place."),
    _tool("shell", "Run a command in the work directory.", command="The command, for a POSIX shell."),
    _tool("search", "Search the files of the work directory for a text.", pattern="The text."),
    _tool("ask", "Ask the user a question.", question="The question."),
    _tool("delegate", "Have a sub-agent do something, and wait for its answer.", task="What it is to do."),
)

AGENT_TOOLS: Final[Mapping[str, ToolDeclaration]] = {each.name: each for each in _ALL}
"""The neutral tools by name."""


@dataclass(frozen=True, slots=True)
class AgentTool:
    """The tool of an agent that does the same as a neutral tool.

    In ``arguments`` ``$NAME`` is the argument NAME of the neutral tool, ``$workdir`` the path of the work directory.
    """

    name: str
    arguments: Mapping[str, JsonValue] = field(hash=False)


def words_in(value: JsonValue) -> Iterator[str]:
    """The names that the texts of a value refer to with ``$``."""
    match value:
        case str():
            yield from (found[1] or found[2] for found in _WORD.finditer(value))
        case list():
            for each in value:
                yield from words_in(each)
        case dict():
            for each in value.values():
                yield from words_in(each)


def words_of(value: _Value, words: Mapping[str, JsonValue]) -> _Value:
    """The value with every known ``$NAME`` replaced. A text that is only ``$NAME`` becomes the value itself."""
    match value:
        case str():
            whole = _WORD.fullmatch(value)
            if whole is not None and (name := whole[1] or whole[2]) in words:
                return words[name]  # type: ignore[return-value]  # a text may stand for a value of any type
            return text_of(value, words)  # type: ignore[return-value]
        case list():
            return [words_of(each, words) for each in value]  # type: ignore[return-value]
        case dict():
            return {name: words_of(each, words) for name, each in value.items()}  # type: ignore[return-value]
    return value


def text_of(text: str, words: Mapping[str, JsonValue]) -> str:
    """The text with every known ``$NAME`` replaced. A value that is no text is inserted as JSON."""
    return _WORD.sub(lambda found: _shown(words, found), text)


def _shown(words: Mapping[str, JsonValue], found: re.Match[str]) -> str:
    name = found[1] or found[2]
    if name not in words:
        return found[0]
    value = words[name]
    return value if isinstance(value, str) else json.dumps(value)


def called_tools(scenario: Scenario) -> frozenset[str]:
    """The neutral tools that the main conversation's script calls, and the scripts of sub-agents that must begin."""
    needed = (step for each in scenario.beside if each.needed for step in each.steps)
    calls = (call for step in (*scenario.steps, *needed) if isinstance(step, TurnStep) for call in step.turn.calls)
    return frozenset(call.name for call in calls) & AGENT_TOOLS.keys()


def in_words_of(scenario: Scenario, tools: Mapping[str, AgentTool], workdir: str) -> Scenario:
    """The scenario with the calls of ``tools`` in the agent's words. Tools without a mapping stay unchanged."""
    agent = _Agent(tools, workdir)
    known = tuple(
        replace(tool, declaration=replace(tool.declaration, name=tools[tool.declaration.name].name))
        if tool.declaration.name in tools
        else tool
        for tool in scenario.tools
    )
    return replace(
        scenario,
        tools=known,
        steps=tuple(map(agent.step, scenario.steps)),
        beside=tuple(map(agent.beside, scenario.beside)),
        expect=agent.expect(scenario.expect),
    )


@dataclass(frozen=True, slots=True)
class _Agent:
    """The words of one agent, in one work directory."""

    tools: Mapping[str, AgentTool]
    workdir: str

    def step(self, step: Step) -> Step:
        if not isinstance(step, TurnStep) or step.native is not None:
            return step
        return replace(step, turn=replace(step.turn, parts=tuple(map(self._part, step.turn.parts))))

    def beside(self, side: SideConversation) -> SideConversation:
        return replace(side, steps=tuple(map(self.step, side.steps)))

    def expect(self, expect: Expect) -> Expect:
        return replace(
            expect,
            ran=tuple(map(self._run, expect.ran)),
            not_ran=tuple(map(self._run, expect.not_ran)),
            offered=tuple(
                replace(each, tools=tuple(map(self._name, each.tools)), lacks=tuple(map(self._name, each.lacks)))
                for each in expect.offered
            ),
            results=tuple(replace(each, tool=self._name(each.tool)) for each in expect.results),
        )

    def _part(self, part: Part) -> Part:
        if not isinstance(part, Call) or part.name not in self.tools:
            return part
        return replace(part, name=self._name(part.name), arguments=self._arguments(part))

    def _name(self, tool: str) -> str:
        return self.tools[tool].name if tool in self.tools else tool

    def _run(self, run: ToolRun) -> ToolRun:
        if run.tool not in self.tools:
            return run
        arguments = None if run.arguments is None else self._from_template(run.tool, run.arguments)
        return ToolRun(self._name(run.tool), arguments)

    def _arguments(self, call: Call) -> str:
        """The arguments in the agent's words. Arguments that break off do so at the same place."""
        whole = _object(call.arguments)
        if whole is not None:
            return json.dumps(self._from_template(call.name, whole), ensure_ascii=False)
        begun = next((found for end in _ENDINGS if (found := _object(call.arguments + end))), None)
        if begun is None:
            return call.arguments
        return _up_to(json.dumps(self._from_template(call.name, begun), ensure_ascii=False), list(begun.values())[-1])

    def _from_template(self, tool: str, arguments: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        template = self.tools[tool].arguments
        wanted = {name: each for name, each in template.items() if _is_known(each, arguments)}
        return words_of(dict(wanted), {**arguments, "workdir": self.workdir})


def completed(step: Step, asked: Conversation) -> Step:
    """The step with null for every missing argument that a tool of the request requires and that may be null.

    With strict arguments a model must write all of them, and null for each argument without a value.
    """
    if not isinstance(step, TurnStep) or step.native is not None or not step.turn.calls:
        return step
    schemas = {tool.name: tool.parameters for tool in asked.tools}
    parts = tuple(
        replace(part, arguments=with_nulls(part.arguments, schemas[part.name]))
        if isinstance(part, Call) and part.name in schemas
        else part
        for part in step.turn.parts
    )
    return replace(step, turn=replace(step.turn, parts=parts))


def with_nulls(arguments: str, schema: Mapping[str, JsonValue]) -> str:
    """The arguments of one call, as in ``completed``; unchanged if they are no object."""
    values, properties, required = _object(arguments), schema.get("properties"), schema.get("required")
    if values is None or not isinstance(properties, Mapping) or not isinstance(required, list):
        return arguments
    missing = [
        name for name in required if isinstance(name, str) and name not in values and _may_be_null(properties.get(name))
    ]
    return json.dumps({**values, **dict.fromkeys(missing)}, ensure_ascii=False) if missing else arguments


def _may_be_null(schema: JsonValue) -> bool:
    if not isinstance(schema, Mapping):
        return False
    kinds, choices = schema.get("type"), [schema.get("anyOf"), schema.get("oneOf")]
    if kinds == "null" or (isinstance(kinds, list) and "null" in kinds):
        return True
    return any(_may_be_null(each) for some in choices if isinstance(some, list) for each in some)


def _is_known(template: JsonValue, arguments: Mapping[str, JsonValue]) -> bool:
    """Whether ``arguments`` has everything from which the agent's argument is made."""
    return all(name in arguments or name == "workdir" for name in words_in(template))


def _up_to(text: str, value: JsonValue) -> str:
    """``text`` up to the end of ``value``, without the quotation mark that closes it."""
    written = json.dumps(value, ensure_ascii=False)
    inner = written[1:-1] if isinstance(value, str) else written
    at = text.find(inner)
    return text if at < 0 else text[: at + len(inner)]


def _object(text: str) -> dict[str, JsonValue] | None:
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
