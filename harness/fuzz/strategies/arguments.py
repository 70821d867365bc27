r"""Arguments of tool calls as JSON text, spelt in every way that JSON allows.

Strings are made of what parsers stumble over: escapes of every kind, pairs and lone halves of surrogates, both as
escapes and raw, look-alikes of keys and brackets. Keys come twice, nested and escaped; numbers are at the edges.

    @given(argument_texts(), sizes())
    def test_my_parser(text, sizes):
        assert my_parser(pieces(text, sizes)) == json.loads(text)
"""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st

from harness.fuzz.strategies.choices import Choices, chosen

KEYS: Final = (
    "content",
    "path",
    "note",
    r"\u0063ontent",
    r"p\u0061th",
    "",
    "a",
    r"a\"b",
    "\\\\",
    "焼き",
    r"\ud83d\ude00",
    "😀",
    "\ud83d\ude00",
    r"\ud83d",
    "\ude00",
)
"""Keys, as they are spelt between their quotes."""

STRING_TOKENS: Final = (
    "a",
    " ",
    r"\n",
    r"\"",
    "\\\\",
    r"\u00e9",
    r"\ud83d\ude00",
    "é",
    "😀",
    r"\ud83d",
    r"\ude00",
    "\ud83d",
    "\ude00",
    "content",
    r"\"content\": \"",
    r"\/",
    r"\t",
    r"\b\f\r",
    "{",
    "}",
    "[]",
    ":",
    ",",
    "\u2028",
    r"\u2028",
    r"\u0000",
    "\x7f",
    r"\uD83D\uDE00",
    "焼きたて",
    "e\u0301",
    "\ufffd",
    r"\ufffd",
    "\u202e",
    "//",
    "'",
    "```",
    r"\\n",
    r"\\u00e9",
    "<p>",
    "n",
    "u0041",
)
"""What strings are made of, as it is spelt between their quotes; each is whole."""

NUMBERS: Final = (
    "0",
    "1",
    "-1",
    "12",
    "0.5",
    "-0",
    "-0.0",
    "1e5",
    "1E-7",
    "1.0",
    "9007199254740993",
    "12345678901234567890123",
    "1.7976931348623157e308",
    "5e-324",
    "1e400",
    "-1E+2",
)

_WORDS: Final = ("null", "true", "false", "NaN", "-Infinity")
_SPACES: Final = ("", " ", "\n", "\n  ", "\t", "\r\n", " \n\t ")
_MOST_MEMBERS: Final = 5
_MOST_TOKENS: Final = 7
_DEEPEST: Final = 4


def argument_texts() -> st.SearchStrategy[str]:
    """JSON objects in any spelling, fit for any tool that does not look too closely.

    ``json.loads`` reads all of them; a strict parser may refuse the few with NaN or an infinity.
    """
    return chosen(argument_text)


def argument_text(choices: Choices) -> str:
    """The object that these choices make."""
    return _ArgumentWriter(choices).whole()


class _ArgumentWriter:
    def __init__(self, choices: Choices) -> None:
        self._choices = choices
        self._spaced = False

    def whole(self) -> str:
        self._spaced = self._choices.seldom()
        return self._space() + self._object(0) + self._space()

    def _object(self, depth: int) -> str:
        members = [self._member(depth) for _ in range(self._choices.below(_MOST_MEMBERS))]
        return self._bracketed_text("{", members, "}")

    def _member(self, depth: int) -> str:
        key = self._choices.of(KEYS)
        return f'"{key}"{self._space()}:{self._space() or self._choices.of(("", " "))}{self._value(depth + 1)}'

    def _value(self, depth: int) -> str:
        kind = self._choices.below(8 if depth < _DEEPEST else 6)
        if kind < 4:
            return self._string()
        if kind == 4:
            return self._choices.of(NUMBERS)
        if kind == 5:
            return self._choices.of(_WORDS)
        return self._object(depth) if kind == 6 else self._array(depth)

    def _array(self, depth: int) -> str:
        return self._bracketed_text("[", [self._value(depth + 1) for _ in range(self._choices.below(4))], "]")

    def _string(self) -> str:
        tokens = [self._choices.of(STRING_TOKENS) for _ in range(self._choices.below(_MOST_TOKENS))]
        return '"' + "".join(tokens) + '"'

    def _bracketed_text(self, opening: str, inner: list[str], closing: str) -> str:
        separator = f"{self._space()},{self._space() or ' '}"
        return f"{opening}{self._space()}{separator.join(inner)}{self._space()}{closing}"

    def _space(self) -> str:
        return self._choices.of(_SPACES) if self._spaced else ""
