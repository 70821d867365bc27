"""How often the processes of the harness look for objects that refer to each other and that nobody else needs."""

from __future__ import annotations

import gc

__all__ = ["collect_seldom"]


def collect_seldom() -> None:
    """For a process that runs cases and then ends.

    With the defaults of CPython an eighth of the CPU time of a run goes into looking through events and requests that
    the case still needs.
    """
    gc.set_threshold(20_000, 20, 50)
