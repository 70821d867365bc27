"""Where items are run: what an executor needs to know of them, and the one that runs them in this process.

An item is a case that was planned (``runner/cases.py``), or a piece of a fuzzing campaign. Executors know neither.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, Protocol, TypeVar, runtime_checkable

Item = TypeVar("Item")
Result = TypeVar("Result")
Item_contra = TypeVar("Item_contra", contravariant=True)
Result_co = TypeVar("Result_co", covariant=True)


class Work(Protocol[Item_contra, Result]):
    """What is done with every item, wherever it runs. It survives pickling, as items and results do, to reach others.

    ``noun`` is what people call an item, ``deadline`` how many seconds it may take. ``seconds`` is how many it takes,
    about, for as long as none has ended: a worker is given many short items at once, and long ones one by one.
    """

    @property
    def noun(self) -> str:
        """What people call an item."""

    @property
    def deadline(self) -> float:
        """Seconds that an item may take."""

    @property
    def seconds(self) -> float:
        """Seconds that an item takes, about, before any has ended."""

    def needs(self, item: Item_contra, /) -> str:
        """A name for what a process must import to run the item, which takes long: items of one name go together."""
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
        """Run every item of every batch, at most ``jobs`` of a batch at once, and report each result when it is there.

        With one job the results come in the order of the items. An item that goes wrong, or takes longer than its
        deadline, has a result all the same: what is raised ends the run. ``in_worker`` says that this process runs
        items and nothing else, and may be changed for good. No event loop runs in this thread.
        """
        ...

    def failed(self, item: Item_contra, why: str, /) -> Result:
        """The result of an item that was not run to its end, because its process died or was ended."""
        ...

    def explained(self, result: Result, printed: str, /) -> Result:
        """The result with what its process had printed, if that can explain it."""
        ...


@runtime_checkable
class SealedWork(Protocol):
    """Work that may want its worker processes sealed off (``harness.sealing``); any other does not."""

    def seals_workers(self) -> bool:
        """Whether it does, on this machine. Raises ``BadInput`` where they must be sealed, and cannot."""
        ...


class Executor(Protocol[Item_contra, Result_co]):
    """Runs items. What comes of them does not depend on how or where it runs them."""

    def run(self, items: Sequence[Item_contra], on_finished: Callable[[Result_co], None], /) -> None:
        """Run every item and return when all have ended; ``on_finished`` is called with each result as it comes.

        Interrupted by ``KeyboardInterrupt`` it ends what it started, reports every result that is there, and raises.
        """
        ...


class InProcess(Generic[Item, Result]):
    """Runs the items in this process, at most ``jobs`` at once, begun in the order in which they come."""

    def __init__(self, work: Work[Item, Result], jobs: int = 1) -> None:
        self._work = work
        self._jobs = jobs

    def run(self, items: Sequence[Item], on_finished: Callable[[Result], None], /) -> None:
        """Run every item in this process, as ``Executor.run``."""
        self._work.run([items], on_finished, jobs=self._jobs)


def with_printed(why: str, printed: str) -> str:
    """What went wrong, with what was printed before it."""
    return f"{why}\nIt had printed:\n{printed}" if printed else why
