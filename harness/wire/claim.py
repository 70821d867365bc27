"""How surely something is meant for a wire, if several wires come into question."""

from __future__ import annotations

from enum import IntEnum


class Claim(IntEnum):
    """How surely a body is a request of a wire, judged by its content. If several wires claim it, the surest wins."""

    NONE = 0
    POSSIBLE = 1
    LIKELY = 2
    SURE = 3
