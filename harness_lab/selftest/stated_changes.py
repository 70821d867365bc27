"""What is found beside each small run, to the word: in small changes of it, some of all that are possible.

A small run shows one sentence of a rule. What the rules say of a trace that nobody wrote is stated, too, so that a rule
that speaks where it was silent, or says something else, is a line in a diff. ``stated_changes.json`` has a line for
each kind of change: the rules that are found, in how many of the traces, and a digest of every word.
``scripts/state-findings`` writes it anew, and ``scripts/state-findings --words KIND`` prints what is behind a line.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Final
from zlib import crc32

from harness.rules import TraceView, judge, select
from harness.rules.trace_view import views
from harness.trace import ResponseRecord, Trace
from harness.wire import Reply
from harness_lab.mutants.traces import SMALL_RUNS, SmallRun
from harness_lab.mutants.traces.small_changes import TraceChange, drawn_changes
from harness_lab.selftest.mutant_run import MutantRun
from harness_lab.selftest.stated import in_words
from harness_lab.selftest.stated_requests import Judgement, lines_of, unlike_stated

FILE: Final = Path(__file__).parent.parent / "mutants" / "traces" / "stated_changes.json"
CHANGES: Final = 4
PAIRS: Final = 1
"""How many changes of each small run are judged, and how many pairs of them."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A small run on one wire, and the changes of it that are judged. ``on`` is its name with that wire's."""

    on: str
    trace: Trace
    changes: Sequence[TraceChange]


@dataclass(slots=True)
class ReadReplies:
    """Replies by the bytes of their responses: no rule changes what the model has said, so it is read once."""

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
            yield Changed(f"{small_run.name} {wire}", trace, list(drawn_changes(small_run.name, trace, CHANGES, PAIRS)))


def _on_one_wire(small_run: SmallRun) -> tuple[str, Trace] | None:
    """The first of its wires that can say it, from one on that a hash of its name chooses."""
    first = crc32(small_run.name.encode()) % len(small_run.wires)
    for wire in (*small_run.wires[first:], *small_run.wires[:first]):
        if (trace := small_run.on(wire)) is not None:
            return wire, trace
    return None


def judgements(small_runs: Iterable[SmallRun] = SMALL_RUNS.values()) -> Iterator[Judgement]:
    """Every changed trace, judged; in the same order each time."""
    replies = ReadReplies()
    for changed in changed_runs(small_runs):
        for change in changed.changes:
            words = replies.found_in(change.made(changed.trace))
            yield Judgement(change.kind, changed.on, tuple(dict.fromkeys(line.split()[0] for line in words)), words)


def as_stated() -> MutantRun:
    """All judgements beside what is stated of them."""
    run = MutantRun("small changes of traces", "every small run")
    try:
        return replace(run, unstated=tuple(unlike_stated(_stated(), lines_of(judgements()))))
    except Exception:  # noqa: BLE001 - a rule that crashes is a failure of the selftest, and the others go on
        return replace(run, crash=traceback.format_exc())


def text_of_changes() -> str:
    """The file."""
    return json.dumps(lines_of(judgements()), indent=0, sort_keys=True, ensure_ascii=False) + "\n"


@cache
def _stated() -> Mapping[str, str]:
    lines: Mapping[str, str] = json.loads(FILE.read_text(encoding="utf-8"))
    return lines
