"""The shipped scenarios, read once per process: reading all of them takes 0.4 s, and nothing changes a scenario."""

from __future__ import annotations

from functools import cache

from harness.scenario import Scenario, load, shipped

__all__ = ["shipped_scenarios"]


def shipped_scenarios(*parts: str) -> list[Scenario]:
    """Those in some folders or files below the shipped ones, in this order; by default all."""
    return [scenario for part in parts or (".",) for scenario in _read(part)]


@cache
def _read(part: str) -> tuple[Scenario, ...]:
    return tuple(load([shipped() / part]))
