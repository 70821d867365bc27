"""The tools of a case as pydantic-ai knows them: function tools, output tools and tools that run elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import RootModel, model_validator
from pydantic_ai import RunContext, Tool, ToolOutput, ToolReturn
from pydantic_ai.capabilities import PrepareOutputTools, PrepareTools
from pydantic_ai.tools import ToolDefinition

from harness.scenario.arguments import argument_problems, validator
from harness.targets.tools import CallableTool
from harness.trace import JsonValue


class _Arguments(RootModel[dict[str, Any]]):
    """What the model has written for a call."""


def _arguments(parameters: Mapping[str, JsonValue]) -> type[_Arguments]:
    """The type of arguments that fit this JSON Schema."""
    schema = validator(parameters)

    class Arguments(_Arguments):
        @model_validator(mode="after")
        def _fit(self) -> Arguments:
            if problem := next(argument_problems(self.root, schema), None):
                raise ValueError(f"{'.'.join(map(str, problem.path)) or 'the arguments'}: {problem.message}")
            return self

    return Arguments


def function_tool(tool: CallableTool) -> Tool[None]:
    """A tool that the agent runs, after approval if it needs one."""

    # The parameter's name is one that no argument has: a call with nothing but that would be taken for a wrapped one.
    async def call(context: RunContext[None], arguments_of_the_call: _Arguments) -> Any:
        result = await tool(arguments_of_the_call.root, id=context.tool_call_id)
        return ToolReturn(result, content=tool.extra) if tool.extra else result

    call.__annotations__["arguments_of_the_call"] = _arguments(tool.parameters)  # which the library reads
    return Tool(
        call,
        takes_ctx=True,
        name=tool.name,
        description=tool.description,
        requires_approval=tool.kind == "unapproved",
    )


def output_tool(tool: CallableTool) -> ToolOutput[Any]:
    """A tool whose arguments are the result of the run."""
    return ToolOutput(_arguments(tool.parameters), name=tool.name, description=tool.description)


def external_tool(tool: CallableTool) -> ToolDefinition:
    """A tool that somebody else runs."""
    return ToolDefinition(name=tool.name, description=tool.description, parameters_json_schema=dict(tool.parameters))


def declarations(tools: Sequence[CallableTool]) -> list[PrepareTools[None] | PrepareOutputTools[None]]:
    """Settings with which the model gets the tool schemas as declared, and not as pydantic would write them."""
    schemas = {tool.name: dict(tool.parameters) for tool in tools}

    def as_declared(_context: RunContext[None], definitions: list[ToolDefinition]) -> list[ToolDefinition]:
        return [replace(each, parameters_json_schema=schemas[each.name]) for each in definitions]

    return [PrepareTools(as_declared), PrepareOutputTools(as_declared)]
