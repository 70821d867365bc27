"""The shared recordings, read once for all tests."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from harness.corpus import Recorded, read_corpus, wire_of
from harness.wire import NativeWireName

__all__ = ["answers", "exchanges"]


@cache
def _all(shared: Path) -> tuple[Recorded, ...]:
    return read_corpus(shared / "corpus")


@cache
def exchanges(shared: Path, wire: NativeWireName) -> tuple[Recorded, ...]:
    """The model requests of one wire."""
    return tuple(exchange for exchange in _all(shared) if wire_of(exchange) == wire)


def answers(shared: Path, wire: NativeWireName) -> list[Recorded]:
    """Those that the provider did not refuse."""
    return [exchange for exchange in exchanges(shared, wire) if exchange.status < 400]
