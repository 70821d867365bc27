"""The driver that judges a request on every wire: the checks of its rules, in the order in which the provider looks.

A module of a wire's ``rules`` package declares each rule as a ``WireRule``, directly above the function that finds
where it is broken. The decorator ``Rulebook.check`` registers both, so nothing else lists them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Generic, TypeVar, overload

from harness.finding import Finding
from harness.wire.rule import WireRule

View = TypeVar("View")
"""A request as the checks of one wire look at it."""

Check = Callable[[View], Iterable[Finding]]


Part = TypeVar("Part")
"""Some of a history, as the checks of one wire look at it."""

Value = TypeVar("Value")


@dataclass(frozen=True, eq=False)
class Carried(Generic[Part, Value]):
    """What a check must know of the messages that were judged with earlier requests.

    The value is ``start`` before the first message, and ``add(value, part)`` behind a part of the history.
    """

    start: Value
    add: Callable[[Value, Part], Value]


@dataclass(frozen=True, slots=True)
class _Registered(Generic[View]):
    find: Check[View]
    place: tuple[int, str, int]
    kinds: frozenset[str]


class Rulebook(Generic[View]):
    """The rules of one wire with their checks.

    ``package`` has the modules that register them. ``stages`` are the steps in which the provider looks at a request,
    in order. The checks of one stage come in the order of their modules' names, and within a module in the order of the
    file. A wire that judges parts of a request by themselves has a book for each part.
    """

    def __init__(self, package: str, *stages: str) -> None:
        self._package = package
        self._stages = stages
        self._checks: list[_Registered[View]] = []
        self._rules: dict[str, WireRule] = {}
        self._carried: list[Carried[Any, Any]] = []
        self._is_loaded = False

    def check(
        self, stage: str, *rules: WireRule, only_with: Collection[str] = ()
    ) -> Callable[[Check[View]], Check[View]]:
        """Register a check of ``rules``. It finds nothing in a request without one of the kinds of ``only_with``.

        Raises ``ValueError`` for an unknown stage, and as ``declare``.
        """
        if stage not in self._stages:
            raise ValueError(f"{stage!r} is no stage of {self._package}; expected one of {', '.join(self._stages)}")

        def register(find: Check[View]) -> Check[View]:
            self.declare(*rules)
            code: Any = find
            place = (self._stages.index(stage), find.__module__, code.__code__.co_firstlineno)
            self._checks.append(_Registered(find, place, frozenset(only_with)))
            return find

        return register

    def declare(self, *rules: WireRule) -> None:
        """Register rules without a check here: the reader of requests reports them, or they permit something.

        Raises ``ValueError`` for an id that another rule has.
        """
        for rule in rules:
            if self._rules.setdefault(rule.id, rule) is not rule:
                raise ValueError(f"{rule.id} is the id of two rules of {self._package}: give one another id")

    def carry(self, start: Value) -> Callable[[Callable[[Value, Part], Value]], Carried[Part, Value]]:
        """Declare a value that a check needs, where only the new part of a history is judged."""

        def register(add: Callable[[Value, Part], Value]) -> Carried[Part, Value]:
            carried = Carried(start, add)
            self._carried.append(carried)
            return carried

        return register

    @cached_property
    def carried(self) -> Sequence[Carried[Any, Any]]:
        """Every value that a check has declared."""
        self._load()
        return self._carried

    @cached_property
    def declared(self) -> Sequence[WireRule]:
        """Every rule, in the order in which the modules were loaded."""
        self._load()
        return tuple(self._rules.values())

    @property
    def checks(self) -> tuple[Check[View], ...]:
        """Every check, in the order in which the provider looks."""
        return self._chosen((), None)

    def judge(self, view: View, *stages: str, kinds: frozenset[str] | None = None) -> list[Finding]:
        """Every rule that ``view`` breaks, in the order in which the provider complains.

        ``stages``: only these (none: all). ``kinds``: the kinds of parts in the request; checks of other kinds are left
        out. None leaves no check out.
        """
        return [finding for find in self._chosen(stages, kinds) for finding in find(view)]

    @lru_cache(maxsize=256)  # noqa: B019 - a book lives as long as the process
    def _chosen(self, stages: Sequence[str], kinds: frozenset[str] | None) -> tuple[Check[View], ...]:
        wanted = {self._stages.index(stage) for stage in stages or self._stages}
        return tuple(
            each.find
            for each in self._in_order
            if each.place[0] in wanted and not (kinds is not None and each.kinds and kinds.isdisjoint(each.kinds))
        )

    @cached_property
    def _in_order(self) -> Sequence[_Registered[View]]:
        self._load()
        return sorted(self._checks, key=lambda each: each.place)

    def _load(self) -> None:
        """Import the modules, once: a test of pytest plugins forgets what it has imported, and would register again."""
        if not self._is_loaded:
            for name in _modules(self._package):
                import_module(name)
            self._is_loaded = True


class DeclaredRules(Sequence[WireRule]):
    """The rules of a wire's books (``Wire.rules``): first those with a number, then those with a name.

    The modules that declare them are imported when a rule is first used, because most commands use those of one wire.
    """

    def __init__(self, *books: Rulebook[Any]) -> None:
        self._books = books

    @cached_property
    def _all(self) -> tuple[WireRule, ...]:
        every = {rule.id: rule for book in self._books for rule in book.declared}  # two books may have one rule
        return tuple(sorted(every.values(), key=_by_number))

    @overload
    def __getitem__(self, place: int) -> WireRule: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[WireRule]: ...
    def __getitem__(self, place: int | slice) -> WireRule | Sequence[WireRule]:
        return self._all[place]

    def __len__(self) -> int:
        return len(self._all)


def _modules(package: str) -> Iterator[str]:
    """The modules of a package, by their names."""
    for each in iter_modules(import_module(package).__path__, f"{package}."):
        yield each.name


def _by_number(rule: WireRule) -> tuple[bool, int, str]:
    number = re.search(r"-(\d+)", rule.id)
    return number is None, int(number[1]) if number else 0, rule.id
