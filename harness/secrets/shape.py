"""A shape: how the secrets of one kind look, and what surrounds them in a text.

The search is linear in the text, whatever the text is: a shape looks only at its signs (``sk-ant-``, ``@``), and what
it reads from there is bounded or never read twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

Span = tuple[int, int]
"""Start and end of what is secret, in characters of the text."""

_SHORT = 4
"""A beginning of up to so many characters may occur in random text by chance: it counts only at the start of a word."""


_LONG_WORD: Final = re.compile(r"[A-Za-z0-9_.~+/=$!%-]{14,}")


def long_words(text: str) -> Sequence[re.Match[str]]:
    """The runs of characters that keys are made of, long enough for a key. Most secrets are one, and few texts have
    any."""
    return list(_LONG_WORD.finditer(text))


@dataclass(frozen=True, slots=True)
class SecretShape:
    """``kind`` names the placeholder. ``source`` names the publisher of the shape.

    A text without any of ``signs`` (capital letters count) has no such secret; without ``signs``, each text may have
    one. ``in_word``: the whole match, the sign included, is within one of the ``long_words`` of a text.
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

    ``check`` must accept each match.
    """
    pattern = re.compile(expression)
    group = "secret" if "secret" in pattern.groupindex else 0

    def spans(text: str) -> Iterable[Span]:
        return [match.span(group) for match in pattern.finditer(text) if check(match[group])]

    return SecretShape(kind, source, spans, signs, in_word)
