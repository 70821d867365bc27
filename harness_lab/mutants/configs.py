"""Breakages of what a session is opened with: the prompt and the tools."""

from __future__ import annotations

from dataclasses import replace

from harness.loop import SessionConfig
from harness_lab.mutants.declared import breaks, seen_in


@breaks("config", "one-tool-declared", "offered/tools", unseen_on="text-tags")  # whose tools are described in prose
@seen_in("create-then-edit", "results-as-they-come")
def first_tool_only(config: SessionConfig) -> SessionConfig:
    """Declares only the first of its tools to the model."""
    return replace(config, tools=config.tools[:1])


# unseen_on: whose tools are described in prose
@breaks("config", "tools-without-schema", "offered/schema", unseen_on="text-tags")
@seen_in("create-then-edit", "tool-returns")
def without_schemas(config: SessionConfig) -> SessionConfig:
    """Declares its tools as if they had no arguments."""
    return replace(
        config, tools=[replace(tool, parameters={"type": "object", "properties": {}}) for tool in config.tools]
    )


# unseen_on: whose tools are described in prose
@breaks("config", "tools-without-description", "offered/description", unseen_on="text-tags")
@seen_in("create-then-edit", "tool-returns")
def without_descriptions(config: SessionConfig) -> SessionConfig:
    """Declares its tools with no word of what they do."""
    return replace(config, tools=[replace(tool, description="-") for tool in config.tools])


@breaks("config", "system-prompt-missing", "offered/prompt")
@seen_in("system-prompt")
def without_system(config: SessionConfig) -> SessionConfig:
    """Never sends the system prompt."""
    return replace(config, prompt=[(role, text) for role, text in config.prompt if role != "system"])


@breaks("config", "prompt-squeezed", "offered/prompt")
@seen_in("prompt-with-indented-lines", "system-prompt")
def squeezed_prompt(config: SessionConfig) -> SessionConfig:
    """Sends the prompt without its line breaks and indents."""
    return replace(config, prompt=[(role, " ".join(text.split())) for role, text in config.prompt])


@breaks("config", "question-cut", "offered/prompt", "target/conversation")
@seen_in("system-prompt", "tool-returns")
def cut_question(config: SessionConfig) -> SessionConfig:
    """Sends the first twelve characters of what the user asks."""
    return replace(config, prompt=[(role, text[:12] if role == "user" else text) for role, text in config.prompt])


@breaks("config", "old-key-kept", "caller/switched-key")
@seen_in("switched-key")
def with_the_old_key(config: SessionConfig) -> SessionConfig:
    """Asks with the key with which the conversation has begun.

    The runner makes other keys by a suffix.
    """
    return replace(config, api_key=config.api_key.partition("-")[0])
