"""The campaigns by their names. Importing this imports none of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

from harness.fuzz.campaign import Campaign


@dataclass(frozen=True, slots=True)
class Listed:
    """A campaign that need not have been imported: ``CAMPAIGN`` of ``module``."""

    module: str

    def load(self) -> Campaign[Any, Any]:
        """Import the campaign and return it."""
        campaign: Campaign[Any, Any] = import_module(self.module).CAMPAIGN
        return campaign


CAMPAIGNS: Final[Mapping[str, Listed]] = {
    "arguments": Listed("harness.fuzz.arguments.campaign"),
    "text-tags": Listed("harness.fuzz.text_tags.campaign"),
    "stream": Listed("harness.fuzz.stream.campaign"),
    "loop": Listed("harness.fuzz.loop.campaign"),
    "requests": Listed("harness.fuzz.requests.campaign"),
    "http": Listed("harness.fuzz.http.campaign"),
}
