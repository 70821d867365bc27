"""An example as a regression scenario."""

from __future__ import annotations

from collections.abc import Mapping

from harness.fuzz.arguments.example import ArgumentsExample

__all__ = ["scenario"]


def scenario(example: ArgumentsExample, name: str, summary: str) -> Mapping[str, str] | None:
    return None
