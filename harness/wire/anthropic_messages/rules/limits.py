"""What there may be only so much of: cache marks, and text in the context window."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from harness.finding import Finding
from harness.wire.anthropic_messages.read import blocks_of
from harness.wire.anthropic_messages.rules.history import AnthropicHistory, is_marked, texts_of
from harness.wire.anthropic_messages.rules.table.body import ANT_CACHE
from harness.wire.anthropic_messages.rules.table.settings import ANT_30
from harness.wire.lenient import objects

_MOST_MARKS: Final = 4


def cache_marks(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-CACHE: no more than four marks in tools, system and messages."""
    count = history.settings.marked + history.marked
    if count > _MOST_MARKS:
        marked = [block.at for entry in history.entries for block in entry.blocks if is_marked(block.native)]
        at = marked[-1] if marked else "system" if history.settings.body.get("system") else "tools"
        expected, got = f"{_MOST_MARKS} marks or fewer", str(count)
        yield ANT_CACHE.broken(at, expected=expected, got=got, most=_MOST_MARKS, count=count)


# --- the context window: ANT-30 -------------------------------------------------------------------------------


def context_window(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-30: what is sent fits, as far as words can show.

    Words are only counted where there are so many characters that there could be too many: each has one at least, and
    one that parts it from the next, or the end of its text.
    """
    settings, window, output = history.settings, history.settings.window, history.settings.counted_output
    if not window or (history.size + settings.size) // 2 + output <= window:
        return
    tokens = sum(len(text.split()) for text in _all_texts(history))
    words: dict[str, Any] = {"tokens": tokens, "window": window, "output": output}
    expected = f"{window} tokens or fewer"
    if tokens > window:
        yield ANT_30.broken("messages", expected=expected, got=f"{tokens} words", **words)
    elif tokens + output > window:
        got = f"{tokens} words and {output} tokens to be written"
        yield ANT_30.broken("max_tokens", expected=expected, got=got, template="with-output", **words)


def _all_texts(history: AnthropicHistory) -> Iterator[str]:
    yield from texts_of(blocks_of(history.settings.body.get("system")))
    for message in objects(history.messages):
        yield from texts_of(blocks_of(message.get("content")))
