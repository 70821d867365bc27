"""The exact findings in each broken trace and small run, and in a selection of small changes of small runs.

A small run shows one sentence of a rule. The findings of the rules in a trace that nobody wrote are stated, too, so
that any change in them is noticed.

Ids of calls are written by their places, and numbers of bytes are left out, so that most runs read the same on all
wires. The findings of a provider's own rule are stated with that rule, in its requests, and its INFO findings are left
out.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Final
from zlib import crc32

from harness.finding import Finding
from harness.rules import TraceView, judge, select
from harness.rules.catalogue import current
from harness.rules.trace_view import views
from harness.trace import ResponseRecord, Trace
from harness.wire import OWN_WIRES, Reply
from harness_lab.mutants.traces import SMALL_RUNS, SmallRun
from harness_lab.mutants.traces.small_changes import TraceChange, drawn_changes
from harness_lab.selftest.mutant_run import MutantRun
from harness_lab.selftest.stated import (
    Judgement,
    by_age,
    lines_in,
    lines_of,
    own_rules,
    own_rules_of,
    unlike_stated,
)

FILE: Final = Path(__file__).parent.parent / "mutants" / "traces" / "stated.json"
CHANGES: Final = 4
PAIRS: Final = 1
"""How many changes of each small run are judged, and how many pairs of them."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A small run of a rule on one wire, and the changes of it that are judged. ``on`` is its name with the wire's
    name."""

    on: str
    rule: str
    trace: Trace
    changes: Sequence[TraceChange]


@dataclass(slots=True)
class ReadReplies:
    """Replies by the bytes of their responses: no rule changes the model's words, so each is read only once."""

    replies: dict[bytes, Reply] = field(default_factory=dict)

    def found_in(self, trace: Trace) -> tuple[str, ...]:
        """What all rules find in a trace, in words."""
        seen = list(views(trace, self._known(trace)))
        words = in_words(judge(seen, select(info=True)), seen)
        for view in seen:
            self._keep(view)
        return words

    def _known(self, trace: Trace) -> Mapping[int, Reply]:
        answers = [record for record in trace.records if isinstance(record, ResponseRecord)]
        return {each.exchange: self.replies[each.body] for each in answers if each.body in self.replies}

    def _keep(self, view: TraceView) -> None:
        for ask in view.asks:
            response = ask.exchange.response
            if response is not None and response.end == "eof" and ask.reply is not None and ask.whole:
                self.replies.setdefault(response.body, ask.reply)


def changed_runs(small_runs: Iterable[SmallRun] = SMALL_RUNS.values()) -> Iterator[Changed]:
    """Each small run on one of its wires, with the small changes of it that are judged."""
    for small_run in small_runs:
        if (found := _on_one_wire(small_run)) is not None:
            wire, trace = found
            changes = list(drawn_changes(small_run.name, trace, CHANGES, PAIRS))
            yield Changed(f"{small_run.name} {wire}", current(small_run.rule), trace, changes)


def _on_one_wire(small_run: SmallRun) -> tuple[str, Trace] | None:
    """The run on the first wire that can express it. The search begins at a wire that a hash of its name chooses."""
    first = crc32(small_run.name.encode()) % len(small_run.wires)
    for wire in (*small_run.wires[first:], *small_run.wires[:first]):
        if (trace := small_run.on(wire)) is not None:
            return wire, trace
    return None


def judgements_of_changes(small_runs: Iterable[SmallRun] = SMALL_RUNS.values()) -> Iterator[Judgement]:
    """Every changed small run, judged; in the same order each time."""
    replies = ReadReplies()
    for run in changed_runs(small_runs):
        for change in run.changes:
            yield Judgement(change.kind, run.on, (run.rule,), replies.found_in(change.made(run.trace)))


def as_stated(judged: Iterable[Judgement]) -> MutantRun:
    """The findings in all traces, and in small changes of them, compared with the stated ones."""
    run = MutantRun("all rules", "every trace")
    try:
        found = lines_of(chain(judged, judgements_of_changes()), by_age(FILE, every_rule()))
    except Exception:  # noqa: BLE001 - a rule that crashes is a failure of the selftest, and the others go on
        return replace(run, crash=traceback.format_exc())
    return replace(run, unstated=tuple(unlike_stated(lines_in(FILE), found)))


def every_rule() -> list[str]:
    """The rules of this package that can be found in a trace."""
    return [*own_rules(), *(rule for name in OWN_WIRES for rule in own_rules_of(name))]


_BYTES = re.compile(r"\bbytes? \d+|\b\d+ bytes?")


def in_words(findings: Iterable[Finding], views: Iterable[TraceView]) -> tuple[str, ...]:
    """A line for each finding in the conversations of a trace."""
    ids = [call.id for view in views for ask in view.asks for call in ask.calls if call.id]
    names = {id: f"<call {number}>" for number, id in enumerate(dict.fromkeys(ids), 1)}
    longest_first = sorted(names, key=len, reverse=True)
    named = re.compile("|".join(map(re.escape, longest_first))) if names else None
    lines = (_line(finding) for finding in findings if finding.level != "INFO" or not finding.reference)
    if named is None:
        return tuple(lines)
    return tuple(named.sub(lambda match: names[match.group()], line) for line in lines)


def _line(finding: Finding) -> str:
    after = f" after {finding.answer}" if finding.answer is not None else ""
    where = f"{finding.id} {finding.level} {finding.impact} at {finding.at}{after}"
    if finding.reference:
        return where
    about = f"{finding.conversation}: " if finding.conversation else ""
    beside = f" ({finding.detail})" if finding.detail else ""
    words = _BYTES.sub("N bytes", f"{where}: {about}expected {finding.expected}; got {finding.got}{beside}")
    return words.encode("utf-8", "backslashreplace").decode()
