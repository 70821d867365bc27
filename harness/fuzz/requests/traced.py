"""A played loop as the trace of a case, under the rules on traces."""

from __future__ import annotations

from collections.abc import Iterator

from harness.rules import judge
from harness.trace import Case, Record, RequestRecord, ResponseRecord, Trace
from harness.wire.played import PlayedLoop


def findings(played: PlayedLoop) -> list[str]:
    """The findings of the rules in the exchanges of a loop, a line each. No event was emitted.

    An amended request need not repeat the one before, so only the wire's own rules judge it.
    """
    if played.base.foreign:
        return []
    case = Case("fuzz", played.base.name, played.wire.name)
    trace = Trace(case, tuple(_records(played)))
    rules = ("continuation",) if played.base.amend else ()
    return [f"{found.rule}: {found.got} ({found.remark})" for found in judge(trace, rules)]


def _records(played: PlayedLoop) -> Iterator[Record]:
    for number, (asked, rendered) in enumerate(zip(played.requests, (*played.rendered, None), strict=True)):
        posted = asked.posted
        yield RequestRecord(number, "POST", posted.path, posted.headers, posted.content())
        if rendered is not None:
            yield ResponseRecord(number, 200, {"content-type": rendered.content_type}, rendered.body)
