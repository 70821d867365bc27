"""The one user message that answers the calls of a turn: written, and read back.

    Tool results:

    [read_file] first result

    [search] second result

Only the names and the order show where a result ends, so a reader must know which calls the message answers. A result
whose text looks like the beginning of another is ambiguous for every reader, even for the model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from harness.wire.characters import sendable

HEADER = "Tool results:"
"""The beginning of the message."""

_FIRST = re.compile(r"\n\n\[([^\n]*?)\](?: |\Z)")


def results_message(results: Iterable[tuple[str, str]]) -> str:
    """The message: (name, text) pairs in call order."""
    return sendable("\n\n".join([HEADER, *(f"[{name}] {text}" for name, text in results)]))


@dataclass(frozen=True, slots=True)
class Entries:
    """The results in a message: (name, text) pairs.

    ``surplus`` counts texts that look like further results of these calls but were read as text: they may be added
    results, or the text of a result.
    """

    results: tuple[tuple[str, str], ...]
    surplus: int = 0


def read_results(text: str, names: Sequence[str]) -> Entries | None:
    """The results in ``text``, which follows calls of ``names``; None if it is no message of results.

    If the calls find their results in order, these are the results. Otherwise every paragraph that begins with one of
    the names is a result, and the first paragraph is one with any name.
    """
    body = text.removeprefix(HEADER)
    if body == text or not (not body or body.startswith("\n\n[")):
        return None
    heads = _heads(body, names)
    in_order = _in_order(heads, names)
    chosen = heads if in_order is None else in_order
    ends = [*(head.start() for head in chosen[1:]), len(body)]
    results = tuple((head[1], body[head.end() : end]) for head, end in zip(chosen, ends, strict=False))
    return Entries(results, len(heads) - len(chosen))


def _heads(body: str, names: Sequence[str]) -> list[re.Match[str]]:
    """The places where results may begin."""
    longest_first = sorted(set(names), key=len, reverse=True)
    known = re.compile(rf"\n\n\[({'|'.join(map(re.escape, longest_first))})\](?: |\Z)")
    heads = list(known.finditer(body)) if names else []
    if body and (not heads or heads[0].start() > 0):
        heads = [first for first in [_FIRST.match(body)] if first] + heads
    return heads


def _in_order(heads: Sequence[re.Match[str]], names: Sequence[str]) -> list[re.Match[str]] | None:
    """For each name, the first head after the one before; None if one is missing or another name leads."""
    found: list[re.Match[str]] = []
    left = iter(heads)
    for name in names:
        head = next((head for head in left if head[1] == name), None)
        if head is None:
            return None
        found.append(head)
    return found if not found or found[0] is heads[0] else None
