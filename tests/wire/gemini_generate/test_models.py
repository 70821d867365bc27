"""The facts about models: which names they cover."""

from __future__ import annotations

from pathlib import Path
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

_FAMILIES = (
    "gemini-3.6-flash gemini-2.5-flash-lite-preview-09-2025 gemini-3.1-flash-lite-image gemini-4-argon "
    "gemini-2.5-flash-native-audio-preview-12-2025 gemini-robotics-er-1.5-preview gemini-exp-1206 gemma-3-27b-it "
    "gemini-2.5-computer-use-preview-10-2025 gemma-4-26b-a4b-it learnlm-2.0-flash-experimental"
)
_LEAST_LOW = ("low", "medium", "high")
COVERED: list[tuple[str, object, str]] = [
    (KNOWN, True, _FAMILIES),
    (KNOWN, None, "gemini-3.6-flahs gpt-5.5 some-model gemini gemini-3.6 flash"),
    (SIGNED_CALLS, True, "gemini-3-flash-preview gemini-3.6-flash gemini-4-argon gemini-10.1-pro"),
    (SIGNED_CALLS, False, "gemini-2.5-pro gemini-2.0-flash-001 gemini-3-pro-image-preview gemini-2.5-flash-image"),
    (SIGNED_CALLS, None, "gemini-flash-latest gemma-3-27b-it tuned"),
    (NO_PREFILL, True, "gemini-3.6-flash gemini-3.10-flash gemini-4-argon gemini-3.5-flash-lite"),
    (NO_PREFILL, None, "gemini-3.5-flash gemini-3-pro-preview gemini-2.5-flash"),
    (UNSPLIT_ANSWERS, False, "gemini-2.5-flash"),
    (UNSPLIT_ANSWERS, None, "gemini-3-flash-preview"),
    (THINKING_LEVELS, _LEAST_LOW, "gemini-3.7-flash gemini-3.8-flash gemini-4-argon"),
    (THINKING_LEVELS, None, "gemini-3.7-flash-lite gemini-3.6-flash"),
    (THINKING_LEVELS, (), "gemini-2.5-pro"),
    (DOCUMENTED_LEVELS, ("low", "high"), "gemini-3-pro-preview"),
    (DOCUMENTED_LEVELS, _LEAST_LOW, "gemini-3.1-pro-preview"),
    (DOCUMENTED_LEVELS, ("minimal", *_LEAST_LOW), "gemini-3-flash-preview gemini-3.8-flash-lite"),
    (DOCUMENTED_LEVELS, None, "gemini-3-pro-image-preview gemini-2.5-flash"),
    (THINKING_BUDGET, (128, 32768, False), "gemini-2.5-pro"),
    (THINKING_BUDGET, (0, 24576, True), "gemini-2.5-flash"),
    (THINKING_BUDGET, (512, 24576, True), "gemini-2.5-flash-lite"),
    (THINKING_BUDGET, None, "gemini-2.5-flash-preview-tts gemini-3-flash-preview"),
    (INPUT_LIMIT, 1_048_576, "gemini-3.6-flash"),
    (INPUT_LIMIT, 2_097_152, "gemini-1.5-pro"),
    (INPUT_LIMIT, 65536, "gemini-2.5-flash-image"),
    (INPUT_LIMIT, 8192, "gemini-2.5-flash-preview-tts"),
    (INPUT_LIMIT, None, "gemini-3-pro-image-preview"),
    (NO_LOGPROBS, True, "gemini-pro-latest"),
    (NO_LOGPROBS, None, "gemini-2.5-flash"),
    (THINKS, True, "gemini-2.5-flash gemini-2.5-pro gemini-3.6-flash gemini-flash-latest"),
    (THINKS, False, "gemini-2.0-flash gemini-2.5-flash-image gemini-2.5-flash-lite"),
    (THINKS, None, "a-tuned-model"),
    (TOOLS_APART, True, "gemini-2.5-flash"),
    (TOOLS_APART, False, "gemini-3-pro-preview"),
    (TOOLS_APART, None, "gemini-pro-latest"),
]
"""A fact, its value, and models of which it is the value."""


@pytest.mark.parametrize(
    ("fact", "value", "model"), [(fact, value, model) for fact, value, models in COVERED for model in models.split()]
)
def test_what_a_fact_says_of_a_model(fact: str, value: object, model: str) -> None:
    assert MODELS.value(fact, model) == value


def test_the_roles_that_new_models_list() -> None:
    assert MODELS.value(ROLE_NAMES, "gemini-2.5-pro") is None
    assert str(MODELS.value(ROLE_NAMES, "gemini-3-flash-preview")).startswith("('SYSTEM', 'SYSTEM_1', 'USER'")


def test_each_fact_is_asked_for_here() -> None:
    assert {fact.name for fact in MODELS.facts} == {*(fact for fact, _, _ in COVERED), ROLE_NAMES}


def test_every_recorded_model_that_answered_is_known(shared: Path) -> None:
    asked = set()
    for one in exchanges(shared, "gemini-generate"):
        route = WIRE.route("POST", f"{urlsplit(one.url).path}?{urlsplit(one.url).query}")
        if route and one.status == 200:
            asked.add(route.model or "")
    assert len(asked) > 15
    assert [model for model in asked if not MODELS.holds(KNOWN, model)] == []
