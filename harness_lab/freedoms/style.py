"""How one generated loop behaves: for each axis of the table, the freedom that it takes."""

from __future__ import annotations

from collections.abc import Mapping

from harness_lab.freedoms.table import AXES


class Style:
    """What a loop asks wherever loops differ; every answer is noted in ``touched``, as (axis, freedom).

    An axis that is not chosen is at its first freedom, the plain one.
    """

    def __init__(self, chosen: Mapping[str, str] | None = None) -> None:
        self.chosen = dict(chosen or {})
        self.touched: set[tuple[str, str]] = set()

    def __getitem__(self, axis: str) -> str:
        taken = self.chosen.get(axis) or next(iter(AXES[axis]))
        self.touched.add((axis, taken))
        return taken

    def takes(self, axis: str, *freedoms: str) -> bool:
        """Whether the loop takes one of these freedoms. Raises ``KeyError`` for one that the table does not have."""
        if unknown := set(freedoms) - set(AXES[axis]):
            raise KeyError(f"the axis {axis} has no {', '.join(sorted(unknown))}")
        return self[axis] in freedoms
