"""``-k EXPR`` selects cases by words in their ids, joined with ``and``, ``or``, ``not`` and ( )."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from harness.errors import BadInput

Predicate = Callable[[str], bool]

_TOKEN = re.compile(r"\s*(?:([()])|([^\s()]+))")


def selector(expression: str) -> Predicate:
    """A predicate for case ids. Raises ``BadInput`` for an expression that cannot be parsed."""
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

    def parse(self) -> Predicate:
        predicate = self._either()
        if self._at < len(self._tokens):
            raise self._error(f"'{self._tokens[self._at]}' is left over")
        return predicate

    def _either(self) -> Predicate:
        choices = [self._both()]
        while self._take("or"):
            choices.append(self._both())
        return lambda case: any(choice(case) for choice in choices)

    def _both(self) -> Predicate:
        needs = [self._one()]
        while self._take("and"):
            needs.append(self._one())
        return lambda case: all(need(case) for need in needs)

    def _one(self) -> Predicate:
        if self._take("not"):
            inner = self._one()
            return lambda case: not inner(case)
        if self._take("("):
            inner = self._either()
            if not self._take(")"):
                raise self._error("a ')' is missing")
            return inner
        word = self._tokens[self._at] if self._at < len(self._tokens) else None
        if word is None or word in ("and", "or", ")"):
            raise self._error(f"expected a word, found {word or 'the end'!r}")
        self._at += 1
        return lambda case: word.lower() in case.lower()

    def _take(self, token: str) -> bool:
        if self._at < len(self._tokens) and self._tokens[self._at] == token:
            self._at += 1
            return True
        return False

    def _error(self, why: str) -> BadInput:
        return BadInput(f"-k {self._expression!r}: {why}; write words joined with and, or, not and parentheses")
