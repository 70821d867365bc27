"""What is still to be run, and what of it a worker process should run next.

Importing a provider's SDK takes a process one to two seconds, as long as a hundred short cases. So cases are handed
out by the SDK that they need: a worker stays with those that it has imported, takes up one that nobody serves when
these are done, and joins others at theirs only when enough is left to pay for another import.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterable, Sequence
from statistics import median

from harness.runner.plan import PlannedCase

__all__ = ["Backlog", "sdk_of"]

IMPORT_SECONDS = 1.5
"""What importing an SDK costs a process, about."""

CASE_SECONDS = 0.02
"""What a case takes as long as none with its SDK has ended."""

LARGEST_BATCH = 16
"""A batch is lost time only between two of them, some 1 ms; a small one leaves more for others to take."""

_SDKS = {
    "openai-responses": "openai",
    "openai-chat": "openai",
    "text-tags": "openai",
    "anthropic-messages": "anthropic",
    "gemini-generate": "google-genai",
}


def sdk_of(wire: str) -> str:
    """The SDK that cases of ``wire`` need, or the wire itself where none is known."""
    return _SDKS.get(wire, wire)


class Backlog:
    """The cases that no worker has, by number in the plan."""

    def __init__(self, planned: Sequence[PlannedCase]) -> None:
        self._sdks = [sdk_of(item.case.wire) for item in planned]
        self._waiting: dict[str, deque[int]] = {sdk: deque() for sdk in self._sdks}
        self._seconds: dict[str, list[float]] = {sdk: [] for sdk in self._sdks}
        self.put_back(range(len(planned)))

    def sdk(self, number: int) -> str:
        """The SDK that a case needs."""
        return self._sdks[number]

    def put_back(self, numbers: Iterable[int]) -> None:
        """These cases wait to be run."""
        for number in numbers:
            self._waiting[self._sdks[number]].append(number)

    def ended(self, number: int, seconds: float) -> None:
        """A case has taken so long: the others with its SDK will too."""
        self._seconds[self._sdks[number]].append(seconds)

    def take(self, imported: Collection[str], crews: Counter[str]) -> list[int]:
        """The next cases for a worker, all of one SDK; none where nothing pays.

        ``imported`` are the SDKs that the worker has, ``crews`` says how many workers have each.
        """
        sdk = self._best(imported, crews)
        if sdk is None:
            return []
        waiting = self._waiting[sdk]
        size = min(LARGEST_BATCH, len(waiting) // (2 * max(1, crews[sdk])))
        return [waiting.popleft() for _ in range(max(1, size))]

    def take_all(self) -> list[int]:
        """Everything that waits, in the order of the plan."""
        numbers = sorted(number for waiting in self._waiting.values() for number in waiting)
        for waiting in self._waiting.values():
            waiting.clear()
        return numbers

    def _best(self, imported: Collection[str], crews: Counter[str]) -> str | None:
        left = {sdk: self._seconds_left(sdk) for sdk, waiting in self._waiting.items() if waiting}
        own = [sdk for sdk in left if sdk in imported]
        unserved = [sdk for sdk in left if not crews[sdk]]
        # n workers need left/n seconds, n + 1 need (left + import)/(n + 1).
        paying = [sdk for sdk in left if left[sdk] > crews[sdk] * IMPORT_SECONDS]
        choice = own or unserved or paying
        return max(choice, key=left.__getitem__) if choice else None

    def _seconds_left(self, sdk: str) -> float:
        # The median, because the first case of a worker waits for the import.
        each = median(self._seconds[sdk]) if self._seconds[sdk] else CASE_SECONDS
        return each * len(self._waiting[sdk])
