"""OAI-26 to OAI-28: what a model supports, how much it can read, and that a history only grows."""

from __future__ import annotations

from typing import Final

from harness.wire.rule import WireRule, Wording

__all__ = ["OAI_26", "OAI_27", "OAI_28"]

_UNSUPPORTED: Final = "Unsupported parameter: '{name}' is not supported with this model."

OAI_26: Final = WireRule(
    "OAI-26",
    "A request sets only what its model supports: no sampling parameters and no logprobs while it reasons, no "
    "reasoning effort on a model that does not reason, and only the efforts that it has.",
    "A loop with fixed settings fails as soon as somebody changes the model.",
    "L",
    (
        "https://github.com/hotovo/aider-desk/issues/427, https://github.com/AnswerDotAI/shell_sage/issues/77 "
        "(temperature)",
        "https://github.com/RageAgainstThePixel/OpenAI-DotNet/issues/500, "
        "https://github.com/BoundaryML/baml/pull/2708 (reasoning.effort)",
        "https://github.com/anomalyco/opencode/issues/4451 (an effort that the model does not have)",
        "recording GenSync-TopLogprobs of gpt-5.6-sol",
    ),
    (
        (
            "sampling",
            Wording(
                _UNSUPPORTED,
                "{name}",
                level="C",
                seen="Unsupported parameter: 'temperature' is not supported with this model.",
            ),
        ),
        (
            "reasoning",
            Wording(
                _UNSUPPORTED,
                "{name}",
                "unsupported_parameter",
                level="C",
                seen="Unsupported parameter: 'reasoning.effort' is not supported with this model.",
            ),
        ),
        (
            "effort",
            Wording(
                "Unsupported value: '{effort}' is not supported with the '{model}' model. Supported values are: "
                "{supported}.",
                "reasoning.effort",
                "unsupported_value",
                seen="Unsupported value: 'minimal' is not supported with the 'gpt-5.1' model. Supported values are: "
                "'none', 'low', 'medium', and 'high'.",
            ),
        ),
        (
            "logprobs",
            Wording(
                "logprobs are not supported with reasoning models.",
                "top_logprobs",
                "unsupported_parameter",
                level="C",
                seen="logprobs are not supported with reasoning models.",
            ),
        ),
    ),
    applies="models of which the model table says it; sampling is likely where it depends on the effort, inferred for "
    "a default value",
)

OAI_27: Final = WireRule(
    "OAI-27",
    "The history fits into the model's context window, unless the request lets the provider cut it.",
    "A loop that keeps every tool result fails for good once its history is too long: sending it again does not help.",
    "C",
    (
        "recording chat_real_error_scenarios_openai_gpt-5-nano_handles_context_length_exceeded_errors",
        "https://github.com/maximhq/bifrost/issues/4413 (in a stream)",
        "https://github.com/openai/tiktoken/blob/main/tiktoken_ext/openai_public.py (how texts are split)",
    ),
    (
        (
            "overflow",
            Wording(
                "Your input exceeds the context window of this model. Please adjust your input and try again.",
                "input",
                "context_length_exceeded",
                seen="Your input exceeds the context window of this model. Please adjust your input and try again.",
            ),
        ),
    ),
    applies="models of known window; certain where the tokenizer is published, likely for newer models. Counted are "
    "the words that begin with a letter or a digit: each is a token or more, so the true length is greater",
)

OAI_28: Final = WireRule(
    "OAI-28",
    "A history only grows: what the request before said, and what the model answered, is said again, in the same "
    "order, before anything new. Reasoning may be left out.",
    "Nobody refuses it. The model has forgotten what it was told, and the prompt cache is lost from there on.",
    "I",
    ("not checked by OpenAI; inferred from what a model can know",),
    (
        (
            "broken",
            Wording(
                "The history is not that of the request before: from here on the prompt cache is lost, and the model "
                "does not know what is missing.",
                status=200,
            ),
        ),
    ),
    applies="requests after a reply in the same case, histories that are only named included",
)
