"""The facts about models: which names they cover, and that each has a source."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from harness.wire.gemini_generate import WIRE
from harness.wire.gemini_generate.models import (
    DOCUMENTED_LEVELS,
    INPUT_LIMIT,
    KNOWN,
    MODELS,
    NO_LOGPROBS,
    NO_PREFILL,
    ROLE_NAMES,
    SIGNED_CALLS,
    THINKING_BUDGET,
    THINKING_LEVELS,
    TOOLS_APART,
    UNSPLIT_ANSWERS,
)
from harness.wire.models import THINKS
from tests.recorded.corpus.shared_exchanges import exchanges

COVERED: dict[str, dict[str, Any]] = {
    KNOWN: {
        **dict.fromkeys(
            (
                "gemini-3.6-flash",
                "gemini-2.5-flash-lite-preview-09-2025",
                "gemini-3.1-flash-lite-image",
                "gemini-4-argon",
                "gemini-2.5-flash-native-audio-preview-12-2025",
                "gemini-robotics-er-1.5-preview",
                "gemini-2.5-computer-use-preview-10-2025",
                "gemini-exp-1206",
                "gemma-3-27b-it",
                "gemma-4-26b-a4b-it",
                "learnlm-2.0-flash-experimental",
            ),
            True,
        ),
        **dict.fromkeys(("gemini-3.6-flahs", "gpt-5.5", "some-model", "gemini", "gemini-3.6", "flash"), None),
    },
    SIGNED_CALLS: {
        "gemini-3-flash-preview": True,
        "gemini-3.6-flash": True,
        "gemini-4-argon": True,
        "gemini-10.1-pro": True,
        "gemini-2.5-pro": False,
        "gemini-2.0-flash-001": False,
        "gemini-3-pro-image-preview": False,
        "gemini-2.5-flash-image": False,
        "gemini-flash-latest": None,
        "gemma-3-27b-it": None,
        "tuned": None,
    },
    NO_PREFILL: {
        "gemini-3.6-flash": True,
        "gemini-3.10-flash": True,
        "gemini-4-argon": True,
        "gemini-3.5-flash-lite": True,
        "gemini-3.5-flash": None,
        "gemini-3-pro-preview": None,
        "gemini-2.5-flash": None,
    },
    UNSPLIT_ANSWERS: {"gemini-2.5-flash": False, "gemini-3-flash-preview": None},
    THINKING_LEVELS: {
        "gemini-3.7-flash": ("low", "medium", "high"),
        "gemini-3.8-flash": ("low", "medium", "high"),
        "gemini-4-argon": ("low", "medium", "high"),
        "gemini-3.7-flash-lite": None,
        "gemini-3.6-flash": None,
        "gemini-2.5-pro": (),
    },
    DOCUMENTED_LEVELS: {
        "gemini-3-pro-preview": ("low", "high"),
        "gemini-3.1-pro-preview": ("low", "medium", "high"),
        "gemini-3-flash-preview": ("minimal", "low", "medium", "high"),
        "gemini-3.8-flash-lite": ("minimal", "low", "medium", "high"),
        "gemini-3-pro-image-preview": None,
        "gemini-2.5-flash": None,
    },
    THINKING_BUDGET: {
        "gemini-2.5-pro": (128, 32768, False),
        "gemini-2.5-flash": (0, 24576, True),
        "gemini-2.5-flash-lite": (512, 24576, True),
        "gemini-2.5-flash-preview-tts": None,
        "gemini-3-flash-preview": None,
    },
    INPUT_LIMIT: {
        "gemini-3.6-flash": 1_048_576,
        "gemini-1.5-pro": 2_097_152,
        "gemini-2.5-flash-image": 65536,
        "gemini-2.5-flash-preview-tts": 8192,
        "gemini-3-pro-image-preview": None,
    },
    NO_LOGPROBS: {"gemini-pro-latest": True, "gemini-2.5-flash": None},
    THINKS: {
        "gemini-2.0-flash": False,
        "gemini-2.5-flash": True,
        "gemini-2.5-flash-image": False,
        "gemini-2.5-flash-lite": False,
        "gemini-2.5-pro": True,
        "gemini-3.6-flash": True,
        "gemini-flash-latest": True,
        "a-tuned-model": None,
    },
    TOOLS_APART: {"gemini-2.5-flash": True, "gemini-3-pro-preview": False, "gemini-pro-latest": None},
}


@pytest.mark.parametrize(("fact", "model"), [(fact, model) for fact, models in COVERED.items() for model in models])
def test_what_a_fact_says_of_a_model(fact: str, model: str) -> None:
    assert MODELS.value(fact, model) == COVERED[fact][model]


def test_the_roles_that_new_models_list() -> None:
    assert MODELS.value(ROLE_NAMES, "gemini-2.5-pro") is None
    assert str(MODELS.value(ROLE_NAMES, "gemini-3-flash-preview")).startswith("('SYSTEM', 'SYSTEM_1', 'USER'")


def test_every_fact_has_a_source_and_says_whom_it_is_about() -> None:
    assert {fact.name for fact in MODELS.facts} == {*COVERED, ROLE_NAMES}
    for fact in MODELS.facts:
        assert fact.models, fact
        assert fact.source, fact


def test_every_recorded_model_that_answered_is_known(shared: Path) -> None:
    asked = set()
    for one in exchanges(shared, "gemini-generate"):
        route = WIRE.route("POST", f"{urlsplit(one.url).path}?{urlsplit(one.url).query}")
        if route and one.status == 200:
            asked.add(route.model or "")
    assert len(asked) > 15
    assert [model for model in asked if not MODELS.holds(KNOWN, model)] == []
