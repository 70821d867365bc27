"""A campaign as one value: its examples, the subject that it checks with them, and its oracles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from harness.trace import JsonValue

Example = TypeVar("Example")
"""An example of a campaign: a frozen dataclass of its own."""

Subject = TypeVar("Subject")
"""The subject that a campaign checks, opened: a function, a parser, a target."""

Profile = Literal["ci", "nightly"]
"""How much is tried by default: a small fixed budget for every push, or a large one."""


class Falsified(AssertionError):
    """An oracle's objection to the subject's result for an example.

    ``oracle`` is its name in ``Campaign.oracles``; ``expected`` and ``got`` are for a person, one line each.
    """

    def __init__(self, oracle: str, expected: str, got: str) -> None:
        super().__init__(f"{oracle}: expected {expected}, got {got}")
        self.oracle = oracle
        self.expected = expected
        self.got = got

    def __reduce__(self) -> tuple[type[Falsified], tuple[str, str, str]]:
        return Falsified, (self.oracle, self.expected, self.got)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Campaign(Generic[Example, Subject]):
    """One thing that is fuzzed.

    Its arguments alone determine its examples: the enumeration has none, a drawn example has Hypothesis's choices. So a
    chunk of a campaign has the same result wherever it runs.
    """

    name: str
    summary: str
    """What is fuzzed, in a sentence."""

    signature: str
    """What ``--target`` takes: the signature of a user's function, or other names."""

    oracles: Mapping[str, str]
    """The demand of each oracle, by name, in a sentence."""

    features: tuple[str, ...]
    """The names of all features of examples, which the coverage counts."""

    budget: Mapping[Profile, int]
    """How many of Hypothesis's examples are tried by default. The enumeration is always complete."""

    chunk: int
    """How many examples a chunk has: about a second of work."""

    open: Callable[[str | None], Subject]
    """The subject with this name, ours if it is None. Raises ``BadInput`` if it cannot be found or started."""

    enumerated: Callable[[], Iterator[Example]]
    """The examples that come first, always the same: cuts and sizes of known hard cases."""

    examples: Callable[[], SearchStrategy[Example]]
    """The examples that Hypothesis makes."""

    check: Callable[[Example, Subject], int]
    """Check the subject with an example. Returns how often it was run; raises ``Falsified`` for a mistake."""

    features_of: Callable[[Example], Iterable[str]]
    """The members of ``features`` that the example has."""

    smaller: Callable[[Example], Iterator[Example]]
    """Simpler examples, the simplest first, for shrinking an enumerated one."""

    to_json: Callable[[Example], Mapping[str, JsonValue]]
    """The example for a file."""

    from_json: Callable[[Mapping[str, JsonValue]], Example]
    """The example that ``to_json`` wrote. Raises ``ValueError`` with the mistake for any other document."""

    scenario: Callable[[Example, str, str], Mapping[str, str] | None]
    """The example as a regression scenario with a name and a summary: its files by their names; None if no loop can
    meet it."""
