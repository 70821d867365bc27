"""The additions of our cassettes to the format of vcrpy: the two keys ``harness``.

The key at the top contains the number of the format and the provenance, the key of an interaction its delivery. If an
interaction has the key, our recorder wrote it, so its bodies are uncompressed.
"""

from __future__ import annotations

from dataclasses import asdict, fields
from math import isfinite
from typing import Any, Final, get_args

from harness.cassette.interaction import Delivery, Provenance
from harness.cassette.members import Unexpected, shown
from harness.cassette.over_socket import over_socket
from harness.trace import End

KEY: Final = "harness"
_FORMAT: Final = 1
_SOURCES = ("live", "script")


# --- provenance ---------------------------------------------------------------------------------------------


def provenance_members(provenance: Provenance | None) -> dict[str, Any]:
    """The value of the key at the top."""
    return {"format": _FORMAT, **(asdict(provenance) if provenance else {})}


def provenance_of(value: Any) -> Provenance | None:
    """The provenance in the key at the top; None if the key contains only the format. Raises ``Unexpected``."""
    if not isinstance(value, dict) or "format" not in value:
        raise Unexpected(f"{KEY}: expected 'format: {_FORMAT}' and where the cassette comes from, got {shown(value)}")
    found = value["format"]
    if type(found) is not int or found < 1:
        raise Unexpected(f"{KEY}: format: expected {_FORMAT}, got {shown(found)}")
    if found > _FORMAT:
        raise Unexpected(
            f"{KEY}: format: {found} was written by a newer harness; this one reads {_FORMAT}: update it, or "
            "record anew"
        )
    if len(value) == 1:
        return None
    texts = {field.name: value.get(field.name) for field in fields(Provenance)}
    for name, text in texts.items():
        if not isinstance(text, str):
            raise Unexpected(f"{KEY}: {name}: expected text, got {shown(text)}")
    if texts["source"] not in _SOURCES:
        raise Unexpected(f"{KEY}: source: expected {' or '.join(_SOURCES)}, got {shown(texts['source'])}")
    return Provenance(**texts)  # type: ignore[arg-type]  # checked above


# --- delivery -----------------------------------------------------------------------------------------------


def delivery_members(delivery: Delivery | None) -> dict[str, Any]:
    """The value of the key of an interaction."""
    if delivery is None:
        return {}
    found = {"chunks": list(delivery.chunks), "waits_ms": list(delivery.waits), "end": delivery.end}
    return found if delivery.socket is None else {**found, "socket": delivery.socket.members}


def delivery_of(value: Any, length: int) -> Delivery | None:
    """The delivery of a response of ``length`` bytes; None if it was not recorded. Raises ``Unexpected``."""
    if not isinstance(value, dict):
        raise Unexpected(f"{KEY}: expected 'chunks', 'waits_ms' and 'end', got {shown(value)}")
    if not value:
        return None
    chunks, waits = value.get("chunks"), value.get("waits_ms")
    end: Any = value.get("end")
    if not isinstance(chunks, list) or not all(type(chunk) is int and chunk >= 0 for chunk in chunks):
        raise Unexpected(f"{KEY}: chunks: expected a list of lengths in bytes, got {shown(chunks)}")
    if not isinstance(waits, list) or not all(type(wait) in (int, float) and _may_be_waited(wait) for wait in waits):
        raise Unexpected(f"{KEY}: waits_ms: expected a list of milliseconds, got {shown(waits)}")
    if end not in get_args(End):
        raise Unexpected(f"{KEY}: end: expected one of {', '.join(get_args(End))}, got {shown(end)}")
    if len(waits) != len(chunks):
        raise Unexpected(f"{KEY}: expected as many waits_ms as chunks, got {len(waits)} and {len(chunks)}")
    if sum(chunks) != length:
        raise Unexpected(
            f"{KEY}: chunks: expected lengths that add up to the {length} bytes of the response's body, got "
            f"{sum(chunks)}; a body that was edited needs its chunks edited, too"
        )
    return Delivery(tuple(chunks), tuple(map(float, waits)), end, over_socket(f"{KEY}: socket", value.get("socket")))


def _may_be_waited(milliseconds: float) -> bool:
    return isfinite(milliseconds) and milliseconds >= 0
