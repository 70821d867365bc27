"""The part of a body that is JSON's own: everything but the contents of strings. Nothing there may be replaced."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from harness.secrets.edits import Edit
from harness.secrets.shape import Span

_LINE = re.compile(r"^(?:data: ?)?([{\[].*)$", re.MULTILINE)
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


@dataclass(frozen=True, slots=True)
class EmbeddedJson:
    """JSON from ``start`` to ``end`` of a body."""

    start: int
    end: int
    value: Any


def documents(body: str) -> Iterator[EmbeddedJson]:
    """The JSON of a body: the whole of it, or JSON in the lines of a stream."""
    if body.lstrip()[:1] in ("{", "[") and (value := _json_value(body)) is not None:
        yield EmbeddedJson(0, len(body), value)
        return
    for line in _LINE.finditer(body):
        if (value := _json_value(line[1])) is not None:
            yield EmbeddedJson(*line.span(1), value)


def structure(body: str) -> list[Span]:
    """The spans of JSON in ``body`` that are in no string, in order; quotation marks belong to them."""
    spans: list[Span] = []
    for document in documents(body):
        start = document.start
        for string in _STRING.finditer(body, start, document.end):
            spans.append((start, string.start(1)))
            start = string.end(1)
        spans.append((start, document.end))
    return spans


def outside(edits: Sequence[Edit], body: str, spans: Sequence[Span]) -> Iterator[Edit]:
    """The edits without their parts in JSON's structure, which is ``spans``. Both are in order.

    An edit that reaches over a quotation mark keeps its parts in strings. Text between the events of a stream (it has a
    line break, which no string has) is changed only by an edit that stays there.
    """
    at = 0
    for edit in edits:
        while at < len(spans) and spans[at][1] <= edit.start:
            at += 1
        if at == len(spans) or spans[at][0] >= edit.end:
            yield edit
        else:
            yield from _in_strings(edit, body, spans, at)


def _in_strings(edit: Edit, body: str, spans: Sequence[Span], at: int) -> Iterator[Edit]:
    """The parts of an edit before, between and after the spans from ``at`` on; the first has the replacement."""
    start, replacement = edit.start, edit.replacement
    while start < edit.end:
        begin, after = spans[at] if at < len(spans) else (edit.end, edit.end)
        end = min(begin, edit.end)
        if start < end and "\n" not in body[start:end]:
            yield Edit(start, end, replacement)
            replacement = ""
        start, at = max(end, after), at + 1


def _json_value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
