"""What models write that call tools in text: calls in three pairs of tags and two forms, thinking, what breaks them.

from hypothesis import given
from harness.fuzz.strategies.text_tags import answers, deltas

@given(answers().flatmap(deltas))
def test_my_parser_takes_anything(pieces):
    read(pieces)
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from hypothesis import strategies as st

from harness.fuzz.strategies.splits import pieces, sizes

TAG_PAIRS: Final = (
    ("<tool_call>", "</tool_call>"),
    ("<|tool_call>", "<tool_call|>"),
    ("<|tool_call|>", "<|/tool_call|>"),
)
"""The tags around a call, as models write them."""

_THINK, _THINK_END = "<think>", "</think>"

TOKENS: Final = (
    "a", " ", "\n", '"', "}", "{", "]", "[", ",", ":", "\\", "<", ">", "|", "/", "1", "-1.5e3", "true", "null", "é",
    "😀", "\ud83d", "\ude00", "\0", "x", "name", "args", '"name"', '"args"', '"name":"a"', '"args":{', '"}}', '\\"',
    "\\\\", "\\n", "\\u00e9", "\\ud83d\\ude00", "\\u00", "'", "\r\n", "call:", "call:a{", 'x:"', '"x":', "[1,]", ",}",
    "<tool_", "</think", "</tool_cal", "<|tool_call", "<tool_call|",
    *(tag for pair in TAG_PAIRS for tag in pair), _THINK, _THINK_END,
    '{"name":"a","args":{"x":"', '{"name":"b","args":{}}', "call:b{y:1}",
    '<tool_call>{"name":"a","args":{"x":"', '<tool_call>{"name":"a","args":{"x":1}}</tool_call>',
    "<|tool_call>call:b{}<tool_call|>", '<|tool_call|>{name:"c",args:{y:[{}],}}<|/tool_call|>',
    '<tool_call>call:d{x:"</tool_call>"}</tool_call>', "<tool_call>not json</tool_call>", "<think>a</think>",
    "<think>b<tool_call>call:no{}</tool_call></think>",
)  # fmt: skip
"""Parts of answers, and text that breaks them; the simple ones come first."""

_VALUES: Final[tuple[Mapping[str, Any], ...]] = (
    {}, {"a": 1}, {"x": ""}, {"x": "</tool_call>"}, {"x": "<think>"}, {"x": '"\\'}, {"x": "😀"}, {"x": "a\nb"},
    {"x": "<tool_call>call:no{}</tool_call>"}, {"x": [1, {"y": None}, [], True]}, {"x": -1.5e300, "y": 10**20},
    {"name": "no", "args": {"x": "y"}}, {"x": "<|tool_call|", "é": "\u2028"}, {"x": "\ud83d"},
    {"x": '{"name":"no","args":{}}'}, {"x": "[1,],{y: 2,}", "it's": "\r\n"},
    {"path": "index.html", "content": "<p>Hi</p>"},
)  # fmt: skip
"""Arguments with something unusual."""


def tokens(chosen: Sequence[int], known: Sequence[str] = TOKENS) -> str:
    """The text of these numbers, each a token: bytes become a text that shrinks well."""
    return "".join([known[number % len(known)] for number in chosen])


def call(
    name: str = "b",
    arguments: str | Mapping[str, Any] = "{}",
    tags: tuple[str, str] = TAG_PAIRS[0],
    *,
    colon: bool = False,
) -> str:
    """A call as a model writes it: ``{"name":NAME,"args":ARGUMENTS}``, or with ``colon`` ``call:NAME ARGUMENTS``.

    ``arguments`` is an object, or JSON text, right or wrong.
    """
    if not isinstance(arguments, str):
        arguments = json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))
    inside = f"call:{name}{arguments}" if colon else f'{{"name":"{name}","args":{arguments}}}'
    return f"{tags[0]}{inside}{tags[1]}"


def _loose(arguments: Mapping[str, Any]) -> str:
    """JSON with an extra comma, and without quotes around keys if possible."""
    members = "".join(
        [f"{key if key.isidentifier() else json.dumps(key)}: {json.dumps(value)} ," for key, value in arguments.items()]
    )
    return f"{{{members}}}"


_STYLES: Final[tuple[Callable[[Mapping[str, Any]], str], ...]] = (
    partial(json.dumps, ensure_ascii=False, separators=(",", ":")),
    json.dumps,
    partial(json.dumps, ensure_ascii=False, indent="\t"),
    lambda arguments: json.dumps(arguments, indent=1).replace("\n", "\r\n"),
    _loose,
)
"""How models write JSON."""

_NAMES: Final = (("a", True), ("b.c", True), ("a", False), ("read_file", False))
_FRAMES: Final = tuple([(name, tags, colon) for name, colon in _NAMES for tags in TAG_PAIRS])
"""Names, tags and forms of calls."""

_CALLS: Final = tuple(
    [
        call(name, style(value), tags, colon=colon)
        for value in _VALUES
        for style in _STYLES
        for name, tags, colon in _FRAMES
    ]
)
"""Well-formed calls, the simple ones first."""


def calls(arguments: st.SearchStrategy[Mapping[str, Any]] | None = None) -> st.SearchStrategy[str]:
    """Well-formed calls, with these arguments or with difficult ones: any tags, either form, any style.

    Some have keys without quotes and extra commas, which readers of this protocol repair.
    """
    if arguments is None:
        return st.sampled_from(_CALLS)  # in one choice, since what is drawn takes most of the time of a fuzzer
    written = st.builds(lambda style, value: style(value), st.sampled_from(_STYLES), arguments)
    return st.builds(
        lambda text, frame: call(frame[0], text, frame[1], colon=frame[2]), written, st.sampled_from(_FRAMES)
    )


def answers(*, max_tokens: int = 24) -> st.SearchStrategy[str]:
    """Whole answers, and answers that were broken off: tokens in any order, with well-formed calls among them."""
    wild = st.binary(max_size=max_tokens).map(tokens)
    few = st.binary(max_size=max_tokens // 3).map(tokens)
    return st.one_of(
        wild,
        st.builds("{}{}".format, few, calls()),
        st.builds("{}{}{}{}".format, few, calls(), few, calls()),
        st.builds("{}{}{}".format, st.text(max_size=8), calls(), few),
        st.builds(lambda text, left_out: text[:-left_out], calls(), st.integers(1, 24)),
    )


def in_units(text: str, sizes: Sequence[int]) -> list[str]:
    """``text`` cut into pieces of so many UTF-16 units, as servers in JavaScript cut: a surrogate pair may be split."""
    if text.isascii():
        return pieces(text, sizes)
    units = text.encode("utf-16-le", "surrogatepass")
    return [cut.decode("utf-16-le", "surrogatepass") for cut in pieces(units, [2 * size for size in sizes])]


def deltas(text: str) -> st.SearchStrategy[list[str]]:
    """Ways in which ``text`` may arrive."""
    return sizes().map(lambda drawn: in_units(text, drawn))
