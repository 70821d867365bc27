"""The one user message that answers the calls of a turn: written, and read back.

    Tool results:

    [read_file] first result

    [search] second result

Nothing but the names and the order says where a result ends, so it can be read only by somebody who knows which
calls it answers; a result whose text looks like the beginning of another is ambiguous for every reader, for the model
too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from harness.wire.characters import sendable

HEADER = "Tool results:"
"""What the message begins with."""

_FIRST = re.compile(r"\n\n\[([^\n]*?)\](?: |\Z)")


def results_message(results: Iterable[tuple[str, str]]) -> str:
    """The message: (name, text) pairs in call order."""
    return sendable("\n\n".join([HEADER, *(f"[{name}] {text}" for name, text in results)]))


@dataclass(frozen=True, slots=True)
class Entries:
    """The results that a message holds: (name, text) pairs.

    ``surplus`` counts what looks like further results of these calls and was read as text: whether they were added
    or a result says so cannot be known.
    """

    results: tuple[tuple[str, str], ...]
    surplus: int = 0


def read_results(text: str, names: Sequence[str]) -> Entries | None:
    """The results in ``text``, which follows calls of ``names``; None where it is no message of results.

    If the calls find their results in order these are the results. Otherwise every paragraph that begins with one of
    the names is one, and the first paragraph under whatever name.
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
    """Where results may begin."""
    longest_first = sorted(set(names), key=len, reverse=True)
    known = re.compile(rf"\n\n\[({'|'.join(map(re.escape, longest_first))})\](?: |\Z)")
    heads = list(known.finditer(body)) if names else []
    if body and (not heads or heads[0].start() > 0):
        heads = [first for first in [_FIRST.match(body)] if first] + heads
    return heads


def _in_order(heads: Sequence[re.Match[str]], names: Sequence[str]) -> list[re.Match[str]] | None:
    """The first head for each name behind that of the name before; None where one is missing or another leads."""
    found: list[re.Match[str]] = []
    left = iter(heads)
    for name in names:
        head = next((head for head in left if head[1] == name), None)
        if head is None:
            return None
        found.append(head)
    return found if not found or found[0] is heads[0] else None
