"""What ends a run at the endpoint, in neutral words: the input is too long, money or quota is spent, the model is gone.

Each provider has its own status, type, code and text for them (``Wire.failure``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

FailureKind = Literal["context_length", "quota", "model_retired", "overloaded"]

STATUS_OF_FAILURE: Final[Mapping[FailureKind, int]] = {
    "context_length": 400,
    "quota": 429,
    "model_retired": 404,
    "overloaded": 503,
}
"""The status that most providers send. A wire without its own words for a failure uses it."""

_TOO_LONG: Final = re.compile(
    r"prompt is too long|context[_ ](?:length|window|size)|input token count|input is too long", re.IGNORECASE
)
"""Recorded and quoted texts of Anthropic, OpenAI, DeepSeek, vLLM, llama.cpp, Google and Bedrock."""


def says_too_long(text: str) -> bool:
    """Whether an error's text says that the input is too long for the model."""
    return _TOO_LONG.search(text) is not None
