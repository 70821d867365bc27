"""The facts about OpenAI's models: every name that the SDK has is of a known family, and none that was refused is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import pytest

from harness.wire.openai_models import EFFORTS, KNOWN, OPENAI_MODELS
from harness.wire.openai_responses.schema import MEMBERS
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


def test_the_efforts_are_those_of_the_sdk() -> None:
    order = list(literals(openai.types.shared.reasoning_effort.ReasoningEffort))
    for fact in OPENAI_MODELS.facts:
        if fact.name == EFFORTS and isinstance(fact.value, tuple):
            assert list(fact.value) == [effort for effort in order if effort in fact.value]
        assert fact.models
        assert fact.source


def test_the_schema_knows_the_members_of_the_sdk() -> None:
    known = {
        name
        for kind in (
            openai.types.responses.response_create_params.ResponseCreateParamsBase,
            openai.types.responses.response_create_params.ResponseCreateParamsNonStreaming,
            openai.types.responses.response_create_params.ResponseCreateParamsStreaming,
        )
        for name in kind.__annotations__
    }
    assert set(MEMBERS) == known | {"client_metadata"}  # which Codex sends, and no SDK
