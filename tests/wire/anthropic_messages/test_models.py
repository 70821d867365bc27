"""The facts about models: every name that the SDK has is known, and each fact has a source."""

from __future__ import annotations

import pytest

from harness.wire.anthropic_messages.models import MODELS


def test_every_model_of_the_sdk_is_known() -> None:
    from typing import get_args

    from anthropic.resources.messages.messages import DEPRECATED_MODELS
    from anthropic.types import ModelParam

    names = [*get_args(get_args(ModelParam)[0]), *DEPRECATED_MODELS]
    assert len(names) > 35
    assert [name for name in names if not MODELS.holds("known", name)] == []


@pytest.mark.parametrize("name", ["claude-sonet-4-5", "claude-nonexistent-rig-test", "bad model", "gpt-5.5", "claude"])
def test_other_models_are_unknown(name: str) -> None:
    assert not MODELS.holds("known", name)


def test_facts_have_sources() -> None:
    for fact in MODELS.facts:
        assert fact.source.startswith(("https://", "recording ", "anthropic ")), fact.name
        assert fact.models
