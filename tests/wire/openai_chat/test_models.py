"""What is known of models: by their names, and what follows from it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.wire import IssuedState
from harness.wire.openai_chat import WIRE
from harness.wire.openai_chat.models import MAKER, MODELS, OPENAI
from harness.wire.openai_models import KNOWN
from harness.wire.servers import SERVERS
from tests.recorded.corpus.shared_exchanges import exchanges
from tests.wire.openai_chat.chat_support import ROUTE, request

Members = dict[str, Any]

TOOLS = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}]
SOUND = [{"type": "input_audio", "input_audio": {"data": "", "format": "wav"}}]
IMAGE = [{"type": "image_url", "image_url": {"url": "https://img.test/a.png"}}]


def rules(model: str, content: Any = "Hi", **members: Any) -> list[tuple[str, str]]:
    asked = request([{"role": "user", "content": content}], model=model, **members)
    return [(violation.id, violation.level) for violation in WIRE.violations(asked, IssuedState())]


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


ASKED: list[tuple[str, Members, list[tuple[str, str]]]] = [
    ("gpt-5.4", {"tools": TOOLS}, []),
    ("gpt-5.4", {"tools": TOOLS, "reasoning_effort": "none"}, []),
    ("gpt-5.4", {"tools": TOOLS, "reasoning_effort": "low"}, [("OAC-14", "MUST")]),
    ("gpt-5.6-luna", {"tools": TOOLS, "reasoning_effort": "none"}, []),
    ("gpt-5.6-luna", {"tools": TOOLS}, [("OAC-14", "MUST")]),
    ("gpt-5.6-luna", {"reasoning_effort": "low"}, []),
    ("gpt-5.2", {"tools": TOOLS, "reasoning_effort": "high"}, []),
    ("openai/gpt-5.6-luna", {"tools": TOOLS}, []),
    ("gpt-5-nano", {"max_tokens": 5}, [("OAC-16", "MUST")]),
    ("gpt-5-nano", {"max_completion_tokens": 5, "temperature": 1}, []),
    ("gpt-5-nano", {"temperature": 0.2}, [("OAC-PARAM", "MUST")]),
    ("gpt-5.4", {"temperature": 0.2, "logprobs": True}, []),
    ("gpt-5.4", {"temperature": 0.2, "reasoning_effort": "low"}, [("OAC-PARAM", "MUST")]),
    ("gpt-5.6-sol", {"logprobs": True, "top_logprobs": 2}, [("OAC-PARAM", "MUST"), ("OAC-PARAM", "SHOULD")]),
    ("gpt-5-chat-latest", {"temperature": 0.2, "stop": ["x"], "max_tokens": 5}, []),
    ("o1", {"stop": ["x"]}, []),
    ("o3", {"stop": ["x"]}, [("OAC-PARAM", "MUST")]),
    ("openai/o4-mini", {"max_tokens": 5}, []),
    ("gpt-5.6", {"reasoning_effort": "minimal"}, [("OAC-EFFORT", "MUST")]),
    ("gpt-5", {"reasoning_effort": "minimal"}, []),
    ("gpt-4o", {"reasoning_effort": "low"}, [("OAC-EFFORT", "SHOULD")]),
    ("gpt-9", {"reasoning_effort": "low"}, [("OAC-02", "INFO")]),
    ("my-deployment", {"max_tokens": 5}, [("OAC-02", "INFO")]),
    ("deepseek-v4-pro", {"tools": TOOLS, "tool_choice": "required"}, [("OAC-FORCED", "MUST")]),
    ("deepseek-v4-pro", {"tools": TOOLS, "tool_choice": "required", "thinking": {"type": "disabled"}}, []),
    ("deepseek-chat", {"tools": TOOLS, "tool_choice": "required"}, []),
    ("qwen3.8-max", {"tools": TOOLS, "tool_choice": "required"}, []),
    ("qwen3.8-max", {"tools": TOOLS, "tool_choice": "required", "enable_thinking": True}, [("OAC-FORCED", "MUST")]),
    ("gpt-4o", {"content": SOUND}, [("OAC-10b", "MUST")]),
    ("gpt-audio", {"content": SOUND}, []),
    ("gpt-9", {"content": SOUND}, [("OAC-02", "INFO")]),
    ("gpt-4o", {"content": IMAGE}, []),
    ("gpt-3.5-turbo", {"content": IMAGE}, [("OAC-10b", "SHOULD")]),
    ("gpt-4", {"content": "and " * 9000}, [("OAC-17", "MUST")]),
    ("gpt-4", {"content": "and " * 8000}, []),
    ("gpt-4", {"content": "x" * 100_000}, []),
    ("gpt-oss-120b", {"content": "and " * 140_000}, [("OAC-17", "SHOULD")]),
    ("my-deployment", {"content": "and " * 200_000}, [("OAC-02", "INFO")]),
]


@pytest.mark.parametrize(("model", "members", "expected"), ASKED, ids=lambda value: str(value)[:60])
def test_what_a_model_takes(model: str, members: Members, expected: list[tuple[str, str]]) -> None:
    assert rules(model, **members) == expected


@pytest.mark.parametrize("server", ["", *(name for name in SERVERS if SERVERS[name].maker not in ("deepseek", "qwen"))])
def test_a_forced_call_is_refused_in_the_words_of_the_models_maker_on_servers_of_others(server: str) -> None:
    forced: Members = {"tools": TOOLS, "tool_choice": "required", "enable_thinking": True}
    said = {}
    for model in ("deepseek-v4-pro", "qwen3.8-max"):
        asked = replace(request([{"role": "user", "content": "Hi"}], model=model, **forced), server=server)
        (said[model],) = (
            each.answered.message for each in WIRE.violations(asked, IssuedState()) if each.id == "OAC-FORCED"
        )
    assert said["deepseek-v4-pro"].startswith("Thinking mode does not support")
    assert said["qwen3.8-max"].startswith("<400> InternalError.Algo.InvalidParameter")
