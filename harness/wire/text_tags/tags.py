"""The tags of the protocol, found in text that arrives in pieces.

No tag is the beginning of another, and ``<`` is only at the front of each, so one pass finds them. Text that may still
become a tag (at most twelve characters) is held back until the next piece decides it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum


class Tag(StrEnum):
    """A tag; its value is the text that the model writes. Case matters; tags have no attributes."""

    THINK = "<think>"
    THINK_END = "</think>"
    CALL = "<tool_call>"
    CALL_END = "</tool_call>"
    GEMMA_CALL = "<|tool_call>"
    GEMMA_CALL_END = "<tool_call|>"
    PIPED_CALL = "<|tool_call|>"
    PIPED_CALL_END = "<|/tool_call|>"


END_OF = {
    Tag.CALL: Tag.CALL_END,
    Tag.GEMMA_CALL: Tag.GEMMA_CALL_END,
    Tag.PIPED_CALL: Tag.PIPED_CALL_END,
}
"""The three forms of a call: the tag that begins it and the one that ends it."""

ENDS = frozenset(END_OF.values())

_TAG = re.compile("|".join(map(re.escape, Tag)))
_TAGS = {tag.value: tag for tag in Tag}
_LONGEST = max(map(len, Tag))
_BEGINNINGS = frozenset(tag[:length] for tag in Tag for length in range(1, len(tag)))


class TagLexer:
    """Text in, tags and the text between them out. Nothing is lost: the joined output is the input."""

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> Sequence[Tag | str]:
        """Take the next piece; returns what is decided. No returned text is empty or contains half a tag."""
        if not self._held and "<" not in text:
            return (text,) if text else ()
        text, self._held = self._held + text, ""
        tokens: list[Tag | str] = []
        at = 0
        for found in _TAG.finditer(text):
            if at < found.start():
                tokens.append(text[at : found.start()])
            tokens.append(_TAGS[found[0]])
            at = found.end()
        end = _end_of_decided(text, at)
        self._held = text[end:]
        if at < end:
            tokens.append(text[at:end])
        return tokens

    def end(self) -> str:
        """The text that was held back and has become no tag."""
        held, self._held = self._held, ""
        return held


def _end_of_decided(text: str, at: int) -> int:
    """The place of the end of ``text`` that may become a tag with more text."""
    begun = text.rfind("<", max(at, len(text) - _LONGEST + 1))
    return begun if begun >= 0 and text[begun:] in _BEGINNINGS else len(text)
