"""The campaigns by their names. Importing this imports none of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Final

from harness.fuzz.campaign import Campaign


@dataclass(frozen=True, slots=True)
class Listed:
    """A campaign that need not have been imported: the class ``name`` of ``module``."""

    module: str
    name: str

    def load(self) -> Campaign[Any, Any]:
        """Import the campaign and return it."""
        return _loaded(self)


@cache
def _loaded(listed: Listed) -> Campaign[Any, Any]:
    campaign: Campaign[Any, Any] = getattr(import_module(listed.module), listed.name)()
    return campaign


CAMPAIGNS: Final[Mapping[str, Listed]] = {
    "arguments": Listed("harness.fuzz.arguments", "ArgumentsCampaign"),
    "text-tags": Listed("harness.fuzz.text_tags", "TextTagsCampaign"),
    "stream": Listed("harness.fuzz.stream", "StreamCampaign"),
    "loop": Listed("harness.fuzz.loop", "LoopCampaign"),
    "requests": Listed("harness.fuzz.requests", "RequestsCampaign"),
    "http": Listed("harness.fuzz.http", "HttpCampaign"),
}
