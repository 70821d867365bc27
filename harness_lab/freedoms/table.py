"""The table of freedoms: where right loops differ, who permits each way, and which ways exclude each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from harness.wire import WireName, wire_names


@dataclass(frozen=True, slots=True)
class Freedom:
    """One way of doing what right loops do differently. ``permitted`` says who permits it, ``excludes`` names others,
    as ``axis/freedom``, with which it makes no sense or costs a refusal, each with the reason in the table."""

    axis: str
    name: str
    does: str
    permitted: str
    wires: frozenset[WireName]
    excludes: frozenset[str]

    def __str__(self) -> str:
        return f"{self.axis}/{self.name}"


def _read() -> dict[str, dict[str, Freedom]]:
    table = yaml.safe_load((Path(__file__).parent / "table.yaml").read_text(encoding="utf-8"))
    return {axis: {name: _freedom(axis, name, row) for name, row in rows.items()} for axis, rows in table.items()}


def _freedom(axis: str, name: str, row: Mapping[str, str]) -> Freedom:
    every = frozenset(wire_names())
    wires = frozenset(each for each in every if each in row["wires"].split()) if "wires" in row else every
    return Freedom(axis, name, row["does"], row["permitted"], wires, frozenset(row.get("excludes", "").split()))


AXES: Mapping[str, Mapping[str, Freedom]] = _read()
"""The freedoms of each axis by their names, the plain one first."""


def freedoms_of(wire: WireName) -> dict[str, list[Freedom]]:
    """The freedoms that hold on the wire; an axis with one alone is no choice there and is left out."""
    there = {axis: [each for each in rows.values() if wire in each.wires] for axis, rows in AXES.items()}
    return {axis: rows for axis, rows in there.items() if len(rows) > 1}


def excluded(chosen: Mapping[str, str]) -> bool:
    """Whether two of the chosen freedoms exclude each other. An axis that is not chosen is at its plain one."""
    taken = {f"{axis}/{name}" for axis, name in chosen.items()}
    return any(AXES[axis][name].excludes & taken for axis, name in chosen.items())
