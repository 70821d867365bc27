"""What the requests of a loop are made of, wire by wire: what came and what went between two runs.

The words for it are those of ``harness lab drift``, which says of responses what they are made of.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from harness.ground.bounded_json import SHALLOW, loads
from harness.report.diff.model import ShapeChange
from harness.trace import RequestRecord, Trace
from harness.wire import WireName, wire
from harness.wire.grammar import Grammar
from harness.wire.members import members_of

_FREE: Final = frozenset({"parameters", "parametersJsonSchema", "schema", "metadata", "args", "arguments"})
"""Members of requests whose value is the user's or the model's own."""

Shapes = Counter[tuple[WireName, str]]
"""In how many cases requests of a wire have something."""


def shapes_of(trace: Trace) -> set[tuple[WireName, str]]:
    """What the requests of a case are made of: endpoints, names of headers, members with their types."""
    name = trace.case.wire
    requests = (record for record in trace.records if isinstance(record, RequestRecord))
    return {(name, shape) for request in requests for shape in _shapes(request, _grammar(name))}


def changes(base: Shapes, new: Shapes, cases: Mapping[str, int]) -> Iterator[ShapeChange]:
    """What one run has and the other has not; ``cases`` is how many there are on each wire."""
    for name, what in sorted({*base, *new}):
        old, now = base[name, what], new[name, what]
        if not old or not now:
            yield ShapeChange(name, what, old, now, cases[name])


def _shapes(request: RequestRecord, grammar: Grammar) -> Iterable[str]:
    yield f"{request.method} {request.path}"
    yield from (f"header {name}" for name in request.headers)
    try:
        body = loads(request.body, SHALLOW)
    except ValueError:
        yield "no JSON"
        return
    yield from members_of(body, grammar)


def _grammar(name: WireName) -> Grammar:
    grammar = wire(name).grammar
    return replace(grammar, free=_FREE | grammar.free_in_requests)
