"""Judges recorded requests by the rules: accepted ones must keep the rules, refused ones must break the right one.

Every request is judged twice: with the endpoint's earlier answers in the same recording, and by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from harness.cassette.recordings.recording import RecordedExchange
from harness.imports.comparison import RecordedComparison, compare
from harness.lint import Judge, LintedRequest, host_of, message_of
from harness.wire import aside_of, route_of
from harness_lab.recorded.requests.judged import JudgedRequest, Memory
from harness_lab.recorded.requests.other_servers import REASONS


def judge_requests(exchanges: Iterable[RecordedExchange]) -> Iterator[RecordedComparison[JudgedRequest]]:
    """Every recorded request to a model, first all with memory and then all without."""
    in_order = sorted(exchanges, key=lambda exchange: (exchange.file, exchange.index))
    memories: tuple[Memory, ...] = ("with memory", "without memory")
    for memory in memories:
        for _, recording in groupby(in_order, key=lambda exchange: exchange.file):
            yield from (compare(each, each.differences(), REASONS, needed=False) for each in _judged(recording, memory))


def _judged(recording: Iterable[RecordedExchange], memory: Memory) -> Iterator[JudgedRequest]:
    judge = Judge(memory=memory == "with memory")
    for exchange in recording:
        route = route_of(exchange.method, exchange.url) or aside_of(exchange.method, exchange.url)
        if route is None or exchange.request is None:
            continue
        kind = "text/event-stream" if exchange.streamed else exchange.headers.get("content-type", "")
        asked = LintedRequest(
            route,
            exchange.request_headers,
            exchange.request,
            exchange.status,
            kind,
            exchange.response,
            host_of(exchange.url),
            frozenset(exchange.headers),
        )
        message = message_of(exchange.response) if exchange.status >= 400 else ""
        yield JudgedRequest(exchange, judge.judge(asked), memory, message)
