"""One thing that was judged, and what was found in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from zlib import crc32

NOTHING = "it changes nothing"
"""Why a mutant proves nothing: there is nothing for it to break."""


@dataclass(frozen=True, slots=True)
class Found:
    """A rule that found something, and its text. ``at`` is a place in a request's body, or a line of a trace."""

    rule: str
    level: str
    at: str
    expected: str
    got: str

    def __str__(self) -> str:
        rule = f"{self.rule} {self.level}".strip()
        return f"{rule} at {self.at or 'the request'}: expected {self.expected}; got {self.got}"


@dataclass(frozen=True, slots=True)
class MutantRun:
    """A mutant, or something clean, on one base request or case.

    One of the rules in ``named`` must find it; clean input names none. The rules in ``also`` may find it, too (None:
    any rule). A word that ends in a slash means a family. ``unsound`` is why the run proves nothing: the mutant changes
    nothing, or what it breaks is broken already. ``crash`` is a traceback. ``unclear`` are findings that lack evidence,
    ``unstated`` findings that differ from the stated ones, a line each. ``words`` are the findings in a trace, as they
    are stated.
    """

    name: str
    on: str
    named: tuple[str, ...] = ()
    also: tuple[str, ...] | None = None
    found: tuple[Found, ...] = ()
    unsound: str = ""
    crash: str = ""
    summary: str = ""
    unclear: tuple[str, ...] = ()
    unstated: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    @property
    def killers(self) -> frozenset[str]:
        """The rules that are named and have found it."""
        return frozenset(found.rule for found in self.found if names(self.named, found.rule))

    @property
    def survived(self) -> bool:
        """Whether it should have been found, and no named rule has found it."""
        return bool(self.named) and not self.killers

    @property
    def unnamed(self) -> tuple[Found, ...]:
        """Findings of rules that should not see it."""
        if not self.named:
            return self.found
        if self.also is None:
            return ()
        return tuple(found for found in self.found if not names((*self.named, *self.also), found.rule))


def names(words: tuple[str, ...], rule: str) -> bool:
    """Whether one of the words is the rule, or its family (``history/``)."""
    return any(word == rule or (word.endswith("/") and rule.startswith(word)) for word in words)


_Pair = TypeVar("_Pair", bound=tuple[Any, ...])


def drawn(pairs: Sequence[_Pair], most: int) -> list[_Pair]:
    """Return at most ``most`` of the pairs. Each pair begins with its run.

    A hash of the names decides which, so that a new mutant changes the choice little.
    """
    return sorted(pairs, key=lambda pair: crc32(f"{pair[0].name} {pair[0].on}".encode()))[:most]


@dataclass(frozen=True, slots=True)
class Family:
    """Everything that is judged by the same rules: the requests of a wire, traces, or loops.

    Each of ``rules`` must find a mutant of this family. Each of ``permitted``, rules about what is accepted, must have
    an equivalent mutant that no rule finds. ``accepted`` contains these rules with the runs that prove them. ``pairs``
    are two mutants at once.
    """

    name: str
    rules: tuple[str, ...]
    mutants: tuple[MutantRun, ...]
    clean: tuple[MutantRun, ...]
    pairs: tuple[MutantRun, ...] = ()
    permitted: tuple[str, ...] = ()
    accepted: tuple[tuple[str, MutantRun], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The mutants, each once, in their order."""
        return tuple(dict.fromkeys(run.name for run in self.mutants))

    @property
    def kills(self) -> dict[str, tuple[str, ...]]:
        """For each rule, the mutants that it finds, whether they name it or not."""
        found = {(found.rule, run.name): None for run in self.mutants for found in run.found}
        rules = [*self.rules, *sorted({rule for rule, _ in found} - set(self.rules))]
        return {rule: tuple(name for name in self.names if (rule, name) in found) for rule in rules}

    @property
    def killed(self) -> frozenset[str]:
        """The rules that found a mutant that names them."""
        return frozenset(rule for run in self.mutants for rule in run.killers)

    @property
    def survivors(self) -> tuple[str, ...]:
        """The mutants that none of their named rules finds somewhere, or that could not be judged."""
        return tuple(dict.fromkeys(run.name for run in self.mutants if run.survived))

    @property
    def findings(self) -> int:
        """The number of findings in clean input."""
        return sum(len(run.found) for run in self.clean)

    @property
    def empty(self) -> bool:
        """Whether nothing of the family was wanted."""
        return not (self.rules or self.permitted or self.mutants or self.clean)
