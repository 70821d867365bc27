"""The tools of a case as pydantic-ai knows them: function tools, output tools and tools that run elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from pydantic import GetJsonSchemaHandler, RootModel, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_ai import RunContext, Tool, ToolOutput, ToolReturn
from pydantic_ai.tools import ToolDefinition
from pydantic_core import CoreSchema

from harness.targets.tools import CallableTool
from harness.trace import JsonValue

__all__ = ["external_tool", "function_tool", "output_tool"]


class _Arguments(RootModel[dict[str, Any]]):
    """What the model has written for a call."""


def _arguments(parameters: Mapping[str, JsonValue]) -> type[_Arguments]:
    """The type of arguments that are as this JSON Schema says, which is also what the model is told of them."""
    schema = Draft202012Validator(parameters)

    class Arguments(_Arguments):
        @model_validator(mode="after")
        def _fit(self) -> Arguments:
            if error := best_match(schema.iter_errors(self.root)):
                raise ValueError(f"{error.json_path}: {error.message}")
            return self

        @classmethod
        def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
            return dict(parameters)

    return Arguments


def function_tool(tool: CallableTool) -> Tool[None]:
    """A tool that the agent runs, if need be once that is approved."""

    async def call(context: RunContext[None], arguments: _Arguments) -> Any:
        result = await tool(arguments.root, id=context.tool_call_id)
        return ToolReturn(result, content=tool.extra) if tool.extra else result

    call.__annotations__["arguments"] = _arguments(tool.parameters)  # the library reads the types of a function
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
