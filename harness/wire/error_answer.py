"""What a provider answers to a request that it refuses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ErrorAnswer:
    """A complete HTTP error answer as the provider sends it. Header names are lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes
