"""An example as a scenario, of which a loop sends such a request."""

from __future__ import annotations

from collections.abc import Mapping

from harness.fuzz.requests.example import RequestExample

__all__ = ["scenario"]


def scenario(example: RequestExample, name: str, summary: str) -> Mapping[str, str] | None:  # noqa: ARG001
    return None
