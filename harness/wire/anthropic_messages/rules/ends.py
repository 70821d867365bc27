"""A history ends with the user, unless the model accepts a prefill: ANT-13, ANT-PREFILL."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from harness.finding import Finding
from harness.wire.anthropic_messages.models import MODELS
from harness.wire.anthropic_messages.rules.book import HISTORY_RULES
from harness.wire.anthropic_messages.rules.history import AnthropicHistory, is_server_result
from harness.wire.anthropic_messages.rules.places import fact, say, search, text
from harness.wire.anthropic_messages.rules.shape import shown
from harness.wire.posted import Right, Wrong
from harness.wire.rule import WireRule, verbatim

ANT_13: Final = WireRule(
    "ANT-13",
    "The last message is not the assistant's. Only a paused turn (pause_turn), whose server tool still runs, is sent "
    "back with the assistant at the end; a system message may follow the user's.",
    "A loop that asks again without having added a result or a message starts the answer for the model.",
    "certain",
    (
        "https://platform.claude.com/docs/en/api/errors#prefill-not-supported",
        "https://github.com/strands-agents/sdk-python/issues/1694",
        "the exception: recording test_pause_turn_web_search_streaming_vcr",
    ),
    (
        verbatim(
            "This model does not support assistant message prefill. The conversation must end with a user message.",
            name="prefill",
        ),
    ),
    applies="Claude 4.6 and later models",
    wrong=(
        Wrong(
            "ant-prefill",
            "The assistant's answer is begun for it.",
            lambda it: fact(it, "no-prefill") and say(it, "assistant", "It prints"),
            "one-call several-turns foreign thread",
        ),
    ),
    right=(
        Right(
            "ant-prefill-of-an-older-model",
            "A prefill for an older model.",
            lambda it: say(it, "assistant", "It prints"),
            "opus-4-1 manual-thinking",
        ),
        Right(
            "ant-paused-turn",
            "A paused turn at the end.",
            lambda it: say(it, "assistant", [search("srvtoolu_01paused")]),
            "several-turns",
            also=("ANT-23",),
        ),
    ),
)

ANT_PREFILL: Final = WireRule(
    "ANT-PREFILL",
    "Where the assistant's last message starts the answer (prefill), its text does not end with white space.",
    "A loop that sends its last, broken turn back as it came is refused for a trailing blank.",
    "certain",
    (
        "https://github.com/tailcallhq/forgecode/issues/1872",
        "https://github.com/langchain-ai/langchain/issues/35071",
        "https://github.com/crewAIInc/crewAI/pull/4538",
    ),
    (verbatim("messages: final assistant content cannot end with trailing whitespace", name="trailing"),),
    applies="models that take a prefill: before Claude 4.6",
    wrong=(
        Wrong(
            "ant-prefill-with-a-blank",
            "The answer is begun for an older model, with white space at its end.",
            lambda it: not fact(it, "no-prefill") and fact(it, "known") and say(it, "assistant", [text("It prints ")]),
            "opus-4-1 manual-thinking",
        ),
    ),
)


@HISTORY_RULES.check("end", ANT_13, ANT_PREFILL)
def ends_with_user(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-13, ANT-PREFILL: newer models refuse a prefill, older ones a prefill that ends with white space.

    A paused turn alone is sent back with the assistant at the end.
    """
    if not history.entries or history.entries[-1].role != "assistant":
        return
    entry, last = history.entries[-1], history.runs[-1]
    answered = {block.id for block in last.blocks if is_server_result(block)}
    if any(block.id not in answered for block in last.of("server_tool_use", "mcp_tool_use")):
        return
    if MODELS.holds("no-prefill", history.settings.model):
        yield ANT_13.broken(entry.at, expected="a user message at the end", got="an assistant message")
        return
    text = entry.blocks[-1].native.get("text") if entry.blocks else None
    if isinstance(text, str) and text != text.rstrip() and MODELS.holds("known", history.settings.model):
        got = shown(text[-20:])
        yield ANT_PREFILL.broken(entry.blocks[-1].at, expected="text without white space at its end", got=got)
