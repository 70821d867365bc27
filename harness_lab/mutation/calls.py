"""Mutants of calls: of their arguments, and of whether they are made at all."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from harness_lab.mutation.source import NOT_SEEN, is_for_people

_OPPOSITES = {
    "any": "all",
    "all": "any",
    "min": "max",
    "max": "min",
    "startswith": "endswith",
    "endswith": "startswith",
}
_PASSING = frozenset({"sorted", "reversed", "set", "frozenset", "abs", "deepcopy", "replace"})
"""Functions whose result may be mistaken for their first argument."""

_CLEANING = frozenset(
    {"strip", "lstrip", "rstrip", "lower", "upper", "casefold", "copy", "removeprefix", "removesuffix"}
)
_SIMPLE = (ast.Name, ast.Attribute, ast.Constant, ast.Subscript)
_ASKING = frozenset({"isinstance", "issubclass", "getattr", "hasattr", "cast", "zip"})
_IN_ANY_ORDER = frozenset({"min", "max", "lighter", "difference", "multiply"})
"""Functions whose result does not depend on the order of their arguments; the last three are Pillow's, of pictures."""


def of_call(node: ast.Call) -> Iterator[tuple[str, str]]:
    """A keyword left out, two arguments exchanged, the opposite function, the argument instead of the result."""
    name = _name(node.func)
    for at, keyword in enumerate(node.keywords):
        if keyword.arg is not None and keyword.arg not in NOT_SEEN and name != "zip":
            rest = [*node.keywords[:at], *node.keywords[at + 1 :]]
            yield "drop-keyword", ast.unparse(ast.Call(node.func, node.args, rest))
    if name not in _ASKING | _IN_ANY_ORDER:
        yield from _exchanged(node)
    if name in _OPPOSITES:
        yield "opposite", ast.unparse(ast.Call(_named(node.func, _OPPOSITES[name]), node.args, node.keywords))
    if name in _PASSING and isinstance(node.func, ast.Name) and node.args and not isinstance(node.args[0], ast.Set):
        yield "drop-call", ast.unparse(node.args[0]).join("()")
    if name in _CLEANING and isinstance(node.func, ast.Attribute):
        yield "drop-call", ast.unparse(node.func.value)


def _exchanged(node: ast.Call) -> Iterator[tuple[str, str]]:
    for at, (one, other) in enumerate(pairwise(node.args)):
        simple = isinstance(one, _SIMPLE) and isinstance(other, _SIMPLE)
        if is_for_people(one) and is_for_people(other):
            continue
        if simple and ast.dump(one) != ast.dump(other):
            args = [*node.args[:at], other, one, *node.args[at + 2 :]]
            yield "exchange", ast.unparse(ast.Call(node.func, args, node.keywords))


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Name):
        return function.id
    return function.attr if isinstance(function, ast.Attribute) else ""


def _named(function: ast.expr, name: str) -> ast.expr:
    if isinstance(function, ast.Attribute):
        return ast.Attribute(function.value, name, ast.Load())
    return ast.Name(name, ast.Load())
