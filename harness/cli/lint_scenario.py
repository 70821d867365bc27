"""``harness lint-scenario``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.scenario import load

__all__ = ["lint_scenarios"]


def lint_scenarios(paths: Sequence[Path]) -> int:
    """Read scenarios as a run would, without running them. Raises ``BadInput`` with every problem of every file."""
    scenarios = load(paths)
    print(f"{len(scenarios)} scenario{'' if len(scenarios) == 1 else 's'}, nothing wrong")
    return 0
