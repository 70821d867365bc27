r"""JSON as small models write it, repaired while it arrives.

A push parser: it is fed text cut anywhere and hands out strict JSON text. It repairs only three things, because any
other repair is a guess:

    {path: "a"}         a key without quotes: letters, digits and ``_``, not a digit first
    [1, 2,]             a comma before a closing bracket
    "two⏎lines"         a control character inside a string, which becomes its escape

Every character is read once. Only an escape that was cut in two (at most five characters), and a counted value that
needs repair, are read again. The first character that cannot be JSON breaks the parser: the text until then stays the
beginning of a value, and everything after it is ignored.
"""

from __future__ import annotations

import json
import re
from enum import Enum, auto
from typing import NamedTuple, NoReturn


class _Expect(Enum):
    """What the parser expects next."""

    VALUE = auto()
    FIRST_VALUE = auto()  # or the end of an array; also after its commas
    KEY = auto()  # or the end of an object; also after its commas
    COLON = auto()
    SEPARATOR = auto()  # or the end of the container
    STRING = auto()  # the rest of a string
    BARE_KEY = auto()  # the rest of a key without quotes
    WORD = auto()  # the rest of a number, true, false or null
    NOTHING = auto()  # the value is whole
    BROKEN = auto()


_SPACE = " \t\n\r"
_VALUES = (_Expect.VALUE, _Expect.FIRST_VALUE)
_MAY_CLOSE = {"}": (_Expect.KEY, _Expect.SEPARATOR), "]": (_Expect.FIRST_VALUE, _Expect.SEPARATOR)}
_OPENER = {"}": "{", "]": "["}

_CLOSER = {"{": "}", "[": "]"}

_STRING = re.compile(r'[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[^"\\\x00-\x1f]*+)*+')
_HALF_ESCAPE = re.compile(r"\\(?:u[0-9A-Fa-f]{0,3})?")
_BARE_KEY = re.compile(r"\w*")
_WORD_START = "-0123456789tfn"
_WORD = re.compile(r"[-+.0-9A-Za-z]*")
_WHOLE_WORD = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null")


def _refuse_number(number: str) -> NoReturn:
    raise ValueError(f"{number} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse_number)


class Part(NamedTuple):
    """Strict JSON text. ``value`` is the number, from 1, of the value that it belongs to; 0: it is around values.

    ``closes``: it is the bracket that completes this value.
    """

    value: int
    text: str
    closes: bool


class RepairedJson:
    """One JSON value. ``depth`` says which values count: 0 the value itself, 1 the values of an object's members.

    ``keys`` has one entry for each of these values that has begun: its key, decoded (``""`` at depth 0).
    """

    __slots__ = (
        "_comma",
        "_containers",
        "_depth",
        "_expect",
        "_held",
        "_inside",
        "_is_key",
        "_key",
        "_out",
        "_word",
        "keys",
        "problem",
    )

    def __init__(self, depth: int) -> None:
        self.keys: list[str] = []
        self.problem = ""
        self._depth = depth
        self._expect = _Expect.VALUE
        self._containers: list[str] = []
        self._inside = False  # one of the values that are distinguished
        self._out: list[Part] = []
        self._comma: list[str] = []  # a comma that may turn out to be too many, and the blanks behind it
        self._is_key = False  # of the open string
        self._key: list[str] = []  # the pieces of the last key
        self._word: list[str] = []
        self._held = ""  # half an escape

    @property
    def in_string(self) -> bool:
        """Whether a string is open, be it a key or a value."""
        return self._expect is _Expect.STRING

    @property
    def whole(self) -> bool:
        """Whether the value is whole; only white space may follow it."""
        return self._expect is _Expect.NOTHING

    @property
    def broken(self) -> bool:
        """Whether the text is no JSON; ``problem`` says why."""
        return self._expect is _Expect.BROKEN

    def feed(self, text: str) -> list[Part]:
        """Take the next piece; returns strict JSON text in parts."""
        text, self._held = self._held + text, ""
        at = 0
        while at < len(text) and self._expect is not _Expect.BROKEN:
            at = self._step(text, at)
        out, self._out = self._out, []
        return out

    def _fail(self, problem: str) -> None:
        self._expect = _Expect.BROKEN
        self.problem = problem

    # --- the states -----------------------------------------------------------------------------------

    def _step(self, text: str, at: int) -> int:
        if self._expect is _Expect.STRING:
            return self._rest_of_string(text, at)
        if self._expect is _Expect.BARE_KEY:
            return self._rest_of_bare_key(text, at)
        if self._expect is _Expect.WORD:
            return self._rest_of_word(text, at)
        mark = text[at]
        if mark in _SPACE or (self._expect is _Expect.NOTHING and mark.isspace()):
            self._say(mark)
        elif mark in _CLOSER and self._expect is _Expect.VALUE and len(self._containers) == self._depth:
            return self._take_whole(text, at, mark)
        else:
            self._take(mark)
        return at + 1

    def _take_whole(self, text: str, at: int, mark: str) -> int:
        """Take a counted value in one step, if all of it has come and needs no repair; otherwise only its bracket.

        So only the one value without an end yet, and values that are repaired, are read again.
        """
        closer = _CLOSER[mark]
        try:
            end = _DECODER.raw_decode(text, at)[1] if text.find(closer, at) > 0 else 0
        except (ValueError, RecursionError):
            end = 0
        self._begin_value(mark)
        if not end:
            return at + 1
        if at + 2 < end:
            self._say(text[at + 1 : end - 1])
        self._close_container(closer)
        return end

    def _take(self, mark: str) -> None:
        """Take one character outside strings, words and blanks."""
        expect = self._expect
        if mark in _MAY_CLOSE and expect in _MAY_CLOSE[mark]:
            self._close_container(mark)
        elif expect in _VALUES:
            self._begin_value(mark)
        elif expect is _Expect.KEY and mark == '"':
            self._begin_key(_Expect.STRING, "")
        elif expect is _Expect.KEY and (mark.isalpha() or mark == "_"):
            self._begin_key(_Expect.BARE_KEY, mark)
        elif expect is _Expect.COLON and mark == ":":
            self._say(mark)
            self._expect = _Expect.VALUE
        elif expect is _Expect.SEPARATOR and mark == ",":
            self._comma = [mark]
            self._expect = _Expect.KEY if self._containers[-1] == "{" else _Expect.FIRST_VALUE
        else:
            self._fail(f"{mark!r} is out of place")

    def _begin_value(self, mark: str) -> None:
        self._flush_comma()
        if len(self._containers) == self._depth:
            self.keys.append("".join(self._key))
            self._inside = True
        elif not self._containers and mark != "{":
            self._fail("it is no object")
            return
        self._is_key = False
        if mark in "{[":
            self._say(mark)
            self._containers.append(mark)
            self._expect = _Expect.KEY if mark == "{" else _Expect.FIRST_VALUE
        elif mark == '"':
            self._say(mark)
            self._expect = _Expect.STRING
        elif mark in _WORD_START:
            self._word = [mark]
            self._expect = _Expect.WORD
        else:
            self._fail(f"{mark!r} begins no value")

    def _close_container(self, mark: str) -> None:
        if self._containers[-1] != _OPENER[mark]:
            self._fail(f"{mark!r} closes {self._containers[-1]!r}")
            return
        del self._comma[:1]
        self._flush_comma()
        self._containers.pop()
        self._say(mark, closes=len(self._containers) == self._depth)
        self._end_of_value()

    def _end_of_value(self) -> None:
        self._expect = _Expect.SEPARATOR if self._containers else _Expect.NOTHING
        if len(self._containers) == self._depth:
            self._inside = False

    # --- keys -----------------------------------------------------------------------------------------

    def _begin_key(self, expect: _Expect, first: str) -> None:
        self._flush_comma()
        self._say(f'"{first}')
        self._expect = expect
        self._is_key = True
        self._key = [first]

    def _rest_of_bare_key(self, text: str, at: int) -> int:
        end = _end(_BARE_KEY, text, at)
        self._say(text[at:end])
        self._key.append(text[at:end])
        if end < len(text):
            self._end_of_key()
        return end

    def _end_of_key(self) -> None:
        self._say('"')
        self._expect = _Expect.COLON
        key = "".join(self._key)
        self._key = [json.loads(f'"{key}"') if "\\" in key else key]

    # --- strings and words: read on, return where the text behind them begins ----------------------------

    def _rest_of_string(self, text: str, at: int) -> int:
        end = _end(_STRING, text, at)
        if at < end:
            self._say_in_string(text[at:end])
        if end == len(text):
            return end
        mark = text[end]
        if mark == '"':
            self._end_of_string()
        elif mark != "\\":
            self._say_in_string(json.dumps(mark)[1:-1])
        elif _HALF_ESCAPE.fullmatch(text, end):
            self._held = text[end:]
            return len(text)
        else:
            self._fail(f"{text[end : end + 2]!r} is no escape")
        return end + 1

    def _say_in_string(self, text: str) -> None:
        self._say(text)
        if self._is_key:
            self._key.append(text)

    def _end_of_string(self) -> None:
        if self._is_key:
            self._end_of_key()
        else:
            self._say('"')
            self._end_of_value()

    def _rest_of_word(self, text: str, at: int) -> int:
        end = _end(_WORD, text, at)
        self._word.append(text[at:end])
        if end < len(text):
            self._end_of_word()
        return end

    def _end_of_word(self) -> None:
        word = "".join(self._word)
        if not _WHOLE_WORD.fullmatch(word):
            self._fail(f"{_short(word)!r} is no value")
        else:
            self._say(word)
            self._end_of_value()

    # --- what is handed out -----------------------------------------------------------------------------

    def _say(self, text: str, *, closes: bool = False) -> None:
        if self._comma:
            self._comma.append(text)  # a blank
        else:
            self._out.append(Part(len(self.keys) if self._inside else 0, text, closes))

    def _flush_comma(self) -> None:
        comma, self._comma = self._comma, []
        for text in comma:
            self._say(text)


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    return pattern.match(text, at).end()  # type: ignore[union-attr]  # these patterns match the empty text


def _short(word: str) -> str:
    return word if len(word) <= 20 else word[:20] + "..."
