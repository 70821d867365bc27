"""``-k EXPR`` selects cases by words in their ids, joined with ``and``, ``or``, ``not`` and ( )."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache

from harness.errors import BadInput
from harness.runner.sources import RECORDED
from harness.wire import wires
from harness.wire.channels import TRANSPORTS
from harness.wire.chunking import CHUNKINGS

Predicate = Callable[[str], bool]

_Known = bool | None
"""Whether something is in an id; None: not known, because only the beginning of the id is."""

_Condition = Callable[[Callable[[str], _Known]], _Known]
"""An expression, of what is known of each word."""

_TOKEN = re.compile(r"\s*(?:([()])|([^\s()]+))")
_SEPARATOR = re.compile(r"[.+]")


def selector(expression: str) -> Predicate:
    """A predicate for case ids. Raises ``BadInput`` for an expression that cannot be parsed."""
    condition = _condition(expression)
    return lambda case: condition(lambda word: word in case.lower()) is True


class NeededScenarios:
    """Whether a scenario may have cases that are selected, by its name: of ``-k``, and of the ids in ``cases`` if there
    are any. Whether it has left one out is ``narrowed``. Raises ``BadInput`` as ``selector``."""

    def __init__(self, expression: str, cases: Sequence[str] = ()) -> None:
        self._condition = _condition(expression)
        self._cases = cases
        self.narrowed = False

    def __call__(self, name: str) -> bool:
        is_needed = self._condition(lambda word: _is_in_ids_of(name.lower(), word)) is not False
        is_needed = is_needed and (not self._cases or any(case.startswith(f"{name}.") for case in self._cases))
        self.narrowed = self.narrowed or not is_needed
        return is_needed


def _is_in_ids_of(scenario: str, word: str) -> _Known:
    """Whether a word is in the ids of a scenario's cases."""
    if word in scenario:
        return True
    first = _SEPARATOR.split(word)[0]
    if first == word:
        return None if any(word in part for part in _behind_the_name()) else False
    return None if any(part.endswith(first) for part in (scenario, *_behind_the_name())) else False


@cache
def _behind_the_name() -> frozenset[str]:
    """What may stand in an id behind the name of its scenario."""
    return frozenset([*_words_of_wires(), *CHUNKINGS, RECORDED, *TRANSPORTS])


def _words_of_wires() -> Iterator[str]:
    for each in wires():
        yield from (each.name, *each.dialects)


def _condition(expression: str) -> _Condition:
    tokens = [parenthesis or word for parenthesis, word in _TOKEN.findall(expression)]
    if not tokens:
        return lambda _: True
    return _Parser(expression, tokens).parse()


def union(expressions: Sequence[str]) -> str:
    """One expression for the cases that match any of them. Raises ``BadInput`` for one that cannot be parsed."""
    for each in expressions:
        selector(each)
    nonempty = [each for each in expressions if each.strip()]
    return nonempty[0] if len(nonempty) == 1 else " or ".join(f"({each})" for each in nonempty)


class _Parser:
    """expression = term ("or" term)*; term = factor ("and" factor)*; factor = "not" factor | "(" ... ")" | word."""

    def __init__(self, expression: str, tokens: list[str]) -> None:
        self._expression = expression
        self._tokens = tokens
        self._at = 0

    def parse(self) -> _Condition:
        condition = self._either()
        if self._at < len(self._tokens):
            raise self._error(f"'{self._tokens[self._at]}' is left over")
        return condition

    def _either(self) -> _Condition:
        choices = [self._both()]
        while self._take("or"):
            choices.append(self._both())
        return lambda known: _any(choice(known) for choice in choices)

    def _both(self) -> _Condition:
        needs = [self._one()]
        while self._take("and"):
            needs.append(self._one())
        return lambda known: _not(_any(_not(need(known)) for need in needs))

    def _one(self) -> _Condition:
        if self._take("not"):
            inner = self._one()
            return lambda known: _not(inner(known))
        if self._take("("):
            inner = self._either()
            if not self._take(")"):
                raise self._error("a ')' is missing")
            return inner
        word = self._tokens[self._at] if self._at < len(self._tokens) else None
        if word is None or word in ("and", "or", ")"):
            raise self._error(f"expected a word, found {word or 'the end'!r}")
        self._at += 1
        return lambda known: known(word.lower())

    def _take(self, token: str) -> bool:
        if self._at < len(self._tokens) and self._tokens[self._at] == token:
            self._at += 1
            return True
        return False

    def _error(self, why: str) -> BadInput:
        return BadInput(f"-k {self._expression!r}: {why}; write words joined with and, or, not and parentheses")


def _any(choices: Iterable[_Known]) -> _Known:
    found: _Known = False
    for each in choices:
        if each:
            return True
        found = None if each is None else found
    return found


def _not(known: _Known) -> _Known:
    return None if known is None else not known
