"""Notes which test of a suite made the requests of each round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.endpoint.case_endpoint import CaseEndpoint
from harness.endpoint.recognition import RecognisedRequest

Passage = tuple[int, str]
"""The number of an exchange, and the test that made it and the exchanges after it."""


@dataclass(frozen=True, slots=True)
class GroupedRound:
    """A round, the ``test`` that began it, and the passages that ``other`` tests made.

    ``has_twin``: another round began with the same request, and that round was continued.
    """

    endpoint: CaseEndpoint
    test: str = ""
    other: Sequence[Passage] = ()
    has_twin: bool = False

    @property
    def tests(self) -> list[str]:
        """All tests that made requests in it, without empty names."""
        return [each for each in dict.fromkeys([self.test, *(test for _, test in self.other)]) if each]


class TestsOfRounds:
    """Which test began each round, and which other tests continued it. An empty name is no test.

    Rounds outside of tests take no memory.
    """

    __test__ = False  # for pytest, which takes the name for that of a test

    def __init__(self) -> None:
        self._began: dict[int, str] = {}
        self._other: dict[int, list[Passage]] = {}
        self._latest: dict[str, int] = {}

    def note(self, number: int, exchange: int, test: str) -> None:
        """Note that this test makes a request in the round ``number``; it becomes its exchange ``exchange``, from 0."""
        if exchange == 0:
            self._latest[test] = number
            if test:
                self._began[number] = test
            return
        passages = self._other.get(number)
        if test != (passages[-1][1] if passages else self.began(number)):
            self._other.setdefault(number, []).append((exchange, test))

    def began(self, number: int) -> str:
        """The test that began a round."""
        return self._began.get(number, "")

    def latest(self, test: str) -> int | None:
        """The latest round that the test began."""
        return self._latest.get(test)

    def other(self, number: int) -> Sequence[Passage]:
        """The passages of a round that were made by other tests than the one that began it."""
        return tuple(self._other.get(number, ()))

    def groups(self, count: int) -> Iterator[Sequence[int]]:
        """The first ``count`` rounds in groups: the rounds of each test, and each round outside of tests by itself."""
        groups: dict[str | int, list[int]] = {}
        for number in range(count):
            groups.setdefault(self._began.get(number, number), []).append(number)
        yield from groups.values()


class Twins:
    """Finds rounds of the same test (or outside of tests) that began with the same question. A program may ask it twice
    and use only one answer."""

    def __init__(self) -> None:
        self._first: dict[int, int] = {}
        self._went_on: set[int] = set()

    def note(self, number: int, exchange: int, asked: RecognisedRequest, test: str) -> None:
        """Note that a test makes this request in the round ``number``; it becomes its exchange ``exchange``, from 0."""
        if exchange == 0:
            texts = tuple([(message.role, message.text) for message in asked.conversation.messages])
            self._first[number] = hash((test, texts, asked.tools))
        elif number in self._first:
            self._went_on.add(self._first[number])

    def went_on(self, number: int) -> bool:
        """Whether a round that began like this one was continued."""
        return self._first.get(number) in self._went_on
