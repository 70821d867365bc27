"""The shipped scenarios, read once per process: reading all of them takes 0.5 s, and nothing changes a scenario."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from harness.scenario import Scenario, load, loader, shipped


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


def remember_shipped_scenarios() -> None:
    """Have commands in this process and in its forks read each shipped scenario once, too.

    Not for processes in which wires are added: a scenario that names no wire is one of all wires that there are.
    """
    read, known, folder = loader.read_scenario, dict[tuple[Path, Path], tuple[Scenario, str]](), shipped()

    def remembered(path: Path, root: Path) -> tuple[Scenario, str]:
        if not path.is_relative_to(folder):
            return read(path, root)
        if (path, root) not in known:
            known[path, root] = read(path, root)
        return known[path, root]

    loader.read_scenario = remembered
