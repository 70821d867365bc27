"""The progress of a run: which cases have ended, what is wrong so far, and how long the rest will take.

It is drawn on a terminal. Elsewhere it is lines: every case that needs attention, and the state at least every 5
seconds, so that nobody takes a run for a hanging one.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from harness.report.visible import in_line
from harness.runner.results import CaseResult

Clock = Callable[[], float]
Line = Callable[[str], None]

SILENCE: Final = 5.0
"""Seconds without a line, at most, where the state is written in lines."""

MOST_NAMED: Final = 5
"""Bad cases that are named as they end. The causes at the end are few, while their cases may be many."""

_LOOK: Final = 0.5
"""Seconds between two looks at the clock while no case ends."""

_ENOUGH: Final = 5
"""Cases that must have ended before their time predicts the others: the first ones import what they need."""

_SHORT: Final = 5.0
"""A run with fewer seconds is too short to announce how long it will take."""


def duration(seconds: float) -> str:
    """``40 s``, ``3 min``: an estimate, rounded accordingly."""
    if seconds < 10:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 5) * 5} s" if seconds < 100 else f"{round(seconds / 60)} min"


class Estimate:
    """How long the rest of ``total`` cases will take, from those that have ended.

    Until enough have ended, it uses ``per_case``: seconds per case of an earlier run; None if there was none.
    """

    def __init__(self, total: int, per_case: float | None, clock: Clock) -> None:
        self._total = total
        self._per_case = per_case
        self._clock = clock
        self._first: float | None = None
        self._done = 0

    def ended(self) -> None:
        """A case has ended."""
        self._done += 1
        if self._first is None:
            self._first = self._clock()

    @property
    def left(self) -> float | None:
        """Seconds; None until something is known."""
        per_case = self._per_case
        if self._first is not None and self._done >= _ENOUGH:
            per_case = (self._clock() - self._first) / (self._done - 1)
        return None if per_case is None else per_case * max(0, self._total - self._done)


class State:
    """The progress of the cases with these ids."""

    def __init__(self, ids: Sequence[str], per_case: float | None, clock: Clock) -> None:
        self._waiting = dict.fromkeys(ids)
        self.total = len(ids)
        self.failed = 0
        self.estimate = Estimate(self.total, per_case, clock)

    def ended(self, result: CaseResult) -> None:
        """A case has ended."""
        self._waiting.pop(result.id, None)
        self.failed += result.verdict in ("fail", "error")
        self.estimate.ended()

    @property
    def done(self) -> int:
        """The number of cases that have ended."""
        return self.total - len(self._waiting)

    @property
    def current(self) -> str:
        """The first case that has not ended, which is running, perhaps with others; empty after the last."""
        return next(iter(self._waiting), "")

    @property
    def time_left(self) -> str:
        """In words; empty until it is known."""
        left = self.estimate.left
        return "" if left is None or self.done == self.total else f"about {duration(left)} left"


class Lines:
    """The state as lines of text: the progress every ``SILENCE`` seconds, and the first bad cases.

    With ``verbosity`` from 1 on it lists every case, below 0 nothing.
    """

    def __init__(self, state: State, line: Line, clock: Clock, verbosity: int = 0) -> None:
        self._state = state
        self._line = line
        self._clock = clock
        self._verbosity = verbosity
        self._written = clock()

    def ended(self, result: CaseResult) -> None:
        """A case has ended."""
        self._state.ended(result)
        if self._verbosity > 0:
            self._line(_case(result, timed=True))
        elif result.verdict in ("fail", "error") and self._verbosity == 0 and self._state.failed <= MOST_NAMED:
            self._line(_case(result, timed=False))
        self.look()

    def look(self) -> None:
        """Write the state if it has not been written for long."""
        if self._verbosity >= 0 and self._clock() - self._written >= SILENCE:
            self._written = self._clock()
            state = self._state
            self._line(
                "  " + ", ".join(filter(None, (f"{state.done}/{state.total}", _failure_count(state), state.time_left)))
            )


def _case(result: CaseResult, *, timed: bool) -> str:
    took = f"  {result.seconds:.1f} s" if timed and result.verdict != "skip" else ""
    return f"  {result.verdict}  {result.id}{took}"


def _failure_count(state: State) -> str:
    return f"{state.failed} failed"


@contextlib.contextmanager
def showing(
    target: str,
    ids: Sequence[str],
    console: Console,
    line: Line,
    *,
    per_case: float | None = None,
    verbosity: int = 0,
    clock: Clock = time.perf_counter,
) -> Iterator[Callable[[CaseResult], None]]:
    """Show the progress of the cases with these ids while the block runs. Yields the function to call with each
    result."""
    state = State(ids, per_case, clock)
    if verbosity >= 0 and not console.is_terminal:
        line(f"driving {target}: {len(ids)} case{'' if len(ids) == 1 else 's'}{_expected_duration(state)}")
    if not console.is_terminal or verbosity:
        lines = Lines(state, line, clock, verbosity)
        with _looking(lines.look) as lock:

            def ended(result: CaseResult) -> None:
                with lock:
                    lines.ended(result)

            yield ended
    else:
        with _bar(target, state, console) as advance:
            yield advance


def _expected_duration(state: State) -> str:
    left = state.estimate.left
    return f", about {duration(left)}" if left is not None and left >= _SHORT else ""


@contextlib.contextmanager
def _looking(look: Callable[[], None]) -> Iterator[threading.Lock]:
    """Call ``look`` from time to time while the block runs, but not while the lock is taken."""
    lock, over = threading.Lock(), threading.Event()

    def work() -> None:
        if hasattr(signal, "pthread_sigmask"):  # a signal is the main thread's, which may have blocked it for a moment
            signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        with contextlib.suppress(OSError):  # the reader has left: the main thread finds that out, too
            while not over.wait(_LOOK):
                with lock:
                    look()

    thread = threading.Thread(target=work, daemon=True, name="progress")
    thread.start()
    try:
        yield lock
    finally:
        over.set()
        thread.join()


@contextlib.contextmanager
def _bar(target: str, state: State, console: Console) -> Iterator[Callable[[CaseResult], None]]:
    what = TextColumn("{task.description}", markup=False)
    left = TextColumn("{task.fields[left]}", markup=False)
    columns = (what, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), left)
    with Progress(*columns, console=console, transient=True) as bar:
        task: TaskID = bar.add_task(in_line(target), total=state.total, left=_beside(state))

        def ended(result: CaseResult) -> None:
            state.ended(result)
            bar.update(task, advance=1, left=_beside(state))

        yield ended


def _beside(state: State) -> str:
    failed = _failure_count(state) if state.failed else ""
    return "  ".join(filter(None, (failed, state.time_left, in_line(state.current))))
