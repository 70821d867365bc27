"""In which test of a suite the requests of each round were made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.endpoint.case_endpoint import CaseEndpoint
from harness.endpoint.recognition import RecognisedRequest

Passage = tuple[int, str]
"""An exchange, and the test in which it and those after it were asked."""


@dataclass(frozen=True, slots=True)
class GroupedRound:
    """A round with the ``test`` in which it began, and the passages that were asked in ``other`` tests.

    ``has_twin``: another round began with the same request, and that one went on.
    """

    endpoint: CaseEndpoint
    test: str = ""
    other: Sequence[Passage] = ()
    has_twin: bool = False

    @property
    def tests(self) -> list[str]:
        """All tests that have asked in it; empty names are none."""
        return [each for each in dict.fromkeys([self.test, *(test for _, test in self.other)]) if each]


class TestsOfRounds:
    """Which test has begun each round, and which others have gone on with it. An empty name is no test.

    It takes no memory for rounds outside of tests.
    """

    __test__ = False  # for pytest, which takes the name for that of a test

    def __init__(self) -> None:
        self._began: dict[int, str] = {}
        self._other: dict[int, list[Passage]] = {}
        self._latest: dict[str, int] = {}

    def note(self, number: int, exchange: int, test: str) -> None:
        """The round with this number is asked in this test: it will be this exchange of it, from 0."""
        if exchange == 0:
            self._latest[test] = number
            if test:
                self._began[number] = test
            return
        passages = self._other.get(number)
        if test != (passages[-1][1] if passages else self.began(number)):
            self._other.setdefault(number, []).append((exchange, test))

    def began(self, number: int) -> str:
        """The test in which a round began."""
        return self._began.get(number, "")

    def latest(self, test: str) -> int | None:
        """The round that the test has begun last."""
        return self._latest.get(test)

    def other(self, number: int) -> Sequence[Passage]:
        """What was asked in other tests than that in which a round began."""
        return tuple(self._other.get(number, ()))

    def groups(self, count: int) -> Iterator[Sequence[int]]:
        """The rounds of each test, and each round outside of them, of so many rounds in the order of their numbers."""
        groups: dict[str | int, list[int]] = {}
        for number in range(count):
            groups.setdefault(self._began.get(number, number), []).append(number)
        yield from groups.values()


class Twins:
    """Which rounds of a test, or outside of tests, began with the same question: a program may ask it twice and use one
    answer."""

    def __init__(self) -> None:
        self._first: dict[int, int] = {}
        self._went_on: set[int] = set()

    def note(self, number: int, exchange: int, asked: RecognisedRequest, test: str) -> None:
        """The round with this number is asked so in a test: it will be this exchange of it, from 0."""
        if exchange == 0:
            texts = tuple([(message.role, message.text) for message in asked.conversation.messages])
            self._first[number] = hash((test, texts, asked.tools))
        elif number in self._first:
            self._went_on.add(self._first[number])

    def went_on(self, number: int) -> bool:
        """Whether a round that began as this one did went on."""
        return self._first.get(number) in self._went_on
