"""The changes of all cases, each counted once with the first place that shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.report.diff.asked.changes import PartChange, changes_of
from harness.report.diff.asked.pairing import Pair, pairs
from harness.report.diff.asked.request import AskedRequest, read
from harness.report.diff.asked.settled import Settling
from harness.report.diff.model import RequestChange, RequestPart
from harness.trace import RequestRecord, Trace, load

_ORDER: tuple[RequestPart, ...] = ("request", "system", "tools", "history", "cache", "member", "header")


@dataclass(slots=True)
class _Counted:
    """A change, the cases, wires and requests that have it, and the pair that shows it first, in the first case."""

    change: PartChange
    case: str
    pair: Pair
    cases: set[str] = field(default_factory=set)
    wires: set[str] = field(default_factory=set)
    requests: int = 0


@dataclass(slots=True)
class RequestChanges:
    """What changed in the requests of two runs. ``base`` and ``new`` have learned the traces of their runs."""

    base: Settling
    new: Settling
    _found: dict[Any, _Counted] = field(default_factory=dict)
    _requests: int = 0
    _cases: int = 0

    def add(self, base: Path, new: Path) -> None:
        """Add a case by its two traces. Raises ``TraceError`` if one cannot be read."""
        old, now = load(base), load(new)
        self._cases += 1
        for pair in pairs(_requests_of(old, self.base), _requests_of(now, self.new)):
            self._requests += 1
            for identity, change in {each.identity: each for each in changes_of(pair)}.items():
                known = self._found.setdefault(identity, _Counted(change, now.case.id, pair))
                known.cases.add(now.case.id)
                known.wires.add(now.case.wire)
                known.requests += 1

    def counted(self) -> tuple[RequestChange, ...]:
        """The changes by the part of a request, in each part the most frequent first."""
        found = sorted(self._found.values(), key=lambda each: (_ORDER.index(each.change.part), -each.requests))
        return tuple(map(self._change, found))

    def _change(self, counted: _Counted) -> RequestChange:
        pair = counted.pair
        return RequestChange(
            part=counted.change.part,
            what=counted.change.what,
            lines=counted.change.lines,
            wires=tuple(sorted(counted.wires)),
            cases=len(counted.cases),
            of_cases=self._cases,
            requests=counted.requests,
            of_requests=self._requests,
            first=counted.case,
            base_at=_line(pair.base),
            new_at=_line(pair.new),
            sizes=_sizes(pair) if counted.change.part == "system" else None,
        )


def _requests_of(trace: Trace, settling: Settling) -> Sequence[AskedRequest]:
    settled = settling.of_case(trace.case)
    requests = ((at, each) for at, each in enumerate(trace.records) if isinstance(each, RequestRecord))
    return [found for at, record in requests if (found := read(at, record, settled)) is not None]


def _line(request: AskedRequest | None) -> int | None:
    """The line of the request in the trace file. Line 1 is the case."""
    return None if request is None else request.at + 2


def _sizes(pair: Pair) -> tuple[int, int]:
    return tuple(len(each.system) if each is not None else 0 for each in (pair.base, pair.new))  # type: ignore[return-value]
