"""The judge of the rules about traces: each trace that the self-test states, one trace after another.

The statements are one digest per rule, which needs all traces. To play and break the runs takes most of the time, and
no mutant of a rule changes them. So they are made once, without a mutant. Each trace is an item by itself, and so is
each small run with its changes: it judges only the mutants whose line it runs, in a few milliseconds. The findings are
compared with those without a mutant: if they differ, so does a digest. The first difference ends the judgement.
"""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from harness.errors import HarnessError
from harness_lab.mutation.by_selftest import BELOW
from harness_lab.mutation.forking import Limits, in_forks
from harness_lab.mutation.judging import Done, Fault

if TYPE_CHECKING:
    from harness.trace import Trace

_RECORD = "record "
_READ_BEFORE = "read-before "
_CHANGES = "changes "

_Expected = tuple["Trace", tuple[str, ...]]
"""A changed trace, and the findings in it without a mutant."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """Made without a mutant: the traces, the findings of each item except changes, and the changed traces."""

    traces: Mapping[str, Trace]
    found: Mapping[str, tuple[str, ...]]
    changes: Mapping[str, Sequence[_Expected]]


class StatedTraces:
    """Items are ``NAME WIRE`` of a broken trace or a small run, ``PART:SCENARIO WIRE`` of a sound run or half of one,
    ``read-before NAME WIRE`` of a broken trace with what its endpoint hands in, ``record RULE`` for a rule's own
    description, and ``changes NAME WIRE`` for the small changes of a small run."""

    command = "harness lab selftest"

    def __init__(self) -> None:
        self._prepared = Prepared({}, {}, {})

    def preload(self) -> None:
        """Import what no mutant can change. A fork, which may import rules, makes the traces."""
        for name in (*BELOW, "harness.trace", "harness.wire"):
            import_module(name)
        with TemporaryDirectory() as folder:
            file = Path(folder, "traces")
            (fork,) = in_forks([file], _make, lambda _: Limits(600, 3000), 1)
            if fork.result is not True:
                raise HarnessError(f"the traces of the selftest cannot be made: {fork.result or fork.died}")
            self._prepared = pickle.loads(file.read_bytes())  # noqa: S301 - written a moment ago

    def items(self) -> Sequence[str]:
        """The rules' records and the traces, the shortest first: most mutants need not wait for the others."""
        return [*self._prepared.found, *self._prepared.changes]

    def chosen(self, items: Sequence[str], module: str) -> Sequence[str]:  # noqa: ARG002 - the same for all modules
        """All of them: each takes a few milliseconds."""
        return items

    def about(self, module: str) -> Sequence[str]:  # noqa: ARG002 - the same for all modules
        """All of them."""
        return self.items()

    def run(self, items: Sequence[str], done: Done) -> None:
        """Judge these traces in this process."""
        known = self._prepared
        for item in items:
            if item in known.changes:
                done(item, _fault(_otherwise(known.changes[item])))
            else:
                done(item, _fault(_unlike(known.found[item], found_for(item, known.traces))))


def found_for(item: str, traces: Mapping[str, Trace]) -> tuple[str, ...]:
    """The findings in the trace of an item, or a rule's own description."""
    from harness.rules import RULES
    from harness_lab.selftest.traces import judged_in_words, looked_up, record

    if item.startswith(_RECORD):
        rule = RULES[item.removeprefix(_RECORD)]
        return (*record(rule), *looked_up(rule.id))
    return judged_in_words(traces[item.removeprefix(_READ_BEFORE)], handed_in=item.startswith(_READ_BEFORE))


def _make(file: Path) -> bool:
    from harness.rules import RULES
    from harness_lab.selftest.stated_traces import ReadReplies, changed_runs
    from harness_lab.selftest.traces import selftest_traces

    every = asyncio.run(selftest_traces())
    traces = {f"{name} {wire}": trace for name, wire, trace in (*every.stated, *every.right)}
    shortest_first = sorted(traces, key=lambda item: len(traces[item].records))
    read_before = [f"{_READ_BEFORE}{name} {wire}" for name, wire in every.read_before if f"{name} {wire}" in traces]
    items = [*(f"{_RECORD}{id}" for id in RULES), *shortest_first, *read_before]
    changes: dict[str, Sequence[_Expected]] = {}
    for run in changed_runs():
        replies, changed = ReadReplies(), [change.made(run.trace) for change in run.changes]
        changes[f"{_CHANGES}{run.on}"] = [(trace, replies.found_in(trace)) for trace in changed]
    file.write_bytes(pickle.dumps(Prepared(traces, {item: found_for(item, traces) for item in items}, changes)))
    return True


def _otherwise(changes: Sequence[_Expected]) -> Sequence[str]:
    """The first findings in changed traces that differ from those without a mutant."""
    from harness_lab.selftest.stated_traces import ReadReplies

    replies = ReadReplies()
    return next(filter(None, (_unlike(expected, replies.found_in(trace)) for trace, expected in changes)), [])


def _unlike(expected: Sequence[str], found: Sequence[str]) -> Sequence[str]:
    """How the findings differ from those without a mutant."""
    if found == expected:
        return []
    new = [f"found, and not without a mutant: {line}" for line in found if line not in expected]
    lost = [f"found without a mutant, and not with it: {line}" for line in expected if line not in found]
    return [*new, *lost] or ["found in another order than without a mutant"]


def _fault(differences: Sequence[str]) -> Fault | None:
    return ("finding", differences[0]) if differences else None
