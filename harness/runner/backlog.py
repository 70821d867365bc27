"""The items still to be run, and which of them a worker process should run next.

Imports that items need may take long: a provider's SDK costs a process one to two seconds, as much as a hundred short
cases. So a worker first gets the items whose import it already has. After that it gets a need that no worker serves. It
joins other workers at their need only if enough items are left to pay for another import.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterable, Sequence
from statistics import median

IMPORT_SECONDS = 1.5
"""What an import costs a process, approximately."""

LARGEST_BATCH = 16
"""Most items in a batch. Time is lost only between batches, about 1 ms; small batches leave more for other workers."""

BATCH_SECONDS = 2.0
"""Most seconds for a batch, approximately: a worker does not return items that it has taken."""


class Backlog:
    """The items that no worker has, by number. ``needs`` has the need of each; ``seconds`` is the time of one item."""

    def __init__(self, needs: Sequence[str], seconds: float) -> None:
        self._needs = needs
        self._expected = seconds
        self._waiting: dict[str, deque[int]] = {need: deque() for need in needs}
        self._seconds: dict[str, list[float]] = {need: [] for need in needs}
        self.put_back(range(len(needs)))

    def need(self, number: int) -> str:
        """The need of an item."""
        return self._needs[number]

    def put_back(self, numbers: Iterable[int]) -> None:
        """Add items that wait to be run."""
        for number in numbers:
            self._waiting[self._needs[number]].append(number)

    def ended(self, number: int, seconds: float) -> None:
        """Note how long an item took, as an estimate for the others with its need."""
        self._seconds[self._needs[number]].append(seconds)

    def take(self, imported: Collection[str], crews: Counter[str]) -> list[int]:
        """The next items for a worker, all with the same need; none if nothing pays.

        ``imported`` are the needs that the worker has imported; ``crews`` counts the workers of each need.
        """
        need = self._best(imported, crews)
        if need is None:
            return []
        waiting = self._waiting[need]
        most = min(LARGEST_BATCH, int(BATCH_SECONDS / max(self._seconds_each(need), 1e-9)))
        size = min(most, len(waiting) // (2 * max(1, crews[need])))
        return [waiting.popleft() for _ in range(max(1, size))]

    def take_all(self) -> list[int]:
        """All waiting items, in the order of their numbers."""
        numbers = sorted(number for waiting in self._waiting.values() for number in waiting)
        for waiting in self._waiting.values():
            waiting.clear()
        return numbers

    def _best(self, imported: Collection[str], crews: Counter[str]) -> str | None:
        left = {need: self._seconds_left(need) for need, waiting in self._waiting.items() if waiting}
        own = [need for need in left if need in imported]
        unserved = [need for need in left if not crews[need]]
        # n workers take left/n seconds, n + 1 take (left + import)/(n + 1).
        paying = [need for need in left if left[need] > crews[need] * IMPORT_SECONDS]
        choice = own or unserved or paying
        return max(choice, key=left.__getitem__) if choice else None

    def _seconds_left(self, need: str) -> float:
        return self._seconds_each(need) * len(self._waiting[need])

    def _seconds_each(self, need: str) -> float:
        # The median, because the first item of a worker waits for the import.
        return median(self._seconds[need]) if self._seconds[need] else self._expected
