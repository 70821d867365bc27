"""Reads a file of spans in any known format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from harness.spans.elements import Element, elements, one
from harness.spans.model import Scope, SpanPlace, TraceSpan
from harness.spans.otlp import log_of, span_of
from harness.spans.rows import observation_of, row_of

_LOGS = "logRecords"


class ChangedFile(Exception):
    """A file has changed at a place since it was first read."""


def read_spans(name: str, stream: BinaryIO) -> Iterator[TraceSpan]:
    """The spans, and the log records that belong to spans, in the order of the file; anything else is left out.

    ``name`` is for messages. Only one span is in memory at a time. Raises ``BadInput`` if the file is no JSON.
    """
    return (span for element in elements(name, stream) if (span := _read(element)) is not None)


def again(stream: BinaryIO, place: SpanPlace, scope: Scope, *, is_log: bool = False) -> TraceSpan:
    """A span, read again from its place. ``scope`` and ``is_log`` are the values of the first read.

    Raises ``ChangedFile`` if the file has something else there now.
    """
    stated = {"name": scope.name, "version": scope.version} if scope.name else {}
    try:
        span = _read(Element(_LOGS if is_log else "", one(stream, place), stated, place))
    except ValueError as error:
        raise ChangedFile from error
    if span is None:
        raise ChangedFile
    return span


def _read(element: Element) -> TraceSpan | None:
    if element.kind == _LOGS:
        return log_of(element)
    return span_of(element) or row_of(element) or observation_of(element)
