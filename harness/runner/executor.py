"""Runs items: what an executor needs to know about them, and the executor for this process.

An item is a planned case (``runner/cases.py``), or a piece of a fuzzing campaign. Executors know neither type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, Protocol, TypeVar, runtime_checkable

Item = TypeVar("Item")
Result = TypeVar("Result")
Item_contra = TypeVar("Item_contra", contravariant=True)
Result_co = TypeVar("Result_co", covariant=True)


class Work(Protocol[Item_contra, Result]):
    """The work for every item, wherever it runs. It can be pickled, like items and results, to reach other processes.

    ``noun`` is the word for an item, ``deadline`` the seconds that it may take. ``seconds`` is an estimate of the time
    for one item, until the first has ended: a worker gets many short items at once, and long ones one by one.
    """

    @property
    def noun(self) -> str:
        """The word for an item."""

    @property
    def deadline(self) -> float:
        """Seconds that an item may take."""

    @property
    def seconds(self) -> float:
        """Seconds that an item takes, estimated before any has ended."""

    def needs(self, item: Item_contra, /) -> str:
        """A name for the slow imports that a process needs to run the item. Items with the same name go together."""
        ...

    def run(
        self,
        batches: Iterable[Sequence[Item_contra]],
        on_finished: Callable[[Result], None],
        /,
        *,
        jobs: int = 1,
        in_worker: bool = False,
    ) -> None:
        """Run every item of every batch, at most ``jobs`` of a batch at once, and report each result as it comes.

        With one job the results come in the order of the items. An item that fails, or exceeds its deadline, also has a
        result; an exception ends the run. ``in_worker``: this process runs only items, and may be changed permanently.
        No event loop runs in this thread.
        """
        ...

    def failed(self, item: Item_contra, why: str, /) -> Result:
        """The result of an item that did not reach its end, because its process died or was ended."""
        ...

    def explained(self, result: Result, printed: str, /) -> Result:
        """The result with the output of its process, if that can explain it."""
        ...


@runtime_checkable
class SealedWork(Protocol):
    """Work that may want its worker processes sealed off (``harness.sealing``). Other work does not."""

    def seals_workers(self) -> bool:
        """Whether they are sealed off on this machine. Raises ``BadInput`` if they must be and cannot."""
        ...


class Executor(Protocol[Item_contra, Result_co]):
    """Runs items. The results do not depend on how or where it runs them."""

    def run(self, items: Sequence[Item_contra], on_finished: Callable[[Result_co], None], /) -> None:
        """Run every item and return when all have ended; ``on_finished`` is called with each result as it comes.

        On ``KeyboardInterrupt`` it ends what it started, reports every finished result, and raises.
        """
        ...


class InProcess(Generic[Item, Result]):
    """Runs the items in this process, at most ``jobs`` at once, and starts them in order."""

    def __init__(self, work: Work[Item, Result], jobs: int = 1) -> None:
        self._work = work
        self._jobs = jobs

    def run(self, items: Sequence[Item], on_finished: Callable[[Result], None], /) -> None:
        """Run every item in this process, as ``Executor.run``."""
        self._work.run([items], on_finished, jobs=self._jobs)


def with_printed(why: str, printed: str) -> str:
    """The reason, followed by the output that was printed before."""
    return f"{why}\nIt had printed:\n{printed}" if printed else why
