"""The agent of a case: its model on the case's wire, its instructions and its tools."""

from __future__ import annotations

from typing import Any

from pydantic_ai import Agent, DeferredToolRequests
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.toolsets import ExternalToolset

from harness.targets.base import Assignment
from harness.targets.drivers.pydantic_ai.tools import declarations, external_tool, function_tool, output_tool

__all__ = ["agent_of"]


def agent_of(assignment: Assignment) -> Agent[None, Any]:
    """An agent with the library's defaults. It may answer with a text also where it has output tools."""
    tools = assignment.callables
    external = [external_tool(tool) for tool in tools if tool.kind == "external"]
    output: list[Any] = [str, *(output_tool(tool) for tool in tools if tool.kind == "output")]
    if any(tool.kind in ("external", "unapproved") for tool in tools):
        output.append(DeferredToolRequests)
    return Agent(
        _model(assignment),
        output_type=output,
        instructions=[text for role, text in assignment.prompt if role == "system"],
        tools=[function_tool(tool) for tool in tools if tool.kind in ("function", "unapproved")],
        toolsets=[ExternalToolset(external)] if external else [],
        capabilities=declarations(tools),
    )


def _model(assignment: Assignment) -> Model:
    name, base_url, api_key = assignment.model, assignment.base_url, assignment.api_key
    match assignment.wire:
        case "anthropic-messages":
            return AnthropicModel(name, provider=AnthropicProvider(base_url=base_url, api_key=api_key))
        case "gemini-generate":
            return GoogleModel(name, provider=GoogleProvider(base_url=base_url, api_key=api_key))
        case "openai-responses":
            return OpenAIResponsesModel(name, provider=OpenAIProvider(base_url=f"{base_url}/v1", api_key=api_key))
        case _:
            return OpenAIChatModel(name, provider=OpenAIProvider(base_url=f"{base_url}/v1", api_key=api_key))
