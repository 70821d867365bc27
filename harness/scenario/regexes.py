"""Regular expressions of JSON Schemas that anybody may have written: none of them can hang the process.

A pattern is matched in linear time by the engine of jsonschema-rs, in the syntax of ECMA-262 as JSON Schema asks. The
few patterns that this engine cannot do (look-around and back references) are matched by backtracking, within
``MOST_BACKTRACKING`` steps and in texts of ``LONGEST_TEXT`` characters.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

from harness.scenario.steps import TooManySteps, spend
from harness.wire.characters import sendable

LONGEST_PATTERN: Final = 2_000
"""Characters of a pattern."""

LONGEST_TEXT: Final = 10_000
"""Characters of a text that is matched by backtracking."""

MOST_BACKTRACKING: Final = 10_000
"""Steps of one match by backtracking; at the longest text they take 60 ms."""

_LARGEST = 1_000_000
"""Bytes of a compiled pattern: what bounds the time for each character of a text, to 13 µs where it was measured."""

_NOT_LINEAR = re.compile(r"\(\?<?[=!]|\\[1-9k]")
"""Look-around and back references. (Any other pattern that the linear engine refuses is wrong or too large.)"""

_LETTERS_OF_A_STEP = 4
"""Characters that are matched in the time of a step, at the worst."""

_STEPS_OF_BACKTRACKING = 10_000
"""Steps that a match by backtracking counts as, which is what it takes at the worst."""


def readable(pattern: str) -> bool:
    """Whether ``pattern`` is a regular expression that ``matches`` can match."""
    return len(pattern) <= LONGEST_PATTERN and _matcher_of(pattern) is not None


def matches(pattern: str, text: str) -> bool:
    """Whether ``pattern`` is found anywhere in ``text``. Half a surrogate pair counts as U+FFFD.

    Raises ``TooManySteps`` where that takes too long, and ``ValueError`` for a pattern that is not ``readable``.
    """
    found = _matcher_of(pattern) if len(pattern) <= LONGEST_PATTERN else None
    if found is None:
        raise ValueError("expected a regular expression of ECMA-262")
    engine, linear = found
    if linear:
        spend(1 + len(text) // _LETTERS_OF_A_STEP)
        return bool(engine.is_valid(sendable(text)))
    if len(text) > LONGEST_TEXT:
        raise TooManySteps
    spend(_STEPS_OF_BACKTRACKING)
    error = next(engine.iter_errors(sendable(text)), None)
    if error is not None and not isinstance(error.kind, _no_match()):  # given up
        raise TooManySteps
    return error is None


def _no_match() -> Any:
    """The kind of error that says that a pattern is not found; others say that the engine has given up."""
    import jsonschema_rs

    return jsonschema_rs.ValidationErrorKind.Pattern


@lru_cache(maxsize=1024)
def _matcher_of(pattern: str) -> tuple[Any, bool] | None:
    """What matches the pattern, and whether it does so in linear time; None where nothing can."""
    import jsonschema_rs  # takes 30 ms, which nobody should wait for who has no pattern

    linear = jsonschema_rs.RegexOptions(size_limit=_LARGEST, dfa_size_limit=_LARGEST)
    backtracking = jsonschema_rs.FancyRegexOptions(
        backtrack_limit=MOST_BACKTRACKING, size_limit=_LARGEST, dfa_size_limit=_LARGEST
    )
    for options in (linear, backtracking) if _NOT_LINEAR.search(pattern) else (linear,):
        try:
            return jsonschema_rs.validator_for({"pattern": pattern}, pattern_options=options), options is linear
        except (jsonschema_rs.ValidationError, ValueError):  # ValueError: half a surrogate pair
            continue
    return None
