"""A mutant without a process of its own: functions of this process temporarily get another body.

A fork for each mutant imports whatever imports the mutant's module, which takes a second or two. To replace a
function's code by the mutant's takes milliseconds. It can do less: what is computed while a module is imported stays as
it was.
"""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from types import CodeType, FunctionType

from harness_lab.mutation.mutants import SourceMutant

_CACHED = type(lru_cache(lambda: None))
_FUNCTION = 0x3
"""The flags of the code of a function, which has fast places for its locals; that of a class has none."""

Swap = Sequence[tuple[FunctionType, CodeType]]
"""Functions, each with the code that it gets."""


class Swapping:
    """The functions and caches that there are when this is made, of modules below ``root``."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._functions: defaultdict[tuple[object, ...], list[FunctionType]] = defaultdict(list)
        gc.unfreeze()  # what a run has set aside is not listed
        for each in gc.get_objects():
            if type(each) is FunctionType and each.__code__.co_filename.startswith(f"{root}/"):
                self._functions[_known_by(each.__code__)].append(each)
        self._caches = [each for each in gc.get_objects() if type(each) is _CACHED]

    def of(self, mutant: SourceMutant) -> Swap | None:
        """The swap that turns this process into the mutant; None if that needs more than new bodies of existing
        functions."""
        if not mutant.runs_when_called:
            return None
        path = str(self._root / mutant.key.path)
        before = compile(mutant.module.raw, path, "exec", dont_inherit=True)
        after = compile(mutant.source, path, "exec", dont_inherit=True)
        swap = [
            (function, new)
            for old, new in _changed(before, after)
            for function in self._functions.get(_known_by(old), ())
            if len(old.co_freevars) == len(new.co_freevars)
        ]
        return swap or None

    @contextmanager
    def swapped(self, swap: Swap) -> Iterator[None]:
        """In this block the functions have their other code. Caches of functions are emptied before and after it."""
        before = [(function, function.__code__) for function, _ in swap]
        self.forget()
        try:
            for function, new in swap:
                function.__code__ = new
            yield
        finally:
            for function, old in before:
                function.__code__ = old
            self.forget()

    def forget(self) -> None:
        """Empty all caches of functions."""
        for each in self._caches:
            each.cache_clear()


def _known_by(code: CodeType) -> tuple[object, ...]:
    return code.co_filename, code.co_name, code.co_firstlineno, code.co_code


def _changed(before: CodeType, after: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """The functions in a module, and functions inside them, whose code differs, each with its other code."""
    inner, other = _inner(before), _inner(after)
    if len(inner) != len(other):
        return  # a function more or less: the others have other places
    for old, new in zip(inner, other, strict=True):
        if _text(old) != _text(new):
            if old.co_flags & _FUNCTION == _FUNCTION:
                yield old, new
            yield from _changed(old, new)


def _inner(code: CodeType) -> list[CodeType]:
    return [each for each in code.co_consts if isinstance(each, CodeType)]


def _text(code: CodeType) -> tuple[object, ...]:
    """All of a code object except its line numbers, which move when a statement becomes shorter."""
    constants = [_text(each) if isinstance(each, CodeType) else repr(each) for each in code.co_consts]
    return code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, constants
