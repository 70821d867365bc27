"""The parts of a loop's requests, wire by wire, and which of them came or went between two runs.

They have the same names as in ``harness lab drift``, which describes the parts of responses.
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
"""The number of cases in which requests of a wire have a part."""


def shapes_of(trace: Trace) -> set[tuple[WireName, str]]:
    """The parts of a case's requests: endpoints, names of headers, members with their types."""
    name = trace.case.wire
    requests = (record for record in trace.records if isinstance(record, RequestRecord))
    return {(name, shape) for request in requests for shape in _shapes(request, _grammar(name))}


def changes(base: Shapes, new: Shapes, cases: Mapping[str, int]) -> Iterator[ShapeChange]:
    """The parts that only one run has; ``cases`` is the number of cases on each wire."""
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
