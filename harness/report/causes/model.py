"""The cause: the entry that every report shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Category = Literal["refused", "unsafe", "likely-refused", "wrong", "error", "opinion", "uncertain"]
"""What a cause means for the users of the loop.

``refused``: the provider refuses the request. ``unsafe``: something runs that must not, without a bound, or the model
reads what did not happen. ``likely-refused``: as ``refused``, but not certain (SHOULD). ``wrong``: the user of the loop
gets a wrong event, end or answer. ``error``: the case could not be judged. ``opinion``: style, and INFO.
``uncertain``: found in events of a kind that the loop or its adapter emits wrongly in known-good cases.
"""

CATEGORIES: Final[tuple[Category, ...]] = (
    "refused",
    "unsafe",
    "likely-refused",
    "wrong",
    "error",
    "opinion",
    "uncertain",
)
"""The categories in the order in which reports rank them."""

ERROR: Final = "error"
"""The name that replaces a rule for cases that could not be judged."""


@dataclass(frozen=True, slots=True)
class Consequence:
    """A rule or expectation whose findings follow from a cause, and in how many of its cases they were found."""

    rule: str
    level: str
    cases: int


@dataclass(frozen=True, slots=True)
class Member:
    """A case in which a cause was found: its index in ``cases`` of the results, and indices into its ``findings``.

    ``found`` are the findings that are the cause, the one that shows it best first; ``follows`` those that follow from
    them. A case that could not be judged has neither.
    """

    case: int
    found: tuple[int, ...] = ()
    follows: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Cause:
    """One thing that is wrong with a loop, in all cases that show it.

    ``id`` is the same for the same cause in another run. ``rules`` are the names of all rules that state it, as a
    baseline calls them (``ANT-01``, ``history/results``), those of providers first. ``category`` is that of the worst
    member, and ``worst`` is how many members have it. ``members`` are the cases in the order of the run, and
    the first finding of the member ``shown`` is the one to show. ``scenarios``, ``chunkings`` and ``wires`` are those
    of all cases.
    """

    id: str
    rules: tuple[str, ...]
    level: str
    category: Category
    members: tuple[Member, ...]
    shown: int
    scenarios: tuple[str, ...]
    chunkings: tuple[str, ...]
    wires: tuple[str, ...]
    consequences: tuple[Consequence, ...] = ()
    worst: int = 1

    @property
    def rule(self) -> str:
        """The rule that names the cause."""
        return self.rules[0]

    @property
    def example(self) -> Member:
        """The case to show."""
        return self.members[self.shown]
