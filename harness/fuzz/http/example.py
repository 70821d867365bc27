"""An example of this campaign: the bytes that a client sends on one connection, and their pieces."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass

from harness.fuzz.http.kinds import KINDS
from harness.fuzz.strategies.splits import pieces
from harness.trace import JsonValue


@dataclass(frozen=True, slots=True)
class Unit:
    """A request, or malformed bytes, of one of ``KINDS``."""

    kind: str
    data: bytes


@dataclass(frozen=True, slots=True)
class HttpExample:
    """``units`` are sent one after the other without waiting, cut into pieces of ``sizes`` over and over.

    No size means one piece. After the last unit the client closes its sending side.
    """

    units: tuple[Unit, ...]
    sizes: tuple[int, ...] = ()

    def pieces(self) -> list[bytes]:
        """What is written to the socket, one write after the other."""
        return pieces(b"".join(unit.data for unit in self.units), self.sizes)

    def to_json(self) -> dict[str, JsonValue]:
        """The example for a file: the bytes are base64, since they need not be text."""
        units: list[JsonValue] = [
            {"kind": unit.kind, "data": base64.b64encode(unit.data).decode()} for unit in self.units
        ]
        return {"units": units, "sizes": list(self.sizes)}

    @classmethod
    def from_json(cls, document: Mapping[str, JsonValue]) -> HttpExample:
        """Raises ``ValueError`` for anything that ``to_json`` does not write."""
        units, sizes = document.get("units"), document.get("sizes")
        if not isinstance(units, list) or not isinstance(sizes, list):
            raise ValueError("expected the members 'units' and 'sizes', each with a list")
        if wrong := [size for size in sizes if not isinstance(size, int) or size < 1]:
            raise ValueError(f"expected sizes of 1 or more, got {wrong[0]!r}")
        return cls(tuple(map(_unit, units)), tuple(size for size in sizes if isinstance(size, int)))


def _unit(value: JsonValue) -> Unit:
    members = value if isinstance(value, dict) else {}
    kind, data = members.get("kind"), members.get("data")
    if not isinstance(kind, str) or kind not in KINDS or not isinstance(data, str):
        raise ValueError(f"expected a unit with a 'kind' of {', '.join(KINDS)} and its 'data', got {value!r}")
    return Unit(kind, base64.b64decode(data, validate=True))
