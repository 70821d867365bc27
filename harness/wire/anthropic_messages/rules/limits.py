"""What there may be only so much of: cache marks, and text in the context window."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from harness.wire.anthropic_messages.models import MODELS
from harness.wire.anthropic_messages.read import blocks_of
from harness.wire.anthropic_messages.rules.history import History, Settings
from harness.wire.anthropic_messages.table.body import ANT_CACHE
from harness.wire.anthropic_messages.table.settings import ANT_30
from harness.wire.base import Json, Violation
from harness.wire.lenient import entries, objects

__all__ = ["cache_marks", "context_window", "is_marked", "size_of"]

_MOST_MARKS: Final = 4
_BETA: Final = "context-1m"


def cache_marks(history: History) -> Iterator[Violation]:
    """ANT-CACHE: no more than four marks in tools, system and messages."""
    body = history.settings.body
    marked = [*filter(is_marked, objects(body.get("tools"))), *filter(is_marked, objects(body.get("system")))]
    count, at = history.prefix.marked + len(marked), "system" if body.get("system") else "tools"
    for entry in history.entries:
        for block in entry.blocks:
            if "cache_control" in block.native and is_marked(block.native):
                count += 1
                at = block.at
    if count > _MOST_MARKS:
        expected, got = f"{_MOST_MARKS} marks or fewer", str(count)
        yield ANT_CACHE.broken(at, expected=expected, got=got, most=_MOST_MARKS, count=count)


def is_marked(block: Json) -> bool:
    """Whether the provider is asked to cache all up to this block."""
    return block.get("cache_control") is not None


# --- the context window: ANT-30 -------------------------------------------------------------------------------


def context_window(history: History) -> Iterator[Violation]:
    """ANT-30: what is sent fits, as far as words can tell.

    Words are only counted where there are so many characters that there could be too many: each has one at least,
    and one that parts it from the next.
    """
    settings, window = history.settings, _window(history.settings)
    output = settings.body.get("max_tokens")
    output = output if isinstance(output, int) and MODELS.holds("counts-output", settings.model) else 0
    size = history.prefix.size + sum([size_of(block.native) for entry in history.entries for block in entry.blocks])
    if not window or (size + _size(_system(settings))) // 2 + 1 + output <= window:
        return
    tokens = sum(len(text.split()) for text in _all_texts(history))
    words: dict[str, Any] = {"tokens": tokens, "window": window, "output": output}
    expected = f"{window} tokens or fewer"
    if tokens > window:
        yield ANT_30.broken("messages", expected=expected, got=f"{tokens} words", saying="input", **words)
    elif tokens + output > window:
        got = f"{tokens} words and {output} tokens to be written"
        yield ANT_30.broken("max_tokens", expected=expected, got=got, saying="with-output", **words)


def _window(settings: Settings) -> int:
    window = MODELS.value("window", settings.model)
    if _BETA in settings.headers.get("anthropic-beta", ""):
        window = MODELS.value("beta-window", settings.model) or window
    return window if isinstance(window, int) else 0


def size_of(block: Json) -> int:
    """How many characters a block shows the model for certain: those of a text, and of texts in a result."""
    return _size(_texts(block))


def _size(texts: Iterable[str]) -> int:
    return sum(map(len, texts))


def _texts(block: Json) -> Iterator[str]:
    kind = block.get("type")
    if kind == "text":
        yield from _text(block.get("text"))
    elif kind == "tool_result":
        for inner in blocks_of(block.get("content")):
            yield from _text(inner.get("text"))


def _text(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value


def _system(settings: Settings) -> Iterator[str]:
    for block in blocks_of(settings.body.get("system")):
        yield from _text(block.get("text"))


def _all_texts(history: History) -> Iterator[str]:
    yield from _system(history.settings)
    for message in objects(entries(history.messages)):
        for block in blocks_of(message.get("content")):
            yield from _texts(block)
