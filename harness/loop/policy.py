"""How a loop behaves where loops differ: one value, not one loop per kind."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SCREENSHOT_TO_CODE", "LoopPolicy"]


@dataclass(frozen=True, slots=True)
class LoopPolicy:
    """The contract of a family of loops.

    ``turn_limit``: after that many model turns without a final one the run fails. ``retries``: how often a
    request that could not be answered is sent again. ``preview_step``: a preview is told when the code has grown
    by at least this many characters (and by a sixteenth of its length, see ``harness.loop.live``).
    """

    name: str
    turn_limit: int = 20
    retries: int = 2
    preview_step: int = 40


SCREENSHOT_TO_CODE = LoopPolicy("screenshot-to-code")
"""The flow of "Agent Tool-Calling Flow": 20 tool turns, then an error; previews every 40 characters."""
