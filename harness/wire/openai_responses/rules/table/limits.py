"""What a model supports, how much is taken, and that a history only grows: OAI-26 to OAI-28, OAI-LENGTH."""

from __future__ import annotations

from typing import Final

from harness.wire.rule import ErrorTemplate, WireRule, verbatim

_UNSUPPORTED: Final = "Unsupported parameter: '{name}' is not supported with this model."

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
)

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
)

OAI_28: Final = WireRule(
    "OAI-28",
    "A history only grows: what the request before said, and what the model answered, is said again, in the same "
    "order, before anything new. Reasoning may be left out.",
    "No server refuses it. The model has lost its instructions, and the prompt cache is lost from there on.",
    "inferred",
    ("not checked by OpenAI; inferred from what a model can know",),
    (
        ErrorTemplate(
            "The history is not that of the request before: from here on the prompt cache is lost, and the model "
            "does not know what is missing.",
            status=200,
            name="broken",
        ),
    ),
    applies="requests after a reply in the same case, histories that are only named included",
    about=("words",),
)

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
)
