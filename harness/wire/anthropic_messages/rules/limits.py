"""Limits of cache marks, and of text in the context window."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from harness.finding import Finding
from harness.wire.anthropic_messages.blocks import blocks_of
from harness.wire.anthropic_messages.rules.book import HISTORY_RULES
from harness.wire.anthropic_messages.rules.history import (
    LARGER_WINDOW,
    AnthropicHistory,
    HistoryPart,
    is_marked,
    size_of,
    texts_of,
)
from harness.wire.anthropic_messages.rules.places import (
    betas,
    calls_of,
    fact,
    last_user,
    latest_calling,
    listed,
    mark,
    messages,
    of_kind,
    say,
    text,
    tools,
)
from harness.wire.lenient import objects
from harness.wire.posted import Posted, Right, Wrong, add, drop, put
from harness.wire.rule import ErrorTemplate, WireRule

_MOST_MARKS: Final = 4


def _mark_everything(posted: Posted) -> bool:
    found = [block for message in messages(posted) for block in listed(message)]
    marked = [*tools(posted), *of_kind(found, "text", "tool_use", "tool_result")]
    return len(marked) > _MOST_MARKS and mark(marked)


def _mark_what_is_new(posted: Posted) -> bool:
    """Append texts with marks until there is one mark too many."""
    found = [block for message in messages(posted) for block in listed(message)]
    more = [text("See.") for _ in range(_MOST_MARKS + 1 - sum(map(is_marked, [*tools(posted), *found])))]
    return mark(more) and add(last_user(posted), "content", *more)


def _mark_five_tools(posted: Posted) -> bool:
    """Declare five tools with marks, and send no instructions."""
    for tool in tools(posted)[:1]:
        posted.body.pop("system", None)
        put([posted.body], tools=[{**tool, "name": f"tool_{number}"} for number in range(5)])
        return mark(tools(posted))
    return False


def _mark_four(posted: Posted) -> bool:
    """Mark the first message, the last tool, the last call, and the user's last text."""
    for turn in latest_calling(posted):
        first, last = listed(messages(posted)[0])[-1], last_user(posted)[0]["content"][-1]
        return mark([first, tools(posted)[-1], calls_of(turn)[-1], last])
    return False


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
    wrong=(
        Wrong("ant-cache-marks", "Every block has a cache mark.", _mark_everything, "two-calls several-turns"),
        Wrong(
            "ant-cache-marks-of-what-is-new",
            "With what is new there is a mark too many.",
            _mark_what_is_new,
            "effort one-call",
        ),
        Wrong("ant-cache-marks-of-tools", "Five tools have marks.", _mark_five_tools, "one-call"),
    ),
    right=(
        Right(
            "ant-cache-marked",
            "Cache marks in the prefix.",
            lambda it: mark([listed(messages(it)[0])[-1], tools(it)[-1]]),
            "bound-thinking one-call",
            also=("ANT-18",),
        ),
        Right("ant-cache-marked-four-times", "As many cache marks as there may be.", _mark_four, "effort one-call"),
    ),
)


@HISTORY_RULES.carry(0)
def _marks(before: int, part: HistoryPart) -> int:
    """The blocks with cache marks."""
    return before + sum([is_marked(block.native) for block in part.blocks])


@HISTORY_RULES.check("content", ANT_CACHE)
def cache_marks(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-CACHE: no more than four marks in tools, system and messages."""
    count = history.settings.marked + history.through(_marks)
    if count > _MOST_MARKS:
        marked = [block.at for block in history.blocks if is_marked(block.native)]
        at = marked[-1] if marked else "system" if history.settings.body.get("system") else "tools"
        expected, got = f"{_MOST_MARKS} marks or fewer", str(count)
        yield ANT_CACHE.broken(at, expected=expected, got=got, most=_MOST_MARKS, count=count)


def _say_words(posted: Posted, more: int) -> bool:
    """Send ``more`` words more than the model's window has tokens."""
    window = fact(posted, "window")
    if not window or LARGER_WINDOW in betas(posted):
        return False
    return add(last_user(posted), "content", text("a " * (window + more)))


def _say_only_words(posted: Posted, more: int) -> bool:
    """Send as many words as the model's window has tokens, and so many more: in texts and results of each form."""
    window = fact(posted, "window")
    if not window or LARGER_WINDOW in betas(posted) or "thread" in posted.body:
        return False
    drop([posted.body], "tools")
    few, rest = _words(1000), _words(window + more - 3002)
    call = {"type": "tool_use", "id": "toolu_01words", "name": "read_file", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "toolu_01words"}
    put([posted.body], system=few, messages=[])
    say(posted, "user", [text(rest), {"type": "other", "text": "a"}])
    say(posted, "assistant", [call])
    say(posted, "user", [{**result, "content": few}])
    say(posted, "assistant", [{**call, "id": "toolu_02words"}])
    say(posted, "user", [{**result, "tool_use_id": "toolu_02words", "content": [text(_words(250))] * 4}])
    return say(posted, "assistant", "a") and say(posted, "user", "a")


def _words(count: int) -> str:
    return " ".join("a" * count)


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
    wrong=(
        Wrong(
            "ant-context-too-long",
            "There are more words than fit.",
            lambda it: _say_words(it, 1),
            "opus-4-1 manual-thinking",
        ),
        Wrong(
            "ant-one-word-too-many",
            "There is one word more than fits.",
            lambda it: _say_only_words(it, 1),
            "manual-thinking",
        ),
        Wrong(
            "ant-no-room-for-the-answer",
            "What is said and what is to be written do not fit together.",
            lambda it: fact(it, "counts-output") and _say_words(it, -1000),
            "opus-4-1",
            says="with-output",
        ),
    ),
    right=(
        Right(
            "ant-window-full",
            "As many words as the window has tokens.",
            lambda it: _say_only_words(it, 0),
            "manual-thinking",
        ),
    ),
)


@HISTORY_RULES.carry(0)
def _size(before: int, part: HistoryPart) -> int:
    """The characters of texts and results."""
    return before + sum([size_of(block.native) for block in part.blocks])


@HISTORY_RULES.check("whole", ANT_30)
def context_window(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-30: the request fits into the window, by a count of its words.

    Words are counted only if there are enough characters for too many words: each word has at least one character, and
    a separator or the end of its text.
    """
    settings, window, output = history.settings, history.settings.window, history.settings.counted_output
    if not window or (history.through(_size) + settings.size) // 2 + output <= window:
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
