"""The hosts of the providers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from harness.wire import WireName

__all__ = ["HOSTS", "PROVIDERS"]

PROVIDERS: Final[Mapping[WireName, str]] = {
    "openai-responses": "api.openai.com",
    "openai-chat": "api.openai.com",
    "text-tags": "api.openai.com",
    "anthropic-messages": "api.anthropic.com",
    "gemini-generate": "generativelanguage.googleapis.com",
}
"""The host to which the official SDKs of a wire connect when nobody gives them another one."""

HOSTS: Final = frozenset(PROVIDERS.values())
