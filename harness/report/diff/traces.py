"""Compares two traces of a case, and finds the first record in which they differ."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from harness.cassette.misses.diff_text import unified
from harness.cassette.misses.differences import Difference, differences, place
from harness.report.diff.asked.settled import Settling, is_of_agent
from harness.report.diff.model import TraceChange
from harness.trace import RequestRecord, ResponseRecord, Trace, TraceError, canonical, load

_CLOCK = b'"at":'
"""The last member of every line but the first. Inside a text its quotes would be escaped."""

_TOP = "@@ body @@"
"""The heading for a difference at the top level of a record."""

_FAR = 50
"""How many records ahead a record is looked for in the other trace, to decide whether it is new or missing."""


@dataclass(frozen=True, slots=True)
class Traces:
    """The traces of a case in both runs. They are only read if their files differ in more than clocks.

    ``problem`` is the reason why they could not be compared.
    """

    base: Trace | None = None
    new: Trace | None = None
    change: TraceChange | None = None
    problem: str = ""


def compared(base: Path | None, new: Path | None, settling: tuple[Settling, Settling] | None = None) -> Traces:
    """Compare two trace files; None for a run that has none.

    ``settling`` belongs to the two runs: for agents, what differs in every run is not compared.
    """
    if base is None or new is None:
        return Traces()
    try:
        if _same_but_clocks(base.read_bytes(), new.read_bytes()):
            return Traces()
        old, now = load(base), load(new)
    except OSError as error:
        return Traces(problem=f"{error.filename}: cannot read the trace: {error.strerror}")
    except TraceError as error:
        return Traces(problem=error.problems[0])
    except ValueError:  # half a character, a NUL
        return Traces(problem=f"{base} or {new}: no file can have such a name")
    if settling is not None and is_of_agent(old.case) and is_of_agent(now.case):
        stories = (_of_agent(trace, each) for trace, each in zip((old, now), settling, strict=True))
        return Traces(old, now, _first_change(*stories))
    return Traces(old, now, _first_change(_Story.of(old), _Story.of(now)))


def _of_agent(trace: Trace, settling: Settling) -> _Story:
    """The trace of an agent without the model's answers. What the agent makes of an answer is in its next request."""
    records = [replace(each, body=b"") if isinstance(each, ResponseRecord) else each for each in trace.records]
    story = _Story.of(replace(trace, records=tuple(records)))
    settled = settling.of_case(trace.case)
    return replace(story, records=[settled.text(each) for each in story.records])


def _same_but_clocks(base: bytes, new: bytes) -> bool:
    """Whether two files are equal after their first line, which names the case, the seed and the target."""
    if base == new:
        return True
    old, now = base.split(b"\n")[1:], new.split(b"\n")[1:]
    return len(old) == len(now) and all(
        one == other or one[: one.rfind(_CLOCK)] == other[: other.rfind(_CLOCK)]
        for one, other in zip(old, now, strict=True)
    )


@dataclass(frozen=True, slots=True)
class _Story:
    """A trace in its canonical form, and the line in the file of each record."""

    records: Sequence[str]
    lines: Sequence[int]

    @classmethod
    def of(cls, trace: Trace) -> _Story:
        """Put every response directly after its request. A trace has it where it ended, and whether a loop in another
        process had reported its last events by then differs from run to run."""
        answers = {record.exchange: at for at, record in enumerate(trace.records) if isinstance(record, ResponseRecord)}
        order: list[int] = []
        for at, record in enumerate(trace.records):
            if not isinstance(record, ResponseRecord):
                order.append(at)
            if isinstance(record, RequestRecord) and record.exchange in answers:
                order.append(answers[record.exchange])
        ordered = replace(trace, records=tuple(trace.records[at] for at in order))
        return cls(canonical(ordered), [at + 2 for at in order])


def _first_change(base: _Story, new: _Story) -> TraceChange | None:
    """The first difference between two traces."""
    old, now = base.records, new.records
    pairs = enumerate(zip(old, now, strict=False))
    at = next((number for number, (one, other) in pairs if one != other), min(len(old), len(now)))
    if at == len(old) == len(now):
        return None
    if at == len(old) or (at < len(now) and old[at] in now[at + 1 : at + _FAR]):
        record = json.loads(now[at])
        return TraceChange(f"{_record_name(record)} is new", None, new.lines[at], _whole("+", record))
    if at == len(now) or now[at] in old[at + 1 : at + _FAR]:
        record = json.loads(old[at])
        return TraceChange(f"{_record_name(record)} is missing", base.lines[at], None, _whole("-", record))
    return _record_change(json.loads(old[at]), json.loads(now[at]), (base.lines[at], new.lines[at]))


def _record_change(base: Any, new: Any, lines: tuple[int, int]) -> TraceChange:
    if _record_name(base) != _record_name(new):
        what = f"{_record_name(new)} in the place of {_record_name(base)}"
        return TraceChange(what, *lines, (*_whole("-", base), *_whole("+", new)))
    found = list(differences(base, new))
    what = f"{_record_name(new)}: {place(found[0].at).removeprefix('body.')}"
    return TraceChange(what, *lines, _diff(found, new))


def _record_name(record: dict[str, Any]) -> str:
    """A record in two words: ``request 2``, ``event toolStart``."""
    if "event" in record:
        return f"event {record['event']}"
    kind = "request" if "request" in record else "response"
    return f"{kind} {record[kind] + 1}"


def _whole(sign: str, record: Any) -> tuple[str, ...]:
    """A record with all of its members; long texts and lists are shortened."""
    return tuple(re.sub("^[+]", sign, line) for line in _diff(list(differences({}, record)), record))


def _diff(found: Sequence[Difference], record: Any) -> tuple[str, ...]:
    lines = unified(found, record, ("", "")).split("\n")[2:]
    return tuple(line for line in lines if line != _TOP)
