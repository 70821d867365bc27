"""What the requests of a loop are made of, wire by wire: what came and what went between two runs.

The words for it are those of ``harness drift``, which says of responses what they are made of.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from harness.report.diff.model import ShapeChange
from harness.trace import RequestRecord, Trace
from harness.wire import NativeWireName, WireName
from harness.wire.grammar import GRAMMARS, Grammar
from harness.wire.members import members_of

__all__ = ["Shapes", "changes", "shapes_of"]

_FREE: Final = frozenset({"parameters", "parametersJsonSchema", "schema", "metadata", "args", "arguments"})
"""Members of requests whose value is the user's or the model's own."""

_FREE_TOO: Mapping[WireName, frozenset[str]] = {
    "anthropic-messages": frozenset({"input", "input_schema"}),
    "gemini-generate": frozenset({"response"}),
}

Shapes = Counter[tuple[WireName, str]]
"""In how many cases requests of a wire have something."""


def shapes_of(trace: Trace) -> set[tuple[WireName, str]]:
    """What the requests of a case are made of: endpoints, names of headers, members with their types."""
    wire: WireName = trace.case.wire  # type: ignore[assignment]  # a trace holds the word as text
    requests = (record for record in trace.records if isinstance(record, RequestRecord))
    return {(wire, shape) for request in requests for shape in _shapes(request, _grammar(wire))}


def changes(base: Shapes, new: Shapes, cases: Mapping[str, int]) -> Iterator[ShapeChange]:
    """What one run has and the other has not; ``cases`` is how many there are on each wire."""
    for wire, what in sorted({*base, *new}):
        old, now = base[wire, what], new[wire, what]
        if not old or not now:
            yield ShapeChange(wire, what, old, now, cases[wire])


def _shapes(request: RequestRecord, grammar: Grammar) -> Iterable[str]:
    yield f"{request.method} {request.path}"
    yield from (f"header {name}" for name in request.headers)
    try:
        body = json.loads(request.body)
    except ValueError:
        yield "no JSON"
        return
    yield from members_of(body, grammar)


def _grammar(wire: WireName) -> Grammar:
    native: NativeWireName = "openai-chat" if wire == "text-tags" else wire
    return replace(GRAMMARS[native], free=_FREE | _FREE_TOO.get(wire, frozenset()))
