"""What is still to be run, and what of it a worker process should run next.

What items need may take long to import: a provider's SDK takes a process one to two seconds, as long as a hundred short
cases. So items are handed out by what they need: a worker stays with those whose need it has imported, takes up one
that nobody serves when these are done, and joins others at theirs only when enough is left to pay for another import.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterable, Sequence
from statistics import median

IMPORT_SECONDS = 1.5
"""What importing costs a process, about."""

LARGEST_BATCH = 16
"""A batch is lost time only between two of them, some 1 ms; a small one leaves more for others to take."""

BATCH_SECONDS = 2.0
"""What a batch takes at most, about: who has taken it does not give it back."""


class Backlog:
    """The items that no worker has, by number. ``needs`` says of each what it needs, ``seconds`` what one takes."""

    def __init__(self, needs: Sequence[str], seconds: float) -> None:
        self._needs = needs
        self._expected = seconds
        self._waiting: dict[str, deque[int]] = {need: deque() for need in needs}
        self._seconds: dict[str, list[float]] = {need: [] for need in needs}
        self.put_back(range(len(needs)))

    def need(self, number: int) -> str:
        """What an item needs."""
        return self._needs[number]

    def put_back(self, numbers: Iterable[int]) -> None:
        """These items wait to be run."""
        for number in numbers:
            self._waiting[self._needs[number]].append(number)

    def ended(self, number: int, seconds: float) -> None:
        """An item has taken so long: the others with its need will too."""
        self._seconds[self._needs[number]].append(seconds)

    def take(self, imported: Collection[str], crews: Counter[str]) -> list[int]:
        """The next items for a worker, all of one need; none where nothing pays.

        ``imported`` are the needs that the worker has, ``crews`` says how many workers have each.
        """
        need = self._best(imported, crews)
        if need is None:
            return []
        waiting = self._waiting[need]
        most = min(LARGEST_BATCH, int(BATCH_SECONDS / max(self._seconds_each(need), 1e-9)))
        size = min(most, len(waiting) // (2 * max(1, crews[need])))
        return [waiting.popleft() for _ in range(max(1, size))]

    def take_all(self) -> list[int]:
        """Everything that waits, in the order of the numbers."""
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
