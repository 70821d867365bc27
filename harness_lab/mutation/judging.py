"""The common parts of judges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

Fault = tuple[Literal["finding", "error"], str]
"""What a judge has against a mutant: a finding, or a crash; and which."""

Done = Callable[[str, Fault | None], None]
"""Called with each item when it is done, and with its fault; an exception from it ends the judgement."""


class MutationJudge(Protocol):
    """Judges the harness by items: cases that are run, or parts of the selftest."""

    @property
    def command(self) -> str:
        """What a user would type."""

    def preload(self) -> None:
        """Import and read what no mutant can change, in the process that all judgements are forks of."""

    def items(self) -> Sequence[str]:
        """All items, in an order in which a few at the beginning find most."""
        ...

    def chosen(self, items: Sequence[str], module: str) -> Sequence[str]:
        """Of the items that can see a mutant of a module, those to run, in the best order."""
        ...

    def about(self, module: str) -> Sequence[str]:
        """The items that are about a module, by its name alone; all items if the name does not show it."""
        ...

    def run(self, items: Sequence[str], done: Done) -> None:
        """Judge these items one after another. A ``KeyboardInterrupt`` that ``done`` raises ends it, and is raised
        again."""


@dataclass(frozen=True, slots=True)
class Some:
    """A judge with only its first ``most`` items, for when all of them take too long."""

    judge: MutationJudge
    most: int

    @property
    def command(self) -> str:
        """What a user would type."""
        return self.judge.command

    def preload(self) -> None:
        """As the judge does."""
        self.judge.preload()

    def items(self) -> Sequence[str]:
        """The first of the judge's items."""
        return self.judge.items()[: self.most]

    def chosen(self, items: Sequence[str], module: str) -> Sequence[str]:
        """As the judge does."""
        return self.judge.chosen(items, module)

    def about(self, module: str) -> Sequence[str]:
        """As the judge does, of the first ones."""
        return [item for item in self.judge.about(module) if item in self.items()]

    def run(self, items: Sequence[str], done: Done) -> None:
        """As the judge does."""
        self.judge.run(items, done)
