"""Whether the messages fit into the model's context window, reckoned from below.

The published tokenizers cut a text before they merge characters: no token has white space in it but in front of a
word or between words, so each run of other characters is at least one token. What templates, roles, images and tools
add is left out. The true number is higher, so a request that is reported is too long for certain.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.finding import Finding
from harness.wire.base import Json
from harness.wire.lenient import members, objects, string
from harness.wire.openai_chat.models import MODELS
from harness.wire.openai_chat.rules.history import ChatHistory, calls_of
from harness.wire.openai_chat.rules.table import OAC_17
from harness.wire.openai_models import CONTEXT_WINDOW, TOKENIZER


def fits_into_the_window(history: ChatHistory) -> Iterator[Finding]:
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
