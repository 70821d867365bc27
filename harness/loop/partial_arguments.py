r"""Decodes the strings of a tool call's arguments while they are still arriving.

This is an incremental push parser: it takes the argument text delta by delta, keeps its state between deltas, and
returns the newly decoded end of each watched string. No text is parsed twice; only an escape that a delta cut in two
(at most five characters) is read again with the next delta. So the work is linear in the text. Parsing the accumulated
text after every delta would be quadratic (``benchmarks/partial_arguments.py`` has the figures).

    partial = PartialArguments(watch=("path", "content"))
    partial.feed('{"path": "index.html", "con')   # [("path", ""), ("path", "index.html")]
    partial.feed('tent": "caf\\u00')              # [("content", ""), ("content", "caf")]
    partial.feed('e9')                            # [("content", "é")]
    partial.value("content")                      # "café"

It is for previews only: a tool runs on ``json.loads`` of the finished text, never on a preview.

What is shown, and what is not:

*   Only string values of the outer object: never a key, a string inside a nested value, or text after the value.
*   Never half an escape, half a ``\uXXXX`` or half a surrogate pair. The halves of a pair join in any form:
    as escapes, raw in one delta, raw in two (servers written in JavaScript cut there), or one of each.
*   A surrogate without its other half shows as U+FFFD, one for one, because no UI and no socket can send it. So a
    finished value is what ``json.loads`` gives, with pairs joined and lone halves replaced.
*   A repeated key replaces its value, as in ``json.loads``: the pair with the empty text is returned again.
*   Text that ``json.loads`` would refuse, or that is no object, never raises: the parser stops at the offending
    character, and what was shown until then stays. Numbers and words are checked at their end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum, auto
from json.decoder import scanstring  # type: ignore[attr-defined]  # the C function, unknown to typeshed

from harness.wire.characters import is_sendable, joined, sendable

Grown = list[tuple[str, str]]


class _Expected(Enum):
    """What the parser expects next."""

    OBJECT = auto()
    FIRST_KEY = auto()  # or the end of an empty object
    KEY = auto()
    COLON = auto()
    FIRST_VALUE = auto()  # or the end of an empty array
    VALUE = auto()
    SEPARATOR = auto()  # or the end of the container
    STRING = auto()  # the rest of a string
    WORD = auto()  # the rest of a number, true, false or null
    NOTHING = auto()  # the outer object has closed, or the text is none that json.loads reads


_KEYS = (_Expected.FIRST_KEY, _Expected.KEY)  # tuples: the hash of an Enum is taken in Python
_VALUES = (_Expected.FIRST_VALUE, _Expected.VALUE)
_MAY_CLOSE = {"}": (_Expected.FIRST_KEY, _Expected.SEPARATOR), "]": (_Expected.FIRST_VALUE, _Expected.SEPARATOR)}
_OPENER = {"}": "{", "]": "["}

_SPACE = " \t\n\r"
# Plain text, then escapes with plain text behind them; possessive, so that a long string leaves no trail of places
# to come back to.
_STRING = re.compile(r'[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[^"\\\x00-\x1f]*+)*+')
_HALF_ESCAPE = re.compile(r"\\(?:u[0-9A-Fa-f]{0,3})?")
# A number, true, false or null. json.loads also reads three that JSON does not have: NaN, Infinity, -Infinity.
_WORD_START = "-0123456789tfnNI"
_WORD = re.compile(r"[-+.0-9A-Za-z]*")
_WHOLE_WORD = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null|NaN|-?Infinity")


class PartialArguments:
    """The watched string values of one tool call's arguments while the arguments arrive.

    ``watch`` names the keys of the outer object whose string values are shown.
    """

    __slots__ = (
        "_closed",
        "_containers",
        "_expect",
        "_held",
        "_is_key",
        "_key",
        "_key_pieces",
        "_open",
        "_shown",
        "_word",
    )

    def __init__(self, watch: Iterable[str]) -> None:
        self._shown: dict[str, list[str] | None] = dict.fromkeys(watch)
        self._closed: set[str] = set()
        self._expect = _Expected.OBJECT
        self._containers: list[str] = []
        self._key = ""  # the last key
        self._key_pieces: list[str] = []
        self._is_key = False  # of the open string
        self._open: list[str] | None = None  # the pieces of the watched value whose string is open
        self._held = ""  # of the open string: a high surrogate, half an escape, or the one and then the other
        self._word: list[str] = []

    def feed(self, delta: str) -> Grown:
        """Take the next piece of argument text. Return what it adds to the watched values, in order.

        Each pair is a key and the newly decoded end of its value. A value's first pair has an empty text: the
        string has begun, and if the key had a value before, that one is void. No other pair is empty.
        """
        value = self._open
        # Most deltas are plain text inside the one long string. What is printable holds no control character
        # and no surrogate; what is not printable may still be fine and is looked at more closely.
        if (
            value is not None
            and delta.isprintable()
            and '"' not in delta
            and "\\" not in delta
            and not self._held
            and delta
        ):
            value.append(delta)
            return [(self._key, delta)]
        grown: Grown = []
        text = delta
        if self._held:
            text, self._held = self._held + delta, ""
        self._scan(text, grown)
        return grown

    def value(self, key: str) -> str | None:
        """The decoded value so far; None while no string has begun under ``key``.

        It is joined on demand, so a request after every delta copies the whole value each time. Raises ``KeyError``
        for a key that is not watched.
        """
        pieces = self._shown[key]
        if pieces is None:
            return None
        pieces[:] = ["".join(pieces)]
        return pieces[0]

    def complete(self, key: str) -> bool:
        """Whether the closing quote of the value has arrived."""
        return key in self._closed

    # --- the states -----------------------------------------------------------------------------------

    def _scan(self, text: str, grown: Grown) -> None:
        at = 0
        while at < len(text):
            if self._open is not None:
                at = self._read_watched(text, at, self._open, grown)
            elif self._expect is _Expected.STRING:
                at = self._read_unwatched(text, at)
            elif self._expect is _Expected.WORD:
                at = self._rest_of_word(text, at)
            elif self._expect is _Expected.NOTHING:
                break
            else:
                if text[at] not in _SPACE:
                    self._mark(text[at], grown)
                at += 1

    def _mark(self, mark: str, grown: Grown) -> None:
        """Read one character outside strings and words."""
        expect = self._expect
        if mark == '"' and expect in _KEYS:
            self._begin_key()
        elif mark == ":" and expect is _Expected.COLON:
            self._expect = _Expected.VALUE
        elif mark == "," and expect is _Expected.SEPARATOR:
            self._expect = _Expected.KEY if self._containers[-1] == "{" else _Expected.VALUE
        elif mark in _MAY_CLOSE and expect in _MAY_CLOSE[mark]:
            self._close_container(mark)
        elif expect in _VALUES:
            self._begin_value(mark, grown)
        elif mark == "{" and expect is _Expected.OBJECT:
            self._open_container(mark)
        else:
            self._expect = _Expected.NOTHING

    def _open_container(self, mark: str) -> None:
        self._containers.append(mark)
        self._expect = _Expected.FIRST_KEY if mark == "{" else _Expected.FIRST_VALUE

    def _close_container(self, mark: str) -> None:
        is_its_end = self._containers.pop() == _OPENER[mark]
        self._expect = _Expected.SEPARATOR if is_its_end and self._containers else _Expected.NOTHING

    def _begin_key(self) -> None:
        self._expect = _Expected.STRING
        self._is_key = True
        self._key_pieces = []

    def _begin_value(self, mark: str, grown: Grown) -> None:
        watched = len(self._containers) == 1 and self._key in self._shown
        if watched:
            self._shown[self._key] = None
            self._closed.discard(self._key)
        if mark == '"':
            self._expect = _Expected.STRING
            self._is_key = False
            if watched:
                self._open = self._shown[self._key] = []
                grown.append((self._key, ""))
        elif mark in "{[":
            self._open_container(mark)
        elif mark in _WORD_START:
            self._expect = _Expected.WORD
            self._word = [mark]
        else:
            self._expect = _Expected.NOTHING

    def _rest_of_word(self, text: str, at: int) -> int:
        end = _end(_WORD, text, at)
        self._word.append(text[at:end])
        if end < len(text):
            whole = _WHOLE_WORD.fullmatch("".join(self._word))
            self._expect = _Expected.SEPARATOR if whole else _Expected.NOTHING
        return end

    # --- strings: read on in the open one, return where the text behind it begins -----------------------

    def _read_watched(self, text: str, at: int, pieces: list[str], grown: Grown) -> int:
        end = _STRING.match(text, at).end()  # type: ignore[union-attr]  # it matches the empty text
        shown = text[at:end]
        if "\\" in shown:
            shown = scanstring(shown + '"', 0)[0]
        if not is_sendable(shown):
            if "\ud800" <= shown[-1] <= "\udbff" and not text.startswith('"', end):
                # Half a pair, perhaps: shown with its other half, or replaced when something else comes.
                self._held, shown = shown[-1], shown[:-1]
            shown = sendable(shown)
        if shown:
            pieces.append(shown)
            grown.append((self._key, shown))
        return end if end == len(text) else self._end_of_string(text, end)

    def _read_unwatched(self, text: str, at: int) -> int:
        end = _end(_STRING, text, at)
        if self._is_key:
            self._key_pieces.append(text[at:end])
        return end if end == len(text) else self._end_of_string(text, end)

    def _end_of_string(self, text: str, at: int) -> int:
        """Read on at a closing quote, at an escape that is cut in two, or at a character that no string may contain."""
        if text[at] == '"':
            self._close_string()
            return at + 1
        if _HALF_ESCAPE.fullmatch(text, at):
            self._held += text[at:]
        else:
            self._expect, self._open = _Expected.NOTHING, None
        return len(text)

    def _close_string(self) -> None:
        self._expect = _Expected.COLON if self._is_key else _Expected.SEPARATOR
        if self._open is not None:
            self._open = None
            self._closed.add(self._key)
        elif self._is_key:
            raw = "".join(self._key_pieces)
            self._key = joined(scanstring(raw + '"', 0)[0])


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    return pattern.match(text, at).end()  # type: ignore[union-attr]  # these patterns match the empty text
