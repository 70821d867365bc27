"""Reads the text of some arguments slowly and all at once, as the reference for parsers.

Nothing here is shared with the parser of the reference loop. Strings, numbers and nested values are read by the
standard library; only the members of the outer object are walked here, because a text that breaks off still has a
meaning.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from json import JSONDecoder
from json.decoder import scanstring  # type: ignore[attr-defined]  # unknown to typeshed
from typing import Any, Final

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_STRING: Final = re.compile(r'(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*')
_HALF_ESCAPE: Final = re.compile(r"\\(?:u[0-9A-Fa-f]{0,3})?")
_LITERAL: Final = re.compile(r'"((?:[^"\\]|\\.)*)', re.DOTALL)
_HALVES: Final = re.compile("[\ud800-\udfff]")
_HALF_OR_SIGN: Final = re.compile("[\ud800-\udfff\ufffd]")
_NUMBER_START: Final = "-0123456789"
_MOST_KEYS: Final = 8


@dataclass(frozen=True, slots=True)
class ObjectMember:
    """A member of the outer object. ``value`` of a string is its content, up to its end if it breaks off.

    ``at`` is where the value begins in the text: from there on an earlier value of the key is void.
    """

    key: str
    at: int
    value: Any
    whole: bool = True

    @property
    def text(self) -> str | None:
        """The content of the string, in whole characters; None for any other value."""
        return whole_characters(self.value) if isinstance(self.value, str) else None


@dataclass(frozen=True)
class ReadObject:
    """A text, read. ``members`` are in the order of the text, and a key may come again.

    The text is ``sound`` up to this index: so far it is the beginning of JSON. Up to ``judged`` it is known what a
    parser may show; after that, nobody knows what the text means. A text is ``closed`` if its outer object ends.
    """

    text: str
    members: tuple[ObjectMember, ...]
    sound: int
    judged: int
    closed: bool

    @property
    def is_object(self) -> bool:
        """Whether the whole text is a JSON object."""
        return self.closed and self.sound == len(self.text)

    @cached_property
    def strings(self) -> Mapping[str, str]:
        """The strings by their keys, in whole characters; keys that come twice are left out."""
        return {member.key: text for member in self.members if (text := member.text) is not None}

    @cached_property
    def by_key(self) -> Mapping[str, tuple[ObjectMember, ...]]:
        """The members under each key."""
        members: defaultdict[str, list[ObjectMember]] = defaultdict(list)
        for member in self.members:
            members[member.key].append(member)
        return {key: tuple(found) for key, found in members.items()}

    def keys_spelt(self, key: str) -> list[str]:
        """The keys that a parser may mean by ``key``: halves of characters may be left out of a key, or replaced."""
        exact = _whole_characters(key)
        if exact in self.by_key:
            return [exact]
        return [loose for loose in self.by_key if is_loose(loose) and bare(loose) == bare(key)]

    @cached_property
    def plain(self) -> bool:
        """Whether no key comes twice."""
        return len(self.by_key) == len(self.members)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Texts that a parser could take for a key: keys, and every other string in the text."""
        found = dict.fromkeys(member.key for member in self.members)
        for literal in _LITERAL.finditer(self.text):
            if len(found) >= _MOST_KEYS:
                break
            try:
                found[_whole_characters(scanstring(literal[1] + '"', 0, False)[0])] = None
            except ValueError:
                continue
        return tuple(found)


def whole_characters(text: str) -> str:
    """The text with matching halves joined and a single half replaced by U+FFFD, by another codec than the parser's."""
    if text.isascii() or not _HALVES.search(text):
        return text
    return text.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "replace")


def is_loose(text: str) -> bool:
    """Whether ``text`` has half a character without the other half."""
    return not text.isascii() and _HALVES.search(_whole_characters(text)) is not None


def bare(text: str) -> str:
    """``text`` without halves of characters and without characters that may replace one."""
    return text if text.isascii() else _HALF_OR_SIGN.sub("", _whole_characters(text))


def _whole_characters(text: str) -> str:
    return text.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "surrogatepass")


@lru_cache(maxsize=1024)
def document_of(text: str) -> ReadObject:
    """The content of ``text``."""
    reader = _DocumentReader(text)
    members = tuple(reader.members())
    return ReadObject(text, members, reader.sound, reader.judged, reader.closed)


class _NoJson(ValueError):
    """``json.loads`` takes NaN and the infinities, which JSON does not have: a parser need not."""


def _no_constant(name: str) -> Any:
    raise _NoJson(name)


def _is_json(text: str) -> bool:
    try:
        JSONDecoder().decode(text)
    except (ValueError, RecursionError):
        return False
    return True


_scan: Final = JSONDecoder(parse_constant=_no_constant).scan_once  # type: ignore[attr-defined]  # unknown to typeshed


class _DocumentReader:
    """Walks over the outer object. The results are in its attributes at the end."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.closed = False
        self.sound = self.judged = len(text)
        self._at = 0

    def members(self) -> Iterator[ObjectMember]:
        mark = self._mark()
        if mark != "{":
            self._no_object(mark)
            return
        self._at += 1
        if self._mark() == "}":
            self._close()
            return
        while (key := self._key()) is not None:
            member = self._value(key)
            if member is not None:
                yield member
            if member is None or not member.whole or not self._goes_on():
                return

    def _mark(self) -> str:
        """The next character that is no white space; empty at the end."""
        self._at = _SPACE.match(self.text, self._at).end()  # type: ignore[union-attr]  # it matches the empty text
        return self.text[self._at : self._at + 1]

    def _broken(self) -> None:
        """From here on nobody knows what the text means, unless it just ends here."""
        self.sound = self.judged = self._at

    def _no_object(self, mark: str) -> None:
        """Arrays, numbers and words contain no arguments. A string may contain some, encoded twice, and other text,
        too."""
        if mark == '"' or not _is_json(self.text):
            self._broken()

    def _key(self) -> str | None:
        if self._mark() == '"':
            key = self._string()
            if key is None:
                self._open_end()
            elif self._mark() == ":":
                self._at += 1
                return _whole_characters(key)
        self._broken()
        return None

    def _string(self) -> str | None:
        try:
            text_read, self._at = scanstring(self.text, self._at + 1, True)
        except ValueError:
            return None
        return str(text_read)

    def _value(self, key: str) -> ObjectMember | None:
        mark, at = self._mark(), self._at
        if not mark:
            return None
        if mark == '"':
            text_read = self._string()
            return ObjectMember(key, at, text_read) if text_read is not None else self._open(key)
        try:
            value, self._at = _scan(self.text, at)
        except (ValueError, StopIteration, RecursionError):
            self._broken()
            return ObjectMember(key, at, None, whole=False)
        # A number at the end of the text may go on.
        return ObjectMember(key, at, value, whole=not (mark in _NUMBER_START and self._at == len(self.text)))

    def _open(self, key: str) -> ObjectMember:
        """A string without its end, with the part that has come."""
        at = self._at
        text_read = scanstring(self._open_end() + '"', 0)[0]
        self._broken()
        return ObjectMember(key, at, text_read, whole=False)

    def _open_end(self) -> str:
        """The readable part of the string that begins here. An escape that the end of the text cuts is no mistake."""
        start = self._at + 1
        end = _STRING.match(self.text, start).end()  # type: ignore[union-attr]  # it matches the empty text
        self._at = len(self.text) if _HALF_ESCAPE.fullmatch(self.text, end) else end
        return self.text[start:end]

    def _goes_on(self) -> bool:
        mark = self._mark()
        if mark == ",":
            self._at += 1
            return True
        if mark == "}":
            self._close()
        else:
            self._broken()
        return False

    def _close(self) -> None:
        """Text after the outer object is no argument, so all of it is judged."""
        self._at += 1
        self.closed = True
        self._mark()
        self.sound = self._at
