"""The features of texts of answers, which the coverage counts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Final

from harness.fuzz.text_tags.example import ArrivingText
from harness.fuzz.text_tags.grammar import TAG, ParsedText, parsed
from harness.wire.characters import is_sendable, sendable
from harness.wire.text_tags.tags import Tag

_IN_TEXT: Final[Mapping[str, str]] = {
    "standard tags": re.escape(Tag.CALL),
    "Gemma's tags": re.escape(Tag.GEMMA_CALL),
    "piped tags": re.escape(Tag.PIPED_CALL),
    "half a tag": r"<(?:think|/think|tool_|/tool_|\|tool_|\|/tool_)[a-z_|]*+(?!>)",
    "thinking": f"{Tag.THINK}.*?{Tag.THINK_END}",
    "thinking that never ends": f"{Tag.THINK}(?!.*{Tag.THINK_END})",
    "lone </think>": f"^(?:(?!{Tag.THINK}).)*{Tag.THINK_END}",
    "end tag that ends nothing": r"^[^<]*</tool_call>",
    "tags of two pairs": r"<tool_call>[^<]*(?:<tool_call\|>|<\|/tool_call\|>)",
    "escape": r'\\["\\/bfnrt]',
    "unicode escape": r"\\u[0-9a-fA-F]{4}",
    "key without quotes": r"[{,]\s*[A-Za-z_]\w*\s*:",
    "comma too many": r",\s*[}\]]",
    "name twice": r'"name":"[^"]*",\s*"name"',
    "character beyond the first plane": r"[\U00010000-\U0010ffff]",
}
_PATTERNS: Final = {name: re.compile(pattern, re.DOTALL) for name, pattern in _IN_TEXT.items()}

_HALF_TAG: Final = re.compile(r"<[a-z_|/]*$")
_REST_OF_TAG: Final = re.compile(r"[a-z_|/]*>")
_HALF_ESCAPE: Final = re.compile(r"\\(?:u[0-9a-f]{0,3})?$")

_OF_CALLS: Final = (
    "call", "two calls", "name beside the bracket", "call without arguments", "tag in a string",
    "line break in a string", "nested arguments", "text beside a call", "call in thinking", "block that is no call",
    "call behind a block that is no call", "half a surrogate pair",
)  # fmt: skip
_OF_CUTS: Final = (
    "in one piece", "one character at a time", "tag cut in two", "surrogate pair cut in two", "escape cut in two",
    "long text",
)  # fmt: skip

FEATURES: Final = (*_IN_TEXT, *_OF_CALLS, *_OF_CUTS)


def features_of(example: ArrivingText) -> Iterator[str]:
    """The names of the example's features."""
    yield from _of_text(example.text)
    yield from _of_cuts(example)


@lru_cache(maxsize=4096)
def _of_text(text: str) -> tuple[str, ...]:
    found_in = parsed(sendable(text))
    found = [name for name, pattern in _PATTERNS.items() if pattern.search(text)]
    return (*found, *_of_parsed(found_in, text), *(() if is_sendable(text) else ["half a surrogate pair"]))


def _of_parsed(found_in: ParsedText, text: str) -> Iterator[str]:
    """The features of the calls in the part of the text that was read."""
    blocks = [text[slice(*call.span)] for call in found_in.calls]
    values = str([call.arguments for call in found_in.calls])
    has = {
        "call": found_in.calls,
        "two calls": len(found_in.calls) > 1,
        "name beside the bracket": any("call:" in block[:20] for block in blocks),
        "call without arguments": any(not call.arguments for call in found_in.calls),
        "tag in a string": TAG.search(values),
        "line break in a string": any("\n" in block for block in blocks) and "\\n" in values,
        "nested arguments": re.search(r"[\[{].*[\[{].*[\[{]", values),
        "text beside a call": found_in.calls and found_in.text.strip(),
        "call in thinking": found_in.thought,
        "block that is no call": found_in.doubt is not None,
        "call behind a block that is no call": found_in.last,
    }
    return (name for name, there in has.items() if there)


def _of_cuts(example: ArrivingText) -> Iterator[str]:
    if example.times > 1:
        yield "long text"
    elif len(example.deltas) < 2:
        yield "in one piece"
        return
    ends = [(one[-12:], other[:12]) for one, other in pairwise(example.deltas)]
    if all(len(delta) == 1 for delta in example.deltas):
        yield "one character at a time"
    if any(_HALF_TAG.search(one) and _REST_OF_TAG.match(other) for one, other in ends):
        yield "tag cut in two"
    if any("\ud800" <= one[-1] <= "\udbff" and "\udc00" <= other[0] <= "\udfff" for one, other in ends):
        yield "surrogate pair cut in two"
    if any("\\" in one and _HALF_ESCAPE.search(one) for one, _ in ends):
        yield "escape cut in two"
