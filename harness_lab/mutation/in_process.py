"""Mutants judged one after another in this process, without a fork and its imports for each.

First it measures which items run which function, by the interpreter's hook for calls. What happens when a module is
imported, or once for all items, has happened by then: a mistake there has no verdict, or survives where a fork would
kill it. What a mutant leaves behind might be taken for a mistake of the next one. So the item that finds one is run
again without it, and if it finds something then, too, the process ends.
"""

from __future__ import annotations

import signal
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

from harness.errors import BadInput, HarnessError
from harness_lab.mutation.judging import Fault, MutationJudge
from harness_lab.mutation.mutants import SourceMutant
from harness_lab.mutation.scoring import MutantState, MutantVerdict
from harness_lab.mutation.swapping import Swap, Swapping

_STATES: Final[Mapping[str, MutantState]] = {"finding": "found", "error": "crashed", "late": "late"}


def judged_in_process(
    judge: MutationJudge, root: Path, mutants: Sequence[SourceMutant], longest: float = 30
) -> Iterator[MutantVerdict]:
    """The verdict on each mutant whose mistake is in the body of a function that an item runs; no verdict on the
    others. An item may take ``longest`` seconds.

    Raises ``HarnessError`` if an item finds something without a mutant, or after one: another process must judge the
    rest.
    """
    judge.preload()
    runs = _Runs(judge, longest)
    if (fault := runs.first_fault(judge.items())) is not None:  # what is imported then, and made once, is of no item
        raise BadInput(f"{judge.command} without a mutant: {fault[0]}: {fault[1][1]}")
    swapping = Swapping(root)
    reached = runs.measured(root, {mutant.key.path for mutant in mutants}, swapping)
    order = {item: number for number, item in enumerate(judge.items())}
    for mutant in mutants:
        if (swap := swapping.of(mutant)) is None:
            continue
        found = {item for function, _ in swap for item in reached.get(function.__code__, ())}
        items = judge.chosen(sorted(found, key=order.__getitem__), mutant.module.name)
        if items:
            verdict = _verdict(runs, swapping, mutant, swap, items)
            yield verdict
            if verdict.by and (without := runs.first_fault([verdict.by])) is not None:
                raise HarnessError(
                    f"{verdict.by} finds something without a mutant, after {mutant.place}: {without[1][1]}; "
                    "judge the rest in another process, with --rest"
                )


def _verdict(runs: _Runs, swapping: Swapping, mutant: SourceMutant, swap: Swap, items: Sequence[str]) -> MutantVerdict:
    with swapping.swapped(swap):
        found = runs.first_fault(items)
    if found is None:
        return MutantVerdict(mutant.key.id, mutant.place, "survived", of=len(items))
    item, (how, what) = found
    return MutantVerdict(mutant.key.id, mutant.place, _STATES[how], item, what, len(items))


class _Late(KeyboardInterrupt):
    """An item has not ended in time. Nothing below catches this kind of exception, and no task group changes it."""


class _Runs:
    def __init__(self, judge: MutationJudge, longest: float) -> None:
        self._judge = judge
        self._longest = longest
        self._at = ""

    def first_fault(self, items: Sequence[str]) -> tuple[str, tuple[str, str]] | None:
        """The first of the items with a fault, and the fault."""
        faults: list[tuple[str, tuple[str, str]]] = []
        left = iter(items)
        self._at = next(left)

        def done(item: str, fault: Fault | None) -> None:
            signal.setitimer(signal.ITIMER_REAL, self._longest, 1)
            self._at = next(left, item)
            if fault is not None:
                faults.append((item, fault))
                raise KeyboardInterrupt

        with _bounded(self._longest):
            try:
                self._judge.run(items, done)
            except _Late:
                return self._at, ("late", f"it did not end in {self._longest:.0f} s")
            except KeyboardInterrupt:
                if not faults:
                    raise
            except Exception as error:  # noqa: BLE001 - a mistake of the mutant
                return self._at, ("error", f"{type(error).__name__}: {error}")
        return faults[0] if faults else None

    def measured(self, root: Path, paths: set[str], swapping: Swapping) -> Mapping[CodeType, Sequence[str]]:
        """For the code of each function of these modules, the items that run it."""
        files = {str(root / path) for path in paths}
        every = self._judge.items()
        reached: defaultdict[CodeType, dict[str, None]] = defaultdict(dict)
        seen: set[CodeType] = set()

        def called(frame: FrameType, event: str, _: Any) -> None:
            if event == "call" and frame.f_code.co_filename in files:
                seen.add(frame.f_code)

        def done(item: str, fault: Fault | None) -> None:
            if fault is not None:
                raise BadInput(f"{self._judge.command} without a mutant: {item}: {fault[1]}")
            for code in seen:
                reached[code][item] = None
            seen.clear()
            swapping.forget()

        sys.setprofile(called)
        try:
            self._judge.run(every, done)
        finally:
            sys.setprofile(None)
        return {code: list(items) for code, items in reached.items()}


@contextmanager
def _bounded(seconds: float) -> Iterator[None]:
    def late(*_: object) -> None:
        raise _Late

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
