"""A shape: how the secrets of one kind look, and where they stand in a text.

Searching is linear in the text, whatever the text is: a shape looks only where its sign stands (``sk-ant-``, ``@``),
and what it reads from there is bounded or never read twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

__all__ = ["SecretShape", "Span", "matching", "starting"]

Span = tuple[int, int]
"""Start and end of what is secret, in characters of the text."""

_SHORT = 4
"""Up to so many characters, a beginning may stand in random text by chance: it counts at the start of a word only."""


@dataclass(frozen=True, slots=True)
class SecretShape:
    """``kind`` names the placeholder. ``source`` says who published the shape.

    A text without any of ``signs`` (capital letters count) has no such secret; with none, each text may have one.
    """

    kind: str
    source: str
    spans: Callable[[str], Iterable[Span]]
    signs: tuple[str, ...] = ()


def starting(
    kind: str, prefix: str, rest: str, source: str, check: Callable[[str], bool] = lambda _: True
) -> SecretShape:
    """Secrets with a beginning of their own. ``rest`` is a regular expression for what follows it."""
    beginning = re.escape(prefix)
    # The look behind follows the beginning, so that the search is one for a fixed text.
    word = rf"(?<![A-Za-z0-9_+-]{beginning})" if len(prefix) <= _SHORT else ""
    return matching(kind, (prefix,), beginning + word + rest, source, check)


def matching(
    kind: str, signs: tuple[str, ...], expression: str, source: str, check: Callable[[str], bool] = lambda _: True
) -> SecretShape:
    """Secrets that a regular expression finds: its group ``secret``, or the whole match.

    ``check`` has the last word on what was found.
    """
    pattern = re.compile(expression)
    group = "secret" if "secret" in pattern.groupindex else 0

    def spans(text: str) -> Iterable[Span]:
        return [match.span(group) for match in pattern.finditer(text) if check(match[group])]

    return SecretShape(kind, source, spans, signs)
