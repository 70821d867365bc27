"""What depends on the model: settings, context window and lengths: OAI-26, OAI-27, OAI-LENGTH."""

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
    KNOWN,
    OPENAI_MODELS,
    REASONING,
    SAMPLING,
    TOKENIZER,
)
from harness.wire.openai_responses.rules.asked import Asked
from harness.wire.openai_responses.rules.book import RULES
from harness.wire.openai_responses.rules.places import ask, last, say
from harness.wire.openai_responses.rules.words import brief, listed
from harness.wire.posted import Posted, Right, Wrong, drop, put
from harness.wire.rule import Certainty, ErrorTemplate, WireRule, verbatim
from harness.wire.turn import Call, Refusal, Text

_UNSUPPORTED: Final = "Unsupported parameter: '{name}' is not supported with this model."

_LONGEST_KEY: Final = 64

_SAMPLING: Final = {"temperature": 1, "top_p": 1}
"""The parameters that a reasoning model refuses, with their defaults."""


OAI_26: Final = WireRule(
    "OAI-26",
    "A request sets only what its model supports: no sampling parameters and no logprobs while it reasons, no "
    "reasoning effort on a model that does not reason, and only the efforts that it has.",
    "A loop with fixed settings fails as soon as the model is changed.",
    "likely",
    (
        "https://github.com/hotovo/aider-desk/issues/427, https://github.com/AnswerDotAI/shell_sage/issues/77 "
        "(temperature)",
        "https://github.com/RageAgainstThePixel/OpenAI-DotNet/issues/500, "
        "https://github.com/BoundaryML/baml/pull/2708 (reasoning.effort)",
        "https://github.com/anomalyco/opencode/issues/4451 (an effort that the model does not have)",
        "recording GenSync-TopLogprobs of gpt-5.6-sol",
    ),
    (
        ErrorTemplate(
            _UNSUPPORTED,
            "{name}",
            certainty="certain",
            seen="Unsupported parameter: 'temperature' is not supported with this model.",
            name="sampling",
        ),
        ErrorTemplate(
            _UNSUPPORTED,
            "{name}",
            "unsupported_parameter",
            certainty="certain",
            seen="Unsupported parameter: 'reasoning.effort' is not supported with this model.",
            name="reasoning",
        ),
        ErrorTemplate(
            "Unsupported value: '{effort}' is not supported with the '{model}' model. Supported values are: "
            "{supported}.",
            "reasoning.effort",
            "unsupported_value",
            seen="Unsupported value: 'minimal' is not supported with the 'gpt-5.1' model. Supported values are: "
            "'none', 'low', 'medium', and 'high'.",
            name="effort",
        ),
        verbatim(
            "logprobs are not supported with reasoning models.",
            "top_logprobs",
            "unsupported_parameter",
            certainty="certain",
            name="logprobs",
        ),
    ),
    applies="models of which the model table says it; sampling is likely where it depends on the effort, inferred for "
    "a default value",
    wrong=(
        Wrong(
            "responses-temperature-unsupported",
            "A reasoning model gets a temperature.",
            lambda it: ask(it, "gpt-5", temperature=0.2),
            "one-call",
        ),
        Wrong(
            "responses-temperature-at-effort",
            "A model that reasons in this request gets a temperature.",
            lambda it: ask(it, "gpt-5.4", "high", temperature=0.2),
            "one-call without-reasoning",
        ),
        Wrong(
            "responses-effort-unsupported",
            "A model without reasoning gets an effort.",
            lambda it: ask(it, "gpt-4o", "low"),
            "without-reasoning",
            says="reasoning",
        ),
        Wrong(
            "responses-effort-unknown",
            "A model gets an effort of another.",
            lambda it: ask(it, "gpt-5.1", "minimal"),
            "one-call without-reasoning",
            says="effort",
        ),
        Wrong(
            "responses-effort-of-others",
            "A model that has one effort gets another.",
            lambda it: ask(it, "gpt-5-pro", "low"),
            "one-call without-reasoning",
            says="effort",
        ),
        Wrong(
            "responses-logprobs-unsupported",
            "A reasoning model gets logprobs.",
            lambda it: ask(it, "gpt-5.6-sol", "low", top_logprobs=2),
            "one-call",
            says="logprobs",
        ),
    ),
    right=(
        Right(
            "responses-temperature",
            "A model without reasoning gets a temperature.",
            lambda it: ask(it, "gpt-4.1", temperature=0.2),
            "without-reasoning",
        ),
        Right(
            "responses-temperature-unthinking",
            "A model that does not reason unasked gets a temperature.",
            lambda it: ask(it, "gpt-5.4", temperature=0.2),
            "without-reasoning",
        ),
        Right(
            "responses-effort", "A reasoning model gets an effort.", lambda it: ask(it, "gpt-5.5", "xhigh"), "one-call"
        ),
    ),
)


@RULES.check("model", OAI_26)
def settings_are_supported(asked: Asked) -> Iterator[Finding]:
    """OAI-26. Models that are not in the table are not judged."""
    effort = _effort(asked.body)
    reasons = OPENAI_MODELS.value(REASONING, asked.model)
    if effort is not None:
        yield from _bad_effort(asked.model, effort, reasons)
    if not reasons:
        return
    if effort is None:
        effort = OPENAI_MODELS.value(DEFAULT_EFFORT, asked.model)
    yield from _sampling_findings(asked, effort)
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


def _sampling_findings(asked: Asked, effort: object) -> Iterator[Finding]:
    """Parameters of sampling. Nobody has reported that a default value is refused, too."""
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


def _outgrow_the_window(posted: Posted, **members: Any) -> bool:
    """Send more than the window of ``gpt-4`` takes."""
    drop([posted.body], "truncation", "context_management")
    put([posted.body], model="gpt-4", **members)
    return say(posted, {"role": "user", "content": "word " * 9_000})


OAI_27: Final = WireRule(
    "OAI-27",
    "The history fits into the model's context window, unless the request lets the provider cut it.",
    "A loop that keeps every tool result fails for good once its history is too long: sending it again does not help.",
    "certain",
    (
        "recording chat_real_error_scenarios_openai_gpt-5-nano_handles_context_length_exceeded_errors",
        "https://github.com/maximhq/bifrost/issues/4413 (in a stream)",
        "https://github.com/openai/tiktoken/blob/main/tiktoken_ext/openai_public.py (how texts are split)",
    ),
    (
        verbatim(
            "Your input exceeds the context window of this model. Please adjust your input and try again.",
            "input",
            "context_length_exceeded",
            name="overflow",
        ),
    ),
    applies="models of known window; certain where the tokenizer is published, likely for newer models. Counted are "
    "the words that begin with a letter or a digit: each is a token or more, so the true length is greater",
    wrong=(
        Wrong(
            "responses-window-outgrown",
            "A model with a small window gets a long text.",
            _outgrow_the_window,
            "without-reasoning one-call",
        ),
    ),
    right=(
        Right(
            "responses-cut-by-the-provider",
            "The provider may cut a long history.",
            lambda it: put([it.body], truncation="auto"),
            "one-call",
        ),
        Right(
            "responses-long-and-cut-by-the-provider",
            "The provider may cut a history that is too long.",
            lambda it: _outgrow_the_window(it, truncation="auto"),
            "without-reasoning",
        ),
        Right(
            "responses-long-and-compacted-by-the-provider",
            "The provider may compact a history that is too long.",
            lambda it: _outgrow_the_window(it, context_management=[{"type": "compaction", "compact_threshold": 4096}]),
            "without-reasoning",
        ),
        Right(
            "responses-long-without-words",
            "A history that is long has few words.",
            lambda it: ask(it, "gpt-4") and say(it, {"role": "user", "content": "- " * 50_000}),
            "without-reasoning",
        ),
    ),
)


@RULES.check("model", OAI_27)
def history_fits_the_window(asked: Asked) -> Iterator[Finding]:
    """OAI-27, by a number of tokens that is certainly too low: the beginnings of words.

    They are counted only if there can be enough of them; to check that takes a hundredth of the time.
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


OAI_LENGTH: Final = WireRule(
    "OAI-LENGTH",
    "prompt_cache_key has at most 64 characters, and a reasoning item goes back without content: its text is in "
    "encrypted_content.",
    "A key that is put together from the ids of session, agent and task fails in the first long one. Thinking in plain "
    "text, as open models on this API have it, cannot be handed to a model that encrypts its own.",
    "certain",
    (
        "https://github.com/theopenco/llmgateway/pull/3110 (a key: the whole body)",
        "https://github.com/earendil-works/pi/pull/4719 (a key)",
        "https://github.com/musistudio/claude-code-router/issues/1783 (content: text, param and code)",
        "https://github.com/querymt/querymt/issues/976 (content)",
        "accepted by others, whose reasoning it is: recordings test_deepseek_responses[function_tool] and "
        "reasoning_content_tool_roundtrip (llama.cpp)",
    ),
    (
        ErrorTemplate(
            "Invalid '{param}': string too long. Expected a string with maximum length {limit}, but got a string "
            "with length {length} instead.",
            "{param}",
            "string_above_max_length",
            seen="Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64, but got a "
            "string with length 72 instead.",
            name="text",
        ),
        ErrorTemplate(
            "Invalid '{param}': array too long. Expected an array with maximum length 0, but got an array with "
            "length {length} instead.",
            "{param}",
            "array_above_max_length",
            seen="Invalid 'input[39].content': array too long. Expected an array with maximum length 0, but got an "
            "array with length 1 instead.",
            name="content",
        ),
    ),
    applies="the key: OpenAI's models; content: those that reason",
    wrong=(
        Wrong(
            "responses-reasoning-in-plain-text",
            "Reasoning goes back with its text, as open models have it.",
            lambda it: (
                OPENAI_MODELS.holds(REASONING, it.model_of_body)
                and put(last(it, "reasoning"), content=[{"type": "reasoning_text", "text": "I need the file."}])
            ),
            "one-call foreign-history",
            says="content",
        ),
        Wrong(
            "responses-cache-key-long",
            "The key of the prompt cache is made of two ids.",
            lambda it: OPENAI_MODELS.holds(KNOWN, it.model_of_body) and put([it.body], prompt_cache_key="k" * 72),
            "without-reasoning one-call",
        ),
    ),
)


@RULES.check("forms", OAI_LENGTH)
def nothing_is_too_long(asked: Asked) -> Iterator[Finding]:
    """OAI-LENGTH, for names of OpenAI's models: other servers have limits, and reasoning, of their own."""
    key = asked.body.get("prompt_cache_key")
    if isinstance(key, str) and len(key) > _LONGEST_KEY and OPENAI_MODELS.holds(KNOWN, asked.model):
        param, length = "prompt_cache_key", len(key)
        yield OAI_LENGTH.broken(
            param,
            expected=f"at most {_LONGEST_KEY} characters",
            got=f"{length} characters",
            param=param,
            limit=_LONGEST_KEY,
            length=length,
        )
    if OPENAI_MODELS.holds(REASONING, asked.model):
        yield from _reasoning_content(asked)


def _reasoning_content(asked: Asked) -> Iterator[Finding]:
    for entry in asked.entries:
        content = entry.raw.get("content")
        if entry.kind == "reasoning" and isinstance(content, list) and content:
            yield OAI_LENGTH.broken(
                entry.at,
                expected="reasoning without content",
                got=f"content of {len(content)} parts",
                template="content",
                param=f"{entry.at}.content",
                length=len(content),
            )
