"""How often the processes of the harness look for objects that refer to each other and that nobody else needs."""

from __future__ import annotations

import gc


def collect_seldom() -> None:
    """For a process that runs cases and then ends.

    With the defaults of CPython an eighth of the CPU time of a run goes into looking through events and requests that
    the case still needs.
    """
    gc.set_threshold(20_000, 20, 50)


def collect_hardly_ever() -> None:
    """For a server, which keeps what it is asked, and whose requests leave no objects that refer to each other.

    As seldom as in a run, each request would pay for looking through what those before it have left to be judged.
    """
    gc.freeze()  # what has been imported stays
    gc.set_threshold(100_000, 20, 50)
