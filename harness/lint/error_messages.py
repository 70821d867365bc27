"""The messages in what somebody has pasted: an error body, an exception of an SDK, lines of a log, or the bare text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

MOST_CHARACTERS: Final = 20_000
"""Of a longer text only this much is looked at."""

_MOST_WORDS: Final = 400
_DEEPEST: Final = 4

_MEMBER: Final = re.compile(
    r"""["'](?:message|msg|error|detail|raw)["']\s*:\s*(?:"((?:\\.|[^"\\])*)|'((?:\\.|[^'\\])*))""", re.DOTALL
)
"""A member of an error body that holds a text: JSON, Python's notation of it, and either of them cut off."""

_ESCAPE: Final = re.compile(r"\\u[0-9a-fA-F]{4}|\\[nrt]|\\(.)", re.DOTALL)
_ADDRESS: Final = re.compile(r"https?://\S+")
_CHUNK: Final = re.compile(r"\S+")
_LETTERS: Final = re.compile(r"[a-z_]{2,}|[ai]")
_PLACE: Final = re.compile(r"[\d\[\]*<>\x00]|\w[./-]\w|_$")
"""What makes a word a place or an id: a digit, brackets, a dot or a stroke inside, a prefix alone; in a template what
stands for it."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word in lower case. ``fixed`` words are the provider's own; others are parts of a place, an id or a number."""

    text: str
    fixed: bool


@dataclass(frozen=True, slots=True)
class PastedMessage:
    """One text in which a provider may say what is wrong. ``whole``: nothing but its words are in it."""

    text: str
    whole: bool


def messages_in(pasted: str) -> list[PastedMessage]:
    """The messages, each once: members of error bodies, however deep, then the lines, then all of it in one."""
    text = pasted[:MOST_CHARACTERS]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    members = dict.fromkeys(_members(text, _DEEPEST))
    found = {member: PastedMessage(member, whole=True) for member in members}
    for line in [*lines, " ".join(lines)]:
        found.setdefault(line, PastedMessage(line, whole=len(lines) == 1 and not members))
    return list(found.values())


def _members(text: str, deep: int) -> Iterator[str]:
    """The texts of the members; one that holds an error body itself is read as that."""
    for found in _MEMBER.finditer(text):
        value = _ESCAPE.sub(_unescaped_text, found[1] or found[2] or "").strip()
        inner = list(_members(value, deep - 1)) if deep else []
        yield from inner or ([value] if value else [])
    if '\\"' in text and deep:
        yield from _members(text.replace('\\"', '"'), deep - 1)


def _unescaped_text(found: re.Match[str]) -> str:
    if found[1]:
        return found[1]
    return chr(int(found[0][2:], 16)) if found[0].startswith("\\u") else " "


def words_of(text: str) -> list[Word]:
    """The words of a text in their order: quotes, marks, addresses and numbers are no part of them."""
    found: list[Word] = []
    for chunk in _CHUNK.findall(_ADDRESS.sub(" ", text))[:_MOST_WORDS]:
        bare = chunk.strip("\"'`.,:;()!?…")
        fixed = not _PLACE.search(bare)
        found += [Word(word, fixed) for word in _LETTERS.findall(bare.lower())]
    return found
