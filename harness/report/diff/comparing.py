"""Compares two runs, case by case; equal parts cost no more than reading them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from harness.errors import BadInput
from harness.report.diff.asked import RequestChanges, Settling, is_of_agent
from harness.report.diff.findings import Findings, between
from harness.report.diff.kinds import kind_of
from harness.report.diff.model import (
    CaseChange,
    CaseSpeed,
    Comparison,
    RequestChange,
    Setting,
    ShapeChange,
    Side,
    Speed,
)
from harness.report.diff.requests import Shapes, changes, shapes_of
from harness.report.diff.traces import Traces, compared
from harness.report.files import read_results
from harness.report.journal import JOURNAL
from harness.runner.results import CaseResult, RunResult, Stale, calibrated
from harness.scenario import CODING_AGENT
from harness.trace import Trace, TraceError, load, naming

_MUCH_SLOWER = 2.0
"""How many times as long a case must take to be reported, and ..."""

_NOTICEABLE = 1.0
"""... how many seconds longer: cases that are over in no time vary with whatever else the machine does."""


def read_run(folder: Path) -> RunResult:
    """The results in a run's folder. Raises ``BadInput`` if there are none, or if their version is unknown."""
    path = folder / "results.json"
    if not path.is_file() and not (folder / JOURNAL).is_file():
        raise BadInput(f"{folder}: expected the results folder of a run, got one without results.json")
    return read_results(path)


def compare(base: Path, new: Path, *, strict: bool = False, left_out: Container[str] = ()) -> Comparison:
    """The changes between the runs in two folders; ``strict`` is as in ``Comparison``.

    ``left_out`` are the cases that the new run was not asked for: they do not count as missing. Raises ``BadInput`` if
    one of the folders has no results.
    """
    before, now = read_run(base), read_run(new)
    wires = dict.fromkeys(
        wire for run in (before, now) for each in run.driver if each.level == "MUST" for wire in each.wires
    )
    before, now = (replace(run, cases=(*run.cases, *_driven(run, wires))) for run in (before, now))
    before = replace(before, cases=tuple(case for case in before.cases if case.id not in left_out))
    return replace(_Comparing(base, before, new, now).compared(), strict=strict)


def _driven(run: RunResult, wires: Iterable[str]) -> tuple[CaseResult, ...]:
    """The problems of the driver as cases, on each of ``wires`` on which the run has a case."""
    has = {case.wire for case in run.cases if case.verdict != "skip"}
    return calibrated(run.driver, [wire for wire in wires if wire in has])


@dataclass(slots=True)
class _Comparing:
    base: Path
    before: RunResult
    new: Path
    now: RunResult
    unread: list[str] = field(default_factory=list)
    _alike: list[CaseResult] = field(default_factory=list)
    _old_shapes: Shapes = field(default_factory=Counter)
    _new_shapes: Shapes = field(default_factory=Counter)
    _agents: list[tuple[CaseResult, CaseResult]] = field(default_factory=list)
    _settling: tuple[Settling, Settling] | None = None

    def compared(self) -> Comparison:
        earlier = {case.id: case for case in self.before.cases}
        later = {case.id for case in self.now.cases}
        both = [(earlier[case.id], case) for case in self.now.cases if case.id in earlier]
        self._learn(both)
        known = {case.id: self._case(old, case) for old, case in both}
        cases = [known[case.id] if case.id in known else _added_case(case) for case in self.now.cases]
        cases += [_removed_case(case) for case in self.before.cases if case.id not in later]
        changed = tuple(case for case in cases if case is not None)
        return Comparison(
            base=_side(self.base, self.before),
            new=_side(self.new, self.now),
            settings=tuple(_settings(self.before, self.now)),
            cases=changed,
            unchanged=len(cases) - len(changed),
            speed=_speed(both),
            stale=_only_in(self.now.stale, self.before.stale),
            mended=_only_in(self.before.stale, self.now.stale),
            shapes=tuple(self._shapes(Counter(case.wire for old, case in both if old.trace and case.trace))),
            requests=self._requests(),
            unread=tuple(self.unread),
        )

    def _requests(self) -> tuple[RequestChange, ...]:
        """The changes in the requests of coding agents whose traces differ."""
        if self._settling is None:
            return ()
        changes = RequestChanges(*self._settling)
        for old, now in self._agents:
            before, after = _trace(self.base, old), _trace(self.new, now)
            if before is not None and after is not None:
                changes.add(before, after)
        return changes.counted()

    def _learn(self, both: Sequence[tuple[CaseResult, CaseResult]]) -> None:
        """Read the traces of coding agents. Only all traces together show which ids are fresh in every case."""
        agents = [(old, now) for old, now in both if now.profile == CODING_AGENT]
        if not agents:
            return
        self._settling = Settling.of(self.before), Settling.of(self.now)
        for pair in agents:
            for settling, folder, case in zip(self._settling, (self.base, self.new), pair, strict=True):
                path = _trace(folder, case)
                with suppress(TraceError, OSError, ValueError):  # what cannot be read is reported when it is compared
                    if path is not None:
                        settling.learn(load(path))

    def _case(self, old: CaseResult, now: CaseResult) -> CaseChange | None:
        """The differences of a case that both runs have; None if there are none."""
        traces = compared(_trace(self.base, old), _trace(self.new, now), self._settling)
        self._note(old, now, traces)
        findings = self._findings(old, now, traces)
        kind = kind_of(old.verdict, now.verdict, findings, traces.change)
        if kind is None:
            return None
        return CaseChange(
            id=now.id,
            scenario=now.scenario,
            wire=now.wire,
            kind=kind,
            base=old.verdict,
            new=now.verdict,
            found=findings.found,
            gone=findings.gone,
            altered=findings.altered,
            trace=traces.change,
            error=now.error,
            reason=now.reason,
            traces=(old.trace, now.trace),
            repeat=now.repeat,
            visible=findings.visible,
        )

    def _note(self, before: CaseResult, case: CaseResult, traces: Traces) -> None:
        """Keep what the requests of a case consist of, if the two runs may differ in that."""
        if traces.problem:
            self.unread.append(traces.problem)
        elif traces.base is not None and traces.new is not None and is_of_agent(traces.new.case):
            self._agents.append((before, case))
        elif traces.base is not None and traces.new is not None:
            self._old_shapes.update(shapes_of(traces.base))
            self._new_shapes.update(shapes_of(traces.new))
        elif case.trace is not None:
            self._alike.append(case)

    def _findings(self, old: CaseResult, now: CaseResult, traces: Traces) -> Findings:
        """The findings of both runs, compared. If both have findings, their traces show which words are ids."""
        if traces.base is None or traces.new is None or not (old.findings and now.findings):
            return between(old, now, excluded=self._excluded_rules)
        return between(old, now, naming(traces.base), naming(traces.new), excluded=self._excluded_rules)

    @property
    def _excluded_rules(self) -> frozenset[str]:
        """The rules that were not applied to the base run, because of a problem of the driver."""
        return frozenset(rule for finding in self.before.driver for rule in finding.excluded)

    def _shapes(self, cases: Counter[str]) -> Iterator[ShapeChange]:
        """Equal traces are read only if the other traces differ: they may contain the same parts."""
        found = list(changes(self._old_shapes, self._new_shapes, cases))
        if not found:
            return
        for case in self._alike:
            if trace := self._read(case):
                same = shapes_of(trace)
                self._old_shapes.update(same)
                self._new_shapes.update(same)
        yield from changes(self._old_shapes, self._new_shapes, cases)

    def _read(self, case: CaseResult) -> Trace | None:
        path = _trace(self.new, case)
        try:
            return load(path) if path is not None else None
        except TraceError as error:
            self.unread.append(error.problems[0])
            return None


def _trace(folder: Path, case: CaseResult) -> Path | None:
    return None if case.trace is None else folder / case.trace


def _added_case(case: CaseResult) -> CaseChange:
    return CaseChange(
        case.id,
        case.scenario,
        case.wire,
        "added",
        None,
        case.verdict,
        found=case.unexpected,
        error=case.error,
        reason=case.reason,
        traces=(None, case.trace),
        repeat=case.repeat,
    )


def _removed_case(case: CaseResult) -> CaseChange:
    return CaseChange(
        case.id,
        case.scenario,
        case.wire,
        "removed",
        case.verdict,
        None,
        gone=case.findings,
        traces=(case.trace, None),
    )


def _side(folder: Path, run: RunResult) -> Side:
    return Side(
        folder=str(folder),
        target=run.target,
        started=run.started,
        cases=len(run.cases),
        seconds=sum(case.seconds for case in run.cases),
        totals=dict(run.totals),
        complete=run.complete,
    )


def _settings(base: RunResult, new: RunResult) -> Iterator[Setting]:
    """The differences between the settings of the two runs, versions of the target's packages last."""
    words: dict[str, Callable[[RunResult], object]] = {
        "target": lambda run: run.target,
        "harness": lambda run: run.harness,
        "seed": lambda run: run.seed,
        "baseline": lambda run: run.baseline or "",
        "models": lambda run: ", ".join(dict.fromkeys(case.source for case in run.cases)),
    }
    pairs = [(name, str(word(base)), str(word(new))) for name, word in words.items()]
    packages = dict.fromkeys([*base.versions, *new.versions])
    pairs += [(name, base.versions.get(name, ""), new.versions.get(name, "")) for name in packages]
    yield from (Setting(*pair) for pair in pairs if pair[1] != pair[2])


def _only_in(these: Iterable[Stale], others: Iterable[Stale]) -> tuple[Stale, ...]:
    """Stale words that only ``these`` have. Their lines in the file are not compared."""
    known = {(each.place.partition(":")[0], each.what) for each in others}
    return tuple(each for each in these if (each.place.partition(":")[0], each.what) not in known)


def _speed(both: Sequence[tuple[CaseResult, CaseResult]]) -> Speed:
    """The cases that became much slower. If the whole machine became slower, the threshold rises."""
    base, new = sum(old.seconds for old, _ in both), sum(now.seconds for _, now in both)
    times = _MUCH_SLOWER * max(1.0, new / base if base else 1.0)
    slower = [
        CaseSpeed(now.id, old.seconds, now.seconds)
        for old, now in both
        if now.seconds >= times * old.seconds and now.seconds - old.seconds >= _NOTICEABLE
    ]
    return Speed(base, new, tuple(sorted(slower, key=lambda case: case.base - case.new)))
