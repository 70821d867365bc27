"""The judge of the rules about traces: what the self-test states of each of its traces, one trace after another.

The selftest compares what is found in every broken trace and small run with what is stated of it. To play and break
the runs takes most of its time, and no mutant of a rule changes them. So they are made once, without a mutant, and each
is an item by itself: it judges only the mutants whose line it runs, in a few milliseconds, and the first that does not
find what is stated ends the judgement.

What is stated of small changes is a digest for each kind of change, which takes all traces. Here each small run with
its changes is an item, and what is found in them is compared with what is found without a mutant: if that differs, so
does a digest.
"""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Mapping, Sequence
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

_RECORD = "record"
_EVERY_WIRE = "every wire"
_READ_BEFORE = "read-before "
_CHANGES = "changes "

_Expected = tuple["Trace", tuple[str, ...]]
"""A changed trace, and what is found in it without a mutant."""


class StatedTraces:
    """Items are ``NAME WIRE`` of a broken trace or a small run, ``PART:SCENARIO WIRE`` of a run that is right, or half
    of one, ``read-before NAME WIRE`` of a broken trace with what its endpoint hands in, ``record RULE`` for what a rule
    says of itself, and ``changes NAME WIRE`` for the small changes of a small run."""

    command = "harness lab selftest"

    def __init__(self) -> None:
        self._traces: Mapping[str, Trace] = {}
        self._read_before: Sequence[str] = ()
        self._rules: Sequence[str] = ()
        self._changes: Mapping[str, Sequence[_Expected]] = {}

    def preload(self) -> None:
        """Import what no mutant can change; and have the traces made in a fork, which may import rules."""
        for name in (*BELOW, "harness.trace", "harness.wire"):
            import_module(name)
        with TemporaryDirectory() as folder:
            file = Path(folder, "traces")
            (fork,) = in_forks([file], _make, lambda _: Limits(600, 3000), 1)
            if fork.result is not True:
                raise HarnessError(f"the traces of the selftest cannot be made: {fork.result or fork.died}")
            made = pickle.loads(file.read_bytes())  # noqa: S301 - written a moment ago
            self._traces, self._read_before, self._rules, self._changes = made

    def items(self) -> Sequence[str]:
        """The rules' records and the traces, the shortest first: most mutants need not wait for the others."""
        shortest_first = sorted(self._traces, key=lambda item: len(self._traces[item].records))
        return [*(f"{_RECORD} {rule}" for rule in self._rules), *shortest_first, *self._read_before, *self._changes]

    def chosen(self, items: Sequence[str], module: str) -> Sequence[str]:  # noqa: ARG002 - the same for all modules
        """All of them: each takes a few milliseconds."""
        return items

    def about(self, module: str) -> Sequence[str]:  # noqa: ARG002 - the same for all modules
        """All of them."""
        return self.items()

    def run(self, items: Sequence[str], done: Done) -> None:
        """Judge these traces in this process."""
        from harness_lab.selftest.stated import unlike

        for item in items:
            if item in self._changes:
                done(item, _fault(_otherwise(self._changes[item])))
            else:
                done(item, _fault(unlike(*_stated_as(item), self._found(item))))

    def _found(self, item: str) -> tuple[str, ...]:
        from harness.rules import RULES
        from harness_lab.selftest.traces import judged_in_words, record

        name, wire = _stated_as(item)
        if wire == _EVERY_WIRE:
            return record(RULES[name])
        if item.startswith(_READ_BEFORE):
            return judged_in_words(self._traces[item.removeprefix(_READ_BEFORE)], handed_in=True)
        found = judged_in_words(self._traces[item])
        return tuple(line for line in found if line.split()[1] != "INFO") if ":" in name else found


def _stated_as(item: str) -> tuple[str, str]:
    """The name and the wire under which ``stated.json`` has an item."""
    first, _, second = item.removeprefix(_READ_BEFORE).partition(" ")
    return (second, _EVERY_WIRE) if first == _RECORD else (first, second)


def _make(file: Path) -> bool:
    from harness.rules import RULES
    from harness_lab.selftest.stated_changes import ReadReplies, changed_runs
    from harness_lab.selftest.traces import selftest_traces

    every = asyncio.run(selftest_traces())
    traces = {f"{name} {wire}": trace for name, wire, trace in (*every.stated, *every.right)}
    read_before = [f"{_READ_BEFORE}{name} {wire}" for name, wire in every.read_before if f"{name} {wire}" in traces]
    changes: dict[str, Sequence[_Expected]] = {}
    for run in changed_runs():
        replies, changed = ReadReplies(), [change.made(run.trace) for change in run.changes]
        changes[f"{_CHANGES}{run.on}"] = [(trace, replies.found_in(trace)) for trace in changed]
    file.write_bytes(pickle.dumps((traces, read_before, [*RULES], changes)))
    return True


def _otherwise(changes: Sequence[_Expected]) -> Sequence[str]:
    """What is first found otherwise in changed traces than without a mutant."""
    from harness_lab.selftest.stated_changes import ReadReplies

    replies = ReadReplies()
    for trace, expected in changes:
        found = replies.found_in(trace)
        if found != expected:
            one, other = (
                [line for line in lines if line not in rest] for lines, rest in ((found, expected), (expected, found))
            )
            return [f"found otherwise: {(one or other or ['in another order'])[0]}"]
    return []


def _fault(differences: Sequence[str]) -> Fault | None:
    return ("finding", differences[0]) if differences else None
