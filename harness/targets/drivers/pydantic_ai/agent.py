"""The agent of a case: its model on the case's wire, its instructions and its tools."""

from __future__ import annotations

from typing import Any, Final

from pydantic_ai import Agent, DeferredToolRequests
from pydantic_ai.models import Model
from pydantic_ai.providers import Provider
from pydantic_ai.toolsets import ExternalToolset

from harness.targets.base import CaseRun
from harness.targets.drivers.conversation import system_texts
from harness.targets.drivers.pydantic_ai.tools import declarations, external_tool, function_tool, output_tool

_MOST_TOKENS: Final = 4_096
"""The limit of an answer that is not streamed on Bedrock."""

_THINKING: Final[Any] = {"thinking": True, "openai_reasoning_summary": "auto"}
"""Settings with which models think and show their thoughts. Each model takes the settings that it knows."""


def agent_of(case_run: CaseRun) -> Agent[None, Any]:
    """An agent with the library's defaults. It asks for thinking if the model of the case thinks.

    It may answer with a text even if it has output tools.
    """
    tools = case_run.callables
    external = [external_tool(tool) for tool in tools if tool.kind == "external"]
    output: list[Any] = [str, *(output_tool(tool) for tool in tools if tool.kind == "output")]
    if any(tool.kind in ("external", "unapproved") for tool in tools):
        output.append(DeferredToolRequests)
    return Agent(
        _model(case_run),
        model_settings=_THINKING if case_run.reasons else None,
        output_type=output,
        instructions=system_texts(case_run),
        tools=[function_tool(tool) for tool in tools if tool.kind in ("function", "unapproved")],
        toolsets=[ExternalToolset(external)] if external else [],
        capabilities=declarations(tools),
    )


def _model(case_run: CaseRun) -> Model:
    """The library's model for the wire. No other model is imported: each import takes a second, with its SDK."""
    name, base_url, api_key = case_run.model, case_run.base_url, case_run.api_key
    if case_run.wire == "anthropic-messages":
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        return AnthropicModel(name, provider=AnthropicProvider(base_url=base_url, api_key=api_key))
    if case_run.wire == "gemini-generate":
        from pydantic_ai.models.google import GoogleModel
        from pydantic_ai.providers.google import GoogleProvider

        return GoogleModel(name, provider=GoogleProvider(base_url=base_url, api_key=api_key))
    if case_run.wire == "bedrock-converse":
        return _bedrock_model(case_run)
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel

    is_openai = case_run.state.setdefault("first_url", base_url) == base_url
    provider = _openai_provider(name, f"{base_url}/v1", api_key, is_openai=is_openai)
    if case_run.wire == "openai-chat":
        return OpenAIChatModel(name, provider=provider)
    return OpenAIResponsesModel(name, provider=provider)


def _bedrock_model(case_run: CaseRun) -> Model:
    """The model on Bedrock. For a Claude without ``max_tokens`` the library always asks for a stream, not Converse."""
    from pydantic_ai.models.bedrock import BedrockConverseModel, BedrockModelSettings
    from pydantic_ai.providers.bedrock import BedrockProvider

    provider = BedrockProvider(
        base_url=case_run.base_url,
        region_name="us-east-1",
        aws_access_key_id=case_run.api_key,
        aws_secret_access_key=case_run.api_key,
    )
    settings = None if case_run.stream else BedrockModelSettings(max_tokens=_MOST_TOKENS)
    return BedrockConverseModel(case_run.model, provider=provider, settings=settings)


def _openai_provider(model: str, base_url: str, api_key: str, *, is_openai: bool) -> Provider[Any]:
    """The provider of the model. ``OpenAIProvider`` is for OpenAI alone, as its documentation says.

    The library's ``MistralProvider`` needs Mistral's SDK, which is not among the packages of this target.
    """
    if not is_openai and not model.startswith("mistral"):
        from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

        return OpenAICompatibleProvider("another", base_url=base_url, api_key=api_key)
    if model.startswith("mistral"):
        from pydantic_ai.profiles.mistral import mistral_model_profile
        from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

        profile = mistral_model_profile(model)
        return OpenAICompatibleProvider("mistral", base_url=base_url, api_key=api_key, profile=profile)
    from pydantic_ai.providers.openai import OpenAIProvider

    return OpenAIProvider(base_url=base_url, api_key=api_key)
