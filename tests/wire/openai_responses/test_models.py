"""The facts about OpenAI's models: every name that the SDK has is of a known family, and none that was refused is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import pytest

from harness.wire.openai_models import (
    ADJACENT_CALLS,
    AUDIO,
    CONTEXT_WINDOW,
    DEFAULT_EFFORT,
    EFFORTS,
    KNOWN,
    OPENAI_MODELS,
    REASONING,
    REFUSED_ROLES,
    SAMPLING,
    TOKENIZER,
)
from tests.sdks import openai

REFUSED = (
    "bad model",
    "gpt-4o-mini-nonexistent-rig-test",
    "gpt-5.2-proo",
    "gpt-nonexistent-model-for-error-edge",
    "invalid-model",
    "this-model-does-not-exist-12345",
)
"""Names that recorded requests were refused for."""


def literals(hint: Any) -> Iterator[str]:
    for argument in get_args(hint):
        yield from [argument] if isinstance(argument, str) else literals(argument)


def test_the_models_of_the_sdk_are_known() -> None:
    names = [
        *literals(openai.types.shared.chat_model.ChatModel),
        *literals(openai.types.shared.responses_model.ResponsesModel),
    ]
    assert len(names) > 90
    assert [name for name in names if not OPENAI_MODELS.holds(KNOWN, name)] == []


@pytest.mark.parametrize("name", REFUSED)
def test_names_that_were_refused_are_not_known(name: str) -> None:
    assert OPENAI_MODELS.value(KNOWN, name) is None


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("gpt-5.5", {REASONING: True, DEFAULT_EFFORT: "medium", CONTEXT_WINDOW: 1_050_000, TOKENIZER: None}),
        ("gpt-5.4-2026-03-05", {DEFAULT_EFFORT: "none", SAMPLING: "without reasoning"}),
        ("gpt-5.1", {EFFORTS: ("none", "low", "medium", "high"), CONTEXT_WINDOW: 400_000}),
        ("gpt-5-mini", {SAMPLING: "never", TOKENIZER: "o200k_base"}),
        ("gpt-5.2-codex", {SAMPLING: "never", EFFORTS: None}),
        ("gpt-5-chat-latest", {REASONING: False, EFFORTS: None, SAMPLING: None}),
        ("o1-mini", {REASONING: True, REFUSED_ROLES: ("system", "developer"), CONTEXT_WINDOW: 128_000}),
        ("o3-pro", {SAMPLING: "never", REFUSED_ROLES: None, CONTEXT_WINDOW: 200_000}),
        ("openai/gpt-4.1-mini", {KNOWN: True, REASONING: False, CONTEXT_WINDOW: 1_047_576}),
        ("ft:gpt-4o-mini-2024-07-18:org::abc", {KNOWN: True, REASONING: False, CONTEXT_WINDOW: 128_000}),
        ("gpt-4-0613", {CONTEXT_WINDOW: 8_192, TOKENIZER: "cl100k_base"}),
        ("gpt-4-0125-preview", {CONTEXT_WINDOW: 128_000}),
        ("gpt-4o-mini-audio-preview", {AUDIO: True}),
        ("deepseek-v4-flash", {KNOWN: False, REASONING: None, CONTEXT_WINDOW: None, ADJACENT_CALLS: True}),
        ("grok-4.3", {KNOWN: False, REASONING: None, SAMPLING: None, ADJACENT_CALLS: None}),
    ],
)
def test_what_is_known_of_a_model(name: str, facts: dict[str, Any]) -> None:
    assert {fact: OPENAI_MODELS.value(fact, name) for fact in facts} == facts


def test_the_efforts_are_those_of_the_sdk() -> None:
    order = list(literals(openai.types.shared.reasoning_effort.ReasoningEffort))
    for fact in OPENAI_MODELS.facts:
        if fact.name == EFFORTS and isinstance(fact.value, tuple):
            assert list(fact.value) == [effort for effort in order if effort in fact.value]
        assert fact.models
        assert fact.source
