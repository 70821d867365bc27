"""What a model sends of its thinking, by its name and by what the request says: nothing, a proof, or a text."""

from __future__ import annotations

from typing import Any

import pytest

from harness.wire import Conversation, WireName, wire

SUMMARY = {"reasoning": {"summary": "auto"}}
ENCRYPTED = {"include": ["reasoning.encrypted_content"]}
ENABLED = {"thinking": {"type": "enabled", "budget_tokens": 1024}}
DISABLED = {"thinking": {"type": "disabled"}}
CLAUDE_ON_BEDROCK = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"


def config(**thinking: Any) -> dict[str, Any]:
    return {"generationConfig": {"thinkingConfig": thinking}}


def bedrock(**thinking: Any) -> dict[str, Any]:
    return {"additionalModelRequestFields": {"thinking": thinking}}


RESPONSES: list[tuple[str, dict[str, Any], str]] = [
    ("gpt-5.5", {}, "omitted, unsigned"),
    ("gpt-5.5-2026-04-23", {}, "omitted, unsigned"),
    ("gpt-5.5", SUMMARY, "plain, unsigned"),
    ("gpt-5.5", ENCRYPTED, "omitted"),
    ("gpt-5.5", {**SUMMARY, **ENCRYPTED}, "plain"),
    ("gpt-5.6-sol", {}, "omitted"),
    ("gpt-5-pro", {}, "omitted, unsigned"),
    ("gpt-5.5", {"reasoning": {"effort": "none"}}, ""),
    ("gpt-5", {"reasoning": {"effort": "minimal"}}, ""),
    ("gpt-5.1", {}, ""),
    ("gpt-5.1", {"reasoning": {"summary": "auto"}}, ""),
    ("gpt-5.1", {"reasoning": {"effort": "high"}}, "omitted, unsigned"),
    ("gpt-4.1", {}, ""),
    ("grok-4.3", {}, "plain, unsigned"),
    ("deepseek-v4-flash", {}, "plain, unsigned"),
    ("deepseek-v4-flash", DISABLED, ""),
    ("a-model", {}, ""),
    ("a-model", {"reasoning": {"effort": "low"}}, "omitted, unsigned"),
    ("a-model", {"reasoning": {"effort": "none"}}, ""),
]
CHAT: list[tuple[str, dict[str, Any], str]] = [
    ("deepseek-v4-flash", {}, "plain"),
    ("deepseek-v4-flash", DISABLED, ""),
    ("deepseek-chat", {}, ""),
    ("deepseek-chat", ENABLED, "plain"),
    ("kimi-k2.6", {}, "plain"),
    ("kimi-k2.6", {"reasoning_effort": "none"}, ""),
    ("qwen3-8b", {}, "plain"),
    ("qwen3-8b", {"chat_template_kwargs": {"enable_thinking": False}}, ""),
    ("qwen3-coder-30b-a3b-instruct", {}, ""),
    ("qwen3.8-max", {}, ""),
    ("qwen3.8-max", {"enable_thinking": True}, "plain"),
    ("gpt-5-mini", {}, ""),
    ("gpt-4.1", ENABLED, ""),
    ("a-model", {}, ""),
]
ANTHROPIC: list[tuple[str, dict[str, Any], str]] = [
    ("claude-opus-5", {}, "omitted"),
    ("claude-opus-5", {"tool_choice": {"type": "any"}}, ""),
    ("claude-opus-5", {"thinking": {"type": "adaptive", "display": "summarized"}}, "plain"),
    ("claude-opus-5", DISABLED, ""),
    ("claude-opus-4-7", {}, ""),
    ("claude-opus-4-7", {"thinking": {"type": "adaptive"}}, "omitted"),
    ("claude-sonnet-4-6", {}, ""),
    ("claude-sonnet-4-6", ENABLED, "plain"),
    ("claude-sonnet-4-6", {"thinking": {"type": "adaptive", "display": "omitted"}}, "omitted"),
    ("claude-sonnet-4-5-20250929", {}, ""),
]
GEMINI: list[tuple[str, dict[str, Any], str]] = [
    ("gemini-3.6-flash", {}, "omitted"),
    ("gemini-3.6-flash", config(includeThoughts=True), "plain"),
    ("gemini-3.6-flash", config(include_thoughts=True), "plain"),
    ("gemini-3.6-flash", config(thinkingLevel="low"), "omitted"),
    ("gemini-2.5-flash", {}, "omitted"),
    ("gemini-2.5-flash", config(thinkingBudget=0, includeThoughts=True), ""),
    ("gemini-2.5-flash", {"generation_config": {"thinking_config": {"thinking_budget": 0}}}, ""),
    ("gemini-2.5-flash-lite", {}, ""),
    ("gemini-2.5-flash-lite", config(thinkingBudget=512), "omitted"),
    ("gemini-2.0-flash", config(thinkingBudget=512), ""),
    ("a-tuned-model", {}, ""),
]
INTERACTIONS: list[tuple[str, dict[str, Any], str]] = [
    ("gemini-3.8-flash", {}, "omitted"),
    ("gemini-3.8-flash", {"generation_config": {"thinking_summaries": "auto"}}, "plain"),
    ("gemini-3.8-flash", {"generation_config": {"thinking_summaries": "none"}}, "omitted"),
    ("gemini-2.0-flash", {}, ""),
]
BEDROCK: list[tuple[str, dict[str, Any], str]] = [
    (CLAUDE_ON_BEDROCK, {}, ""),
    (CLAUDE_ON_BEDROCK, bedrock(type="enabled", budget_tokens=1024), "plain"),
    (CLAUDE_ON_BEDROCK, bedrock(type="adaptive", display="omitted"), "omitted"),
    (CLAUDE_ON_BEDROCK, bedrock(type="disabled"), ""),
    ("openai.gpt-oss-120b-1:0", {}, "plain, unsigned"),
    ("amazon.nova-lite-v1:0", {}, ""),
]
ROWS: dict[WireName, list[tuple[str, dict[str, Any], str]]] = {
    "openai-responses": RESPONSES,
    "openai-chat": CHAT,
    "anthropic-messages": ANTHROPIC,
    "gemini-generate": GEMINI,
    "gemini-interactions": INTERACTIONS,
    "bedrock-converse": BEDROCK,
}


@pytest.mark.parametrize(
    ("name", "model", "body", "sent"), [(name, *row) for name, rows in ROWS.items() for row in rows]
)
def test_what_is_sent_follows_from_the_model_and_the_request(
    name: WireName, model: str, body: dict[str, Any], sent: str
) -> None:
    part = wire(name).thinks(Conversation(name, model, False, (), body=body), "So it is.")
    said = "" if part is None else f"{part.form}{'' if part.signed else ', unsigned'}"
    assert said == sent
    assert part is None or part.text == ("So it is." if part.form == "plain" else "")
