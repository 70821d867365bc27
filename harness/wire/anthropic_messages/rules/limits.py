"""What there may be only so much of: cache marks, and text in the context window."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from harness.finding import Finding
from harness.wire.anthropic_messages.blocks import blocks_of
from harness.wire.anthropic_messages.rules.book import HISTORY_RULES
from harness.wire.anthropic_messages.rules.history import AnthropicHistory, is_marked, texts_of
from harness.wire.lenient import objects
from harness.wire.rule import ErrorTemplate, WireRule

_MOST_MARKS: Final = 4


ANT_CACHE: Final = WireRule(
    "ANT-CACHE",
    "At most four blocks of a request (tools, system and messages together) have cache_control.",
    "A loop that marks each new turn without taking the old marks back fails with its fifth.",
    "certain",
    (
        "https://github.com/tghamm/Anthropic.SDK/issues/50",
        "https://github.com/continuedev/continue/pull/6937",
        "https://github.com/vellum-ai/vellum-assistant/pull/18023",
    ),
    (
        ErrorTemplate(
            "A maximum of {most} blocks with cache_control may be provided. Found {count}.",
            seen="A maximum of 4 blocks with cache_control may be provided. Found 5.",
            name="several",
        ),
    ),
)


@HISTORY_RULES.check("content", ANT_CACHE)
def cache_marks(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-CACHE: no more than four marks in tools, system and messages."""
    count = history.settings.marked + history.marked
    if count > _MOST_MARKS:
        marked = [block.at for entry in history.entries for block in entry.blocks if is_marked(block.native)]
        at = marked[-1] if marked else "system" if history.settings.body.get("system") else "tools"
        expected, got = f"{_MOST_MARKS} marks or fewer", str(count)
        yield ANT_CACHE.broken(at, expected=expected, got=got, most=_MOST_MARKS, count=count)


ANT_30: Final = WireRule(
    "ANT-30",
    "What is sent fits into the model's context window.",
    "A loop without any compaction fails after enough turns, and fails again with every retry.",
    "certain",
    (
        "recording chat_real_error_scenarios_anthropic_claude-haiku-4-5_handles_context_length_exceeded_errors",
        "with max_tokens: https://github.com/docker/docker-agent/issues/569, "
        "https://github.com/continuedev/continue/issues/6080 and https://github.com/anomalyco/opencode/issues/798, all "
        "of 2025",
        "tokens are counted from below: one for each word (what white space separates) in texts and results. No "
        "tokenizer that is known here joins words, and thinking, arguments, images and tools are not counted at all. "
        "So most requests that are too long are not noticed, and none is that fits.",
    ),
    (
        ErrorTemplate(
            "prompt is too long: {tokens} tokens > {window} maximum",
            seen="prompt is too long: 213462 tokens > 200000 maximum",
            name="input",
        ),
        ErrorTemplate(
            "input length and `max_tokens` exceed context limit: {tokens} + {output} > {window}, decrease input "
            "length or `max_tokens` and try again",
            certainty="likely",
            seen="input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input "
            "length or `max_tokens` and try again",
            name="with-output",
        ),
    ),
)


@HISTORY_RULES.check("whole", ANT_30)
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
