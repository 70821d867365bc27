"""OpenAI as a provider. Both of its wires and the text dialect of one are served at the same place."""

from __future__ import annotations

from typing import Final

from harness.finding import ProviderAnswer
from harness.wire.provider import Provider

OPENAI: Final = Provider(
    base_url="https://api.openai.com",
    sdk="openai",
    base_variables=("OPENAI_BASE_URL", "OPENAI_API_BASE"),
    base_suffix="/v1",
    other_variables=("OPENAI_ORG_ID", "OPENAI_PROJECT_ID"),
    key_variables=("OPENAI_API_KEY",),
    other_key_headers=("api-key",),  # Azure's
)


def no_such_path(method: str, path: str) -> ProviderAnswer:
    """The answer to an unknown path (``Wire.unknown_path``)."""
    return ProviderAnswer(f"Invalid URL ({method} {path})", 404)
