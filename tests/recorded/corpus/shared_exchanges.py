"""The shared recordings, read once for all tests."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from harness.cassette.recordings.corpus import read_corpus
from harness.cassette.recordings.recording import RecordedExchange
from harness.imports.comparison import RecordedComparison
from harness.wire import NativeWireName
from harness_lab.recorded.requests.judged import JudgedRequest
from harness_lab.recorded.requests.requests import judge_requests


@cache
def all_exchanges(shared: Path, corpus: str = "corpus") -> tuple[RecordedExchange, ...]:
    return read_corpus(shared / corpus).exchanges


@cache
def exchanges(shared: Path, wire: NativeWireName, corpus: str = "corpus") -> tuple[RecordedExchange, ...]:
    """The model requests of one wire."""
    return tuple(exchange for exchange in all_exchanges(shared, corpus) if exchange.wire == wire)


@cache
def judged_requests(shared: Path, corpus: str = "corpus") -> tuple[RecordedComparison[JudgedRequest], ...]:
    """All requests under the rules, with memory and without."""
    return tuple(judge_requests(all_exchanges(shared, corpus)))


def first_streams(shared: Path, wire: NativeWireName) -> list[RecordedExchange]:
    """The first streamed answer of every recording: the same client and the same server sent those behind it."""
    streams = (exchange for exchange in reversed(answers(shared, wire)) if exchange.streamed)
    return list(reversed({exchange.file: exchange for exchange in streams}.values()))


def answers(shared: Path, wire: NativeWireName) -> list[RecordedExchange]:
    """Those that the provider did not refuse."""
    return [exchange for exchange in exchanges(shared, wire) if exchange.status < 400]
