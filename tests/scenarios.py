"""The shipped scenarios, read once per process: reading all of them takes 0.5 s, and nothing changes a scenario."""

from __future__ import annotations

from functools import cache

from harness.scenario import Scenario, load, shipped

__all__ = ["shipped_scenarios"]


def shipped_scenarios(*parts: str) -> list[Scenario]:
    """Those in some folders or files below the shipped ones, in this order; by default all."""
    return [scenario for part in parts or (".",) for scenario in _read(part)]


@cache
def _read(part: str) -> tuple[Scenario, ...]:
    """A file is read by itself; a folder is part of all that are read, so that nothing is read twice."""
    place = shipped() / part
    if place.is_file() or place == shipped():
        return tuple(load([place]))
    return tuple(scenario for scenario in _read(".") if scenario.path.is_relative_to(place))
