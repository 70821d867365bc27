"""A shape: how the secrets of one kind look, and where they stand in a text.

Searching is linear in the text, whatever the text is: a shape looks only where its sign stands (``sk-ant-``, ``@``),
and what it reads from there is bounded or never read twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

Span = tuple[int, int]
"""Start and end of what is secret, in characters of the text."""

_SHORT = 4
"""Up to so many characters, a beginning may stand in random text by chance: it counts at the start of a word only."""


_LONG_WORD: Final = re.compile(r"[A-Za-z0-9_.~+/=$!%-]{14,}")


def long_words(text: str) -> Sequence[re.Match[str]]:
    """The runs of the letters that keys are made of, long enough for one: what most secrets are, and few texts have."""
    return list(_LONG_WORD.finditer(text))


@dataclass(frozen=True, slots=True)
class SecretShape:
    """``kind`` names the placeholder. ``source`` says who published the shape.

    A text without any of ``signs`` (capital letters count) has no such secret; with none, each text may have one.
    ``in_word``: all that finds it, the sign included, is within one of the ``long_words`` of a text.
    """

    kind: str
    source: str
    spans: Callable[[str], Iterable[Span]]
    signs: tuple[str, ...] = ()
    in_word: bool = False


def starting(
    kind: str,
    prefix: str,
    rest: str,
    source: str,
    check: Callable[[str], bool] = lambda _: True,
    *,
    in_word: bool = True,
) -> SecretShape:
    """Secrets with a beginning of their own. ``rest`` is a regular expression for what follows it."""
    beginning = re.escape(prefix)
    # The look behind follows the beginning, so that the search is one for a fixed text.
    word = rf"(?<![A-Za-z0-9_+-]{beginning})" if len(prefix) <= _SHORT else ""
    return matching(kind, (prefix,), beginning + word + rest, source, check, in_word=in_word)


def matching(
    kind: str,
    signs: tuple[str, ...],
    expression: str,
    source: str,
    check: Callable[[str], bool] = lambda _: True,
    *,
    in_word: bool = False,
) -> SecretShape:
    """Secrets that a regular expression finds: its group ``secret``, or the whole match.

    ``check`` has the last word on what was found.
    """
    pattern = re.compile(expression)
    group = "secret" if "secret" in pattern.groupindex else 0

    def spans(text: str) -> Iterable[Span]:
        return [match.span(group) for match in pattern.finditer(text) if check(match[group])]

    return SecretShape(kind, source, spans, signs, in_word)
