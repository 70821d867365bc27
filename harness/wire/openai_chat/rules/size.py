"""Whether the messages fit into the model's context window, by a lower bound of their tokens.

The published tokenizers cut a text before they merge characters: a token has white space only in front of a word or
between words, so each run of other characters is at least one token. Templates, roles, images and tools are not
counted. The true number is higher, so a reported request is certainly too long.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from harness.wire.base import Json
from harness.wire.lenient import members, objects, string
from harness.wire.openai_chat.models import MODELS
from harness.wire.openai_chat.rules.book import RULES
from harness.wire.openai_chat.rules.history import ChatHistory, Found, calls_of
from harness.wire.openai_chat.rules.places import fact, maker, messages, of_role
from harness.wire.openai_models import CONTEXT_WINDOW, TOKENIZER
from harness.wire.posted import Posted, Right, Wrong, put
from harness.wire.rule import ErrorTemplate, WireRule

_LARGEST: Final = 200_000
"""The largest window, in tokens, that an edit fills: more would only take time."""


def _fill(posted: Posted, largest: int) -> bool:
    window, users = fact(posted, CONTEXT_WINDOW), of_role(posted, "user")
    return bool(window) and window <= largest and put(users[-1:], content="and " * (window + 1))


OAC_17: Final = WireRule(
    "OAC-17",
    "The messages fit into the model's context window.",
    "A loop that never shortens its history reaches the limit in the middle of its work, and no retry helps.",
    "certain",
    (
        "https://github.com/crewAIInc/crewAI-examples/issues/121",
        "DeepSeek: recording chat_real_error_scenarios_deepseek_deepseek-chat_handles_context_length_exceeded_errors",
        "tokens are counted from below: each run of characters between white space is at least one, as the published "
        "tokenizers cut there before they merge; the real number is higher",
        "likely, where the tokenizer is not published",
    ),
    (
        ErrorTemplate(
            "This model's maximum context length is {limit} tokens. However, your messages resulted in {tokens} "
            "tokens. Please reduce the length of the messages.",
            param="messages",
            code="context_length_exceeded",
            seen="This model's maximum context length is 8192 tokens. However, your messages resulted in 8227 "
            "tokens. Please reduce the length of the messages.",
            name="openai",
        ),
        ErrorTemplate(
            "This model's maximum context length is {limit} tokens. However, you requested {tokens} tokens "
            "({tokens} in the messages, 0 in the completion). Please reduce the length of the messages or "
            "completion.",
            code="invalid_request_error",
            seen="This model's maximum context length is 1048565 tokens. However, you requested 1250025 tokens "
            "(1250025 in the messages, 0 in the completion). Please reduce the length of the messages or "
            "completion.",
            name="deepseek",
        ),
    ),
    applies="models whose window is known",
    wrong=(
        Wrong(
            "chat-window-full",
            "The history is longer than the model's window.",
            lambda it: _fill(it, _LARGEST),
            "small",
        ),
        Wrong(
            "chat-window-full-at-deepseek",
            "The history is longer than DeepSeek's window of a million tokens.",
            lambda it: maker(it) == "deepseek" and _fill(it, 2_000_000),
            "deepseek",
            says="deepseek",
        ),
    ),
    right=(
        Right(
            "chat-window-half-full",
            "A long history that fits.",
            lambda it: put(messages(it)[-1:], content="and " * 4000),
            "small",
        ),
    ),
)


@RULES.check("model", OAC_17)
def fits_into_the_window(history: ChatHistory) -> Found:
    """OAC-17: the request has more tokens than the model's context window. Words are counted, at one token each."""
    window = MODELS.value(CONTEXT_WINDOW, history.model)
    if not isinstance(window, int):
        return
    texts = [text for message in history.messages for text in _texts(message)]
    if sum(map(len, texts)) + len(texts) <= 2 * window:  # of n characters every second begins a run at most
        return
    tokens = sum(len(text.encode("utf-8", "replace").split()) for text in texts)
    if tokens > window:
        yield OAC_17.broken(
            "messages",
            expected=f"at most {window} tokens",
            got=f"at least {tokens} tokens",
            template=history.in_words_of_its_maker(OAC_17),
            certainty=None if MODELS.holds(TOKENIZER, history.model) else "likely",
            limit=window,
            tokens=tokens,
        )


def _texts(message: Json) -> Iterator[str]:
    content = message.get("content")
    yield string(content)
    for part in objects(content):
        yield string(part.get("text"))
    for call in calls_of(message):
        yield string(members(call.get("function")).get("arguments"))
