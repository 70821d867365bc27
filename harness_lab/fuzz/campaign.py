"""What a campaign is: the examples that it makes, the subject that it holds them against, and its oracles."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar, Generic, Literal, TypeVar

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from harness.trace import JsonValue

Example = TypeVar("Example")
"""What a campaign makes: a frozen dataclass of its own."""

Subject = TypeVar("Subject")
"""What a campaign holds its examples against, opened: a function, a parser, a target."""

Profile = Literal["ci", "nightly"]
"""How much is tried when nobody says it: a small fixed budget for every push, or a large one."""


class Falsified(AssertionError):
    """An oracle's objection to what the subject has made of an example.

    ``oracle`` is its name in ``Campaign.oracles``; ``expected`` and ``got`` are for a person, each in a line.
    """

    def __init__(self, oracle: str, expected: str, got: str) -> None:
        super().__init__(f"{oracle}: expected {expected}, got {got}")
        self.oracle = oracle
        self.expected = expected
        self.got = got

    def __reduce__(self) -> tuple[type[Falsified], tuple[str, str, str]]:
        return Falsified, (self.oracle, self.expected, self.got)


class Campaign(ABC, Generic[Example, Subject]):
    """One thing that is fuzzed.

    Everything that it makes is determined by what it is asked for: the enumeration by nothing, a shape by Hypothesis's
    choices. So a chunk of a campaign gives the same result wherever it runs.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    """What is fuzzed, in a sentence."""

    signature: ClassVar[str]
    """What ``--target`` takes: the signature of a user's function, or what else can be named."""

    oracles: ClassVar[Mapping[str, str]]
    """By name, what each oracle demands, in a sentence."""

    features: ClassVar[tuple[str, ...]]
    """Names of all that examples can be made of: what the coverage counts."""

    budget: ClassVar[Mapping[Profile, int]]
    """How many examples of Hypothesis's are tried when nobody says it. The enumeration always comes whole."""

    chunk: ClassVar[int]
    """How many examples a chunk has: about a second's work."""

    @abstractmethod
    def open(self, target: str | None) -> Subject:
        """The subject with this name, ours where it is None. Raises ``BadInput`` for one that cannot be had."""

    @abstractmethod
    def enumerated(self) -> Iterator[Example]:
        """The examples that come first, always the same: cuts and sizes of what is known to be hard."""

    @abstractmethod
    def examples(self) -> SearchStrategy[Example]:
        """The examples that Hypothesis makes."""

    @abstractmethod
    def check(self, example: Example, subject: Subject) -> int:
        """Hold the subject against an example. Returns how often it was run; raises ``Falsified`` for a mistake."""

    @abstractmethod
    def features_of(self, example: Example) -> Iterable[str]:
        """Which of ``features`` the example has."""

    @abstractmethod
    def smaller(self, example: Example) -> Iterator[Example]:
        """Simpler examples, the simplest first: how an enumerated one is shrunk."""

    @abstractmethod
    def to_json(self, example: Example) -> Mapping[str, JsonValue]:
        """The example for a file."""

    @abstractmethod
    def from_json(self, document: Mapping[str, JsonValue]) -> Example:
        """The example that ``to_json`` wrote. Raises ``ValueError``, which says what is wrong, for any other."""

    @abstractmethod
    def scenario(self, example: Example, name: str, summary: str) -> Mapping[str, str] | None:
        """The example as a regression scenario: its files, by their names; None where no loop can meet it."""
