r"""Texts that parsers of arguments are known to get wrong, and the cuts that are tried first.

Every text is tried with every cut in two, every size of deltas and every short delta in the middle. All strings of a
few tokens come in single characters.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

from harness.fuzz.arguments.example import ArgumentsExample, Stretch

NASTY: Final = (
    '{"path": "index.html", "content": "<p>hi</p>"}',
    '{"content": "", "path": "index.html"}',
    '{"path": "index.html", "content": ""}',
    '{"content": "x", "note": null}',
    r'{"content": "C:\\new\\tab \" \/ \b\f\n\r\t \u00e9 \u20AC"}',
    r'{"content": "\\", "path": "\""}',
    r'{"content": "\\\" \\\\", "path": "\\\\\""}',
    r'{"content": "\ud83d\ude00 and \uD83D\uDE00 and 😀"}',
    r'{"content": "\ud83d", "path": "\ude00"}',
    r'{"content": "\ud83d\ud83d\ude00\ude00 \ud83dx \ud83d\n"}',
    '{"content": "\ud83d\ude00 \ud83d"}',  # raw halves, as two deltas of a JavaScript server join
    '{"content": "\ud83d\\ude00 \\ud83d\ude00"}',  # one half raw, the other an escape
    r'{"\u0063ontent": "escaped key", "pa\u0074h": "p"}',
    r'{"a\"b": "quote", "a\\": "backslash", "😀": "raw", "\ud83d\ude00!": "pair", "": "empty"}',
    '{"path": "content", "note": "index.html", "content": "x"}',
    '{"note": "the \\"content\\": \\"inner\\" key", "content": "x"}',
    '{"meta": {"content": "inner", "path": ["content"]}, "content": "outer"}',
    '{"content": "outer", "meta": {"content": "inner"}, "path": "p"}',
    '{"edits": [{"content": "inner"}, {"path": "p", "content": "q"}]}',
    '[{"content": "in an array"}]',
    '{"list": [{"content": "a"}, [], {}, [[1, "content"], {"path": "\\u0041"}]], "path": "b"}',
    '{"content": "first", "content": "second"}',
    '{"content": "second", "content": "first", "content": "second"}',
    '{"content": "first", "content": 3}',
    '{"content": {"content": "inner"}, "content": "last"}',
    '{"content": null, "path": true}',
    '{"a": -0.5e+10, "b": [true, false, null, 1E400], "c": 9007199254740993, "d": -0, "content": "x"}',
    '{"content": "x", "a": 12345678901234567890123}',
    '{"a": [NaN, -Infinity], "content": "x"}',
    ' \t\r\n{ \n"content"\t:\r"x" , "path" : "y" } \n ',
    '{"content":"  padded\\n\\n  ","path":" "}',
    '{"content": "line\u2028sep\x7f\x85 焼きたて \ufffd é e\u0301 \u202e"}',
    '{"content": "```html\\n<p>{\\"a\\": [1,}</p>\\n```"}',
    '{"content": "brackets } ] { [ , : in a string", "path": "}"}',
    '{"content": "a<|im_end|>", "path": "</tool_call>"}',
    "{}",
    '{"content"',
    '{"content": "never ends',
    '{"content": "half an escape \\u00',
    '{"content": "x", "a": 12',
    "null",
    "",
)
"""JSON, or its beginning."""

MALFORMED: Final = (
    '{"content": "a"} x',
    '{"content": "a"}}',
    '{"content": "a"}"content": "b"}',
    '{"content": "a"}{"content": "b"}',
    '{"content": "a", "path": "b"}, "content": "c"',
    '{"content": "a" "b"}',
    '{"content": "a",}',
    '{"content": "tab\there"}',
    '{"content": "line\nbreak"}',
    r'{"content": "a\x41"}',
    r'{"content": "a\u12G4b"}',
    r'{"content": "\ud83d\x"}',
    r'{"content": "use App\Http\users"}',
    '{content: "x"}',
    "{'content': 'x', 'path': 'it\\'s'}",
    '{"content" "x"}',
    '{"content": "a" // why\n, "path": "b"}',
    '{"a": 01, "content": "x"}',
    '{"a": tru, "content": "x"}',
    '{"a": True, "b": None, "content": "x"}',
    '{"a": $',
    '{"content": "unit\x1fseparator"}',
    '{"content": "\\n\x1f"}',
    '{"a": [1 2], "content": "x"}',
    '{"a": [1}, "content": "x"}',
    '{"a": {"b": 1], "content": "x"}',
    '{"a": [1,], "content": "x"}',
    '{, "content": "x"}',
    '{"a": }',
    '"content"',
    '"{\\"content\\": \\"written twice\\"}"',
    '```json\n{"content": "x"}\n```',
    "15 * 4",
    "\ufeff{}",
    "}",
)
"""Invalid JSON, as models and their servers really send it."""

STRETCHED: Final = (
    ('{"content": "', "plain text ", '"}'),
    ('{"content": "', r"\ud83d\ude00", '"}'),
    ('{"content": "', "\\\\", '"}'),
    ('{"note": "', r"skipped \u00e9 ", '", "content": "x"}'),
    ('{"', r"long key \n", '": 1}'),
    ('{"content": "x", "number": ', "1", "}"),
    ('{"list": [', "[1, {}], ", '0], "content": "x"}'),
    ('{"content": "x"', " ", "}"),
    ('{"content": "', "\ud83d", '"}'),
)
"""Beginning, middle and end of texts whose middle is repeated many times."""

_LONG: Final = 360
"""Characters of a stretch: the work for twice as many is counted, too."""

_TOKENS: Final = (
    "a",
    '"',
    "\\",
    "\\u",
    "00e9",
    "\\ud83d",
    "\\ude00",
    "\ud83d",
    "\ude00",
    "\\n",
    '\\"',
    "é",
    "😀",
    "\n",
    ":",
    "}",
)
"""Three of these form a string of every kind, its end, and what should not follow it."""


def enumerated() -> Iterator[ArgumentsExample]:
    """The examples that come first, always the same."""
    for text in (*NASTY, *MALFORMED):
        yield from _cuts(text)
    for tokens in product(_TOKENS, repeat=3):
        text = '{"content": "' + "".join(tokens) + '", "path": "b"}'
        yield ArgumentsExample(text, (1,))
        for at in range(1, len(tokens)):
            yield ArgumentsExample(text, (13 + sum(map(len, tokens[:at])), len(text)))
    for text in NASTY:
        for end in range(1, len(text)):
            yield ArgumentsExample(text[:end], (1,))
    yield from _stretched_examples()


def _stretched_examples() -> Iterator[ArgumentsExample]:
    for head, middle, tail in STRETCHED:
        stretch = Stretch(len(head), len(head + middle), _LONG // len(middle))
        for size in (1, 4, 16):
            yield ArgumentsExample(head + middle + tail, (size,), stretch)


def _cuts(text: str) -> Iterator[ArgumentsExample]:
    """The text in one delta, in two, in deltas of one size, and in three with a short one in the middle."""
    length = len(text)
    yield ArgumentsExample(text)
    for at in range(length):
        yield ArgumentsExample(text, (at, length))
    for size in range(1, length):
        yield ArgumentsExample(text, (size,))
    for size in range(1, 7):
        for at in range(1, length - size):
            yield ArgumentsExample(text, (at, size, length))
