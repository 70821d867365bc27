"""How surely something is meant for a wire, where several may be meant."""

from __future__ import annotations

from enum import IntEnum


class Claim(IntEnum):
    """How surely a body is a request of a wire, by what it has. Of several wires the surest one counts."""

    NONE = 0
    POSSIBLE = 1
    LIKELY = 2
    SURE = 3
