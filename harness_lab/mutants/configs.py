"""Breakages of what a session is opened with: the prompt and the tools."""

from __future__ import annotations

from dataclasses import replace

from harness.loop import SessionConfig


def first_tool_only(config: SessionConfig) -> SessionConfig:
    """Only the first tool is declared."""
    return replace(config, tools=config.tools[:1])


def without_schemas(config: SessionConfig) -> SessionConfig:
    """Every tool is declared as one without arguments."""
    return replace(
        config, tools=[replace(tool, parameters={"type": "object", "properties": {}}) for tool in config.tools]
    )


def without_descriptions(config: SessionConfig) -> SessionConfig:
    """Every tool is declared with a dash for a description."""
    return replace(config, tools=[replace(tool, description="-") for tool in config.tools])


def without_system(config: SessionConfig) -> SessionConfig:
    """The system prompt is never sent."""
    return replace(config, prompt=[(role, text) for role, text in config.prompt if role != "system"])


def squeezed_prompt(config: SessionConfig) -> SessionConfig:
    """All white space of the prompt is one space each."""
    return replace(config, prompt=[(role, " ".join(text.split())) for role, text in config.prompt])


def cut_question(config: SessionConfig) -> SessionConfig:
    """What the user says is cut after twelve characters."""
    return replace(config, prompt=[(role, text[:12] if role == "user" else text) for role, text in config.prompt])
