"""Rules that depend on the model: what it supports (OAI-26), and how much it can read (OAI-27)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from harness.finding import Finding
from harness.wire.base import Conversation, Json, Result
from harness.wire.openai_models import (
    CONTEXT_WINDOW,
    DEFAULT_EFFORT,
    EFFORTS,
    OPENAI_MODELS,
    REASONING,
    SAMPLING,
    TOKENIZER,
)
from harness.wire.openai_responses.rules.asked import Asked
from harness.wire.openai_responses.rules.table import OAI_26, OAI_27
from harness.wire.openai_responses.rules.words import brief, listed
from harness.wire.rule import Certainty
from harness.wire.turn import Call, Refusal, Text

_SAMPLING: Final = {"temperature": 1, "top_p": 1}
"""The parameters that a reasoning model does not take, with their defaults."""


def settings_are_supported(asked: Asked) -> Iterator[Finding]:
    """OAI-26. Nothing is said of a model that the table does not know."""
    effort = _effort(asked.body)
    reasons = OPENAI_MODELS.value(REASONING, asked.model)
    if effort is not None:
        yield from _bad_effort(asked.model, effort, reasons)
    if not reasons:
        return
    if effort is None:
        effort = OPENAI_MODELS.value(DEFAULT_EFFORT, asked.model)
    yield from _sampled(asked, effort)
    if asked.body.get("top_logprobs") and effort not in (None, "none"):
        yield OAI_26.broken(
            "top_logprobs",
            expected="no top_logprobs while the model reasons",
            got=f"{asked.body['top_logprobs']} at effort {effort}",
            template="logprobs",
        )


def _effort(body: Json) -> Any:
    reasoning = body.get("reasoning")
    return reasoning.get("effort") if isinstance(reasoning, dict) else None


def _bad_effort(model: str, effort: Any, reasons: object) -> Iterator[Finding]:
    if reasons is False:
        name = "reasoning.effort"
        yield OAI_26.broken(name, expected=f"none for {model}", got=brief(effort), template="reasoning", name=name)
        return
    efforts = OPENAI_MODELS.value(EFFORTS, model)
    if isinstance(efforts, tuple) and effort not in efforts:
        yield OAI_26.broken(
            "reasoning.effort",
            expected=f"one of {', '.join(efforts)}",
            got=brief(effort),
            template="effort",
            effort=effort,
            model=model,
            supported=listed(efforts),
        )


def _sampled(asked: Asked, effort: object) -> Iterator[Finding]:
    """Parameters of sampling. That a default value is refused, too, nobody has reported."""
    when = OPENAI_MODELS.value(SAMPLING, asked.model)
    if when is None or (when == "without reasoning" and effort in (None, "none")):
        return
    for name, default in _SAMPLING.items():
        value = asked.body.get(name)
        if value is None:
            continue
        certainty: Certainty = "inferred" if value == default else "certain" if when == "never" else "likely"
        expected = f"no {name}{'' if when == 'never' else f' at effort {effort}'} for {asked.model}"
        yield OAI_26.broken(name, expected=expected, got=str(value), certainty=certainty, name=name)


# --- length -----------------------------------------------------------------------------------------------------

_WORD: Final = re.compile(r"(?<!\S)[^\W_]")
"""The beginning of a word: a letter or digit at the start of the text or behind white space.

The published tokenizers split a text before they look up tokens, and no piece goes on from white space into a second
word, so each such beginning lies in a token of its own.
"""

_SPACES: Final = " \t\n\r\v\f\x1c\x1d\x1e\x1f"
"""All of ASCII's white space."""


def history_fits_the_window(asked: Asked) -> Iterator[Finding]:
    """OAI-27, by a number of tokens that is certainly too low: the beginnings of words.

    They are counted only where there can be enough of them, which takes a hundredth of the time to find out.
    """
    window = OPENAI_MODELS.value(CONTEXT_WINDOW, asked.model)
    if not isinstance(window, int) or asked.body.get("truncation") == "auto" or asked.body.get("context_management"):
        return
    texts = list(_texts(asked.conversation))
    if sum(map(len, texts)) <= window or sum(map(_words_at_most, texts)) <= window:
        return
    least = sum(len(_WORD.findall(text)) for text in texts)
    if least > window:
        certainty: Certainty | None = None if OPENAI_MODELS.value(TOKENIZER, asked.model) else "likely"
        expected = f"at most {window} tokens for {asked.model}"
        yield OAI_27.broken("input", expected=expected, got=f"{least} tokens or more", certainty=certainty)


def _words_at_most(text: str) -> int:
    """Every word but the first has white space before it."""
    spaces = sum(map(text.count, _SPACES)) if text.isascii() else len(text) // 2
    return spaces + 1


def _texts(conversation: Conversation) -> Iterator[str]:
    """What the model reads as text: images, files and reasoning are not counted."""
    for message in conversation.messages:
        for part in message.parts:
            if isinstance(part, Text | Refusal):
                yield part.text
            elif isinstance(part, Call):
                yield part.arguments
            elif isinstance(part, Result):
                yield part.output
