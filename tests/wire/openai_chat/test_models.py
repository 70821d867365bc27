"""What is known of models: by their names, and what follows from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.wire.openai_chat import WIRE
from harness.wire.openai_chat.models import MAKER, MODELS, OPENAI
from harness.wire.openai_models import KNOWN
from tests.recorded.corpus.shared_exchanges import exchanges
from tests.wire.openai_chat.chat_support import ROUTE


@pytest.mark.parametrize(
    ("model", "maker"),
    [
        ("gpt-4o-mini", OPENAI),
        ("gpt-6.2-astra", OPENAI),
        ("gpt-7", OPENAI),
        ("o4-mini-2025-04-16", OPENAI),
        ("chatgpt-4o-latest", OPENAI),
        ("ft:gpt-4o-mini-2024-07-18:acme::abc", OPENAI),
        ("openai/gpt-4o", "elsewhere"),
        ("gpt-oss:120b", "elsewhere"),
        ("openai.gpt-oss-20b", "elsewhere"),
        ("deepseek-v4-flash", "deepseek"),
        ("deepseek-ai/DeepSeek-V4-Pro", "elsewhere"),
        ("ministral-14b-2512", "mistral"),
        ("kimi-k2.5", "moonshot"),
        ("qwen3.8-max", "qwen"),
        ("my-deployment", None),
    ],
)
def test_the_maker_is_known_by_the_name(model: str, maker: str | None) -> None:
    assert MODELS.value(MAKER, model) == maker


def test_every_model_that_answered_is_of_a_known_maker(shared: Path) -> None:
    """Azure's deployments have names of their own; local servers are asked for none."""
    requests = [each.request for each in exchanges(shared, "openai-chat") if each.request and each.status == 200]
    answered = {WIRE.read(ROUTE, request).model for request in requests}
    unknown = {model for model in answered if not MODELS.value(MAKER, model)}
    assert unknown == {"", "openllmetry-testing"}
    own = {model for model in answered if MODELS.value(MAKER, model) == OPENAI}
    assert {model for model in own if not MODELS.holds(KNOWN, model)} == set()
