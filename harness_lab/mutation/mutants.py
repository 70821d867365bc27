"""The mutants of modules, and a sample of them that changes little when the source does."""

from __future__ import annotations

import ast
import difflib
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice
from pathlib import Path

from harness_lab.mutation.operators import Change, changes
from harness_lab.mutation.source import SourceModule


@dataclass(frozen=True, slots=True, order=True)
class MutantKey:
    """Identifies a mutant as long as its line is unchanged, wherever in its function the line is.

    ``line`` is the first line of what is changed, without spaces around it; ``change`` is the new text, in one line;
    ``nth`` counts the mutants for which all the others are the same, from 1.
    """

    path: str
    qualname: str
    operator: str
    line: str
    change: str
    nth: int = 1

    @property
    def id(self) -> str:
        """A short name for commands."""
        words = "\n".join((self.path, self.qualname, self.operator, self.line, self.change, str(self.nth)))
        return sha256(words.encode()).hexdigest()[:10]


@dataclass(frozen=True, slots=True)
class SourceMutant:
    """A module with one mistake. ``ran_with`` is the first and last line of the statement around it."""

    key: MutantKey
    module: SourceModule
    change: Change
    ran_with: tuple[int, int]

    @property
    def lineno(self) -> int:
        """The line at which the changed text begins."""
        return self.change.node.lineno

    @property
    def runs_when_called(self) -> bool:
        """Whether the mistake is in the body of a function, and so has no effect when the module is imported."""
        return self.module.is_in_body(self.change.node)

    @property
    def is_private(self) -> bool:
        """Whether the mistake is in a name that other modules do not use."""
        return self.module.is_private(self.change.node)

    @property
    def place(self) -> str:
        """Its file and line."""
        return f"{self.key.path}:{self.lineno}"

    @property
    def source(self) -> str:
        """The whole module with the mistake."""
        start, end = self.module.span(self.change.node)
        return (self.module.raw[:start] + self.change.new.encode() + self.module.raw[end:]).decode()

    @property
    def is_one(self) -> bool:
        """Whether it is valid Python, and another program than the module."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # such as "is" with a literal
                compile(self.source, self.key.path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return False
        return ast.dump(ast.parse(self.source)) != ast.dump(self.module.tree)

    @property
    def diff(self) -> Sequence[str]:
        """The lines that differ, with ``-`` and ``+``."""
        lines = difflib.unified_diff(self.module.lines, self.source.split("\n"), n=0, lineterm="")
        return [line for line in lines if line[:1] in "-+" and line[:3] not in ("---", "+++")]


def mutants_of(root: Path, paths: Iterable[str]) -> Iterator[SourceMutant]:
    """Every mutant of the modules at ``paths``, which are relative to ``root``, in the order of the source.

    A few of them are no real mutants (``is_one``); to check that for all takes a minute.
    """
    for path in paths:
        yield from _of_module(SourceModule(root, path))


def sample(mutants: Sequence[SourceMutant], size: int, seed: int) -> list[SourceMutant]:
    """At most ``size`` of the mutants, in their order. A hash of seed and key chooses. A mutant that is new in the
    source enters or not, and replaces at most one other."""

    ranked = (mutant for mutant in in_order_of_lot(mutants, seed) if mutant.is_one)
    chosen = {mutant.key for mutant in islice(ranked, size)}
    return [mutant for mutant in mutants if mutant.key in chosen]


def in_order_of_lot(mutants: Sequence[SourceMutant], seed: int) -> list[SourceMutant]:
    """The mutants in the order in which ``sample`` takes them: the first of a sample are a smaller sample."""

    def rank(mutant: SourceMutant) -> str:
        return sha256(f"{seed} {mutant.key.id}".encode()).hexdigest()

    return sorted(mutants, key=rank)


def _of_module(module: SourceModule) -> Iterator[SourceMutant]:
    count: Counter[MutantKey] = Counter()
    for change in changes(module):
        line = module.lines[change.node.lineno - 1].strip()
        new = " ".join(change.new.split())
        first = MutantKey(module.path, module.qualname(change.node), change.operator, line, new)
        count[first] += 1
        yield SourceMutant(replace(first, nth=count[first]), module, change, module.ran_with(change.node))
