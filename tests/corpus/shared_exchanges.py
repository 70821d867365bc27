"""The shared recordings, read once for all tests."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from harness.wire import NativeWireName
from harness_lab.corpus import Recorded, Request, judge_requests, read_corpus, wire_of

__all__ = ["all_exchanges", "answers", "exchanges", "first_streams", "judged_requests"]


@cache
def all_exchanges(shared: Path) -> tuple[Recorded, ...]:
    return read_corpus(shared / "corpus")


@cache
def exchanges(shared: Path, wire: NativeWireName) -> tuple[Recorded, ...]:
    """The model requests of one wire."""
    return tuple(exchange for exchange in all_exchanges(shared) if wire_of(exchange) == wire)


@cache
def judged_requests(shared: Path) -> tuple[Request, ...]:
    """All requests under the rules, with memory and without."""
    return tuple(judge_requests(all_exchanges(shared)))


def first_streams(shared: Path, wire: NativeWireName) -> list[Recorded]:
    """The first streamed answer of every recording: the same client and the same server sent those behind it."""
    streams = (exchange for exchange in reversed(answers(shared, wire)) if exchange.streamed)
    return list(reversed({exchange.file: exchange for exchange in streams}.values()))


def answers(shared: Path, wire: NativeWireName) -> list[Recorded]:
    """Those that the provider did not refuse."""
    return [exchange for exchange in exchanges(shared, wire) if exchange.status < 400]
