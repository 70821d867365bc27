"""Refusals that are no fault of a request's history: what a model or a server cannot do, and what else is in the way.

No rule can be broken by a request here: whether it is refused depends on the model behind a name, on how a server was
started, or on a file elsewhere. So each is known by the words of the refusal, with those who have got it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal

ReasonKind = Literal["ability", "model", "key", "file", "length", "parameter", "answer", "unsaid"]
"""``ability``: the model or the server cannot do it. ``model``: it has no such model. ``key``: the key is wrong.
``file``: a file cannot be fetched or read. ``length``: more text than fits. ``parameter``: a setting that this server
checks for itself. ``answer``: what the model did is no answer. ``unsaid``: the server does not say what is wrong."""

Ability = Literal[
    "tools",
    "forced calls",
    "built-in tools",
    "parallel calls",
    "system role",
    "reasoning",
    "image input",
    "audio input",
    "video input",
    "files",
    "JSON mode",
    "JSON schema",
    "log probabilities",
    "web search",
    "penalties",
]
"""What a model or a server may be unable to do."""

REASONS: Final[dict[ReasonKind, str]] = {
    "ability": "the model or the server cannot do it; ask another model, or leave it out",
    "model": "the server has no model with this name; look at its list of models",
    "key": "the key is not accepted; nothing in the request is wrong",
    "file": "the server could not fetch or read a file; nothing in the history is wrong",
    "length": "the request has more text than the model takes; shorten the history",
    "parameter": "the server checks this setting for itself; change or leave it out",
    "answer": "the model's own answer is the fault; ask again, or give it more room",
    "unsaid": "the server does not say what is wrong; ask the provider behind it",
}
"""What each kind means for somebody who got the refusal."""


@dataclass(frozen=True, slots=True)
class RefusalReason:
    """A refusal in words that ``text`` finds (a regular expression, case ignored).

    ``server`` is the name of the server that says so, ``""`` for several; ``models`` says in words which models it was
    seen with. ``ability`` is what they cannot do, ``""`` where the kind is another. ``evidence`` is as in ``Practice``.
    """

    kind: ReasonKind
    text: str
    evidence: str
    ability: Ability | Literal[""] = ""
    server: str = ""
    models: str = ""
    _found: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_found", re.compile(self.text, re.IGNORECASE))

    def says(self, text: str) -> bool:
        """Whether a text says so."""
        return self._found.search(text) is not None


def _cannot(ability: Ability, server: str, models: str, text: str, evidence: str) -> RefusalReason:
    return RefusalReason("ability", text, evidence, ability, server, models)


_CALLS: Final = (
    _cannot(
        "tools",
        "groq",
        "groq/compound-mini",
        r"`tool calling` is not supported with this model",
        "recording GenStream-Tools-SquareRoot-1-any",
    ),
    _cannot(
        "tools",
        "ollama",
        "models whose template has no tools, such as gemma3:4b, llama2:13b, deepseek-r1:14b",
        r"\S does not support tools\b",
        "https://github.com/ollama/ollama/issues/11131",
    ),
    _cannot(
        "tools",
        "openrouter",
        "models of which no provider takes tools",
        r"No endpoints found that support tool use",
        "https://github.com/Kilo-Org/kilocode/issues/9006",
    ),
    _cannot(
        "forced calls",
        "openrouter",
        "GLM 4.5 Air",
        r"No endpoints found that support the provided 'tool_choice' value",
        "https://github.com/zed-industries/zed/issues/36094",
    ),
    _cannot(
        "tools",
        "vllm",
        "a server that was started without --enable-auto-tool-choice",
        r'"auto\\?" tool choice requires --enable-auto-tool-choice',
        "https://github.com/vllm-project/vllm/issues/9986",
    ),
    _cannot(
        "built-in tools",
        "groq",
        "groq/compound",
        r"tools\[\d+\]\.type must be one of \[function",
        "recording GenStream-Tools-WebSearch",
    ),
    _cannot(
        "built-in tools",
        "mistral",
        "ministral-3b-2512",
        r"^Input should be 'function'$",
        "recording GenStream-Tools-WebSearch",
    ),
    _cannot(
        "web search",
        "openai",
        "gpt-4o, and others without search in their names",
        r"Web search options not supported with this model",
        "recording test_openai_web_search_tool_model_not_supported",
    ),
    _cannot(
        "reasoning",
        "ollama",
        "models without the capability, such as gemma3n",
        r"\S does not support thinking\b|think value \\?\"\w+\\?\" is not supported for this model",
        "https://github.com/ollama/ollama/issues/11439, https://github.com/ollama/ollama/issues/12561",
    ),
    _cannot(
        "reasoning",
        "xai",
        "grok-4, grok-4-1-fast, grok-4.20",
        r"does not support parameter reasoningEffort",
        "https://github.com/NousResearch/hermes-agent/issues/23088",
    ),
    _cannot(
        "reasoning",
        "groq",
        "qwen/qwen3-32b: none or default only",
        r"reasoning_effort\W* must be one of \W*none",
        "https://github.com/earendil-works/pi/issues/1745",
    ),
    _cannot(
        "penalties",
        "xai",
        "its reasoning models",
        r"(?:does not support parameter|Argument not supported on this model:) (?:presence|frequency)Penalty",
        "https://github.com/open-webui/open-webui/issues/21266",
    ),
    _cannot(
        "system role",
        "gemini",
        "gemma-3, gemini-2.0-flash-exp with images",
        r"Developer instruction is not enabled for",
        "https://github.com/0xPlaygrounds/rig/issues/788",
    ),
)

_INPUT: Final = (
    _cannot(
        "image input",
        "mistral",
        "voxtral-small-latest",
        r"Image input is not enabled for this model",
        "recording GenStreamMultiModal-Image-jpg-URL",
    ),
    _cannot(
        "image input",
        "",
        "mimo-v2.5-pro; at OpenRouter models of which no provider takes images",
        r"No endpoints found that support image input",
        "recording GenStreamMultiModal-Image-jpg-URL",
    ),
    _cannot(
        "image input",
        "baseten",
        "openai/gpt-oss-120b, deepseek-ai/DeepSeek-V4-Pro",
        r"^image_url is not supported$|does not support multimodal \(image/video/audio\) inputs",
        "recording GenSyncMultiModal-Image-jpg-URL",
    ),
    _cannot(
        "image input",
        "huggingface",
        "Qwen/Qwen3-4B, meta-llama/Llama-3.1-8B-Instruct",
        r"is not a multimodal model|model features vision not support",
        "recording GenSyncMultiModal-Image-jpg-URL",
    ),
    _cannot(
        "image input",
        "groq",
        "groq/compound",
        r"messages\[\d+\]\.content must be a string",
        "recording GenStreamMultiModal-Image-jpg-URL",
    ),
    _cannot(
        "image input",
        "copilot",
        "parts of other types than text and image_url",
        r"type has to be either 'image_url' or 'text'",
        "https://github.com/decolua/9router/issues/219",
    ),
    _cannot(
        "audio input",
        "mistral",
        "ministral-8b-2512",
        r"Audio input is not enabled for this model",
        "recording GenStreamMultiModal-Audio-aac-Inline",
    ),
    _cannot(
        "video input",
        "llama.cpp",
        "Qwen3-VL-2B-Instruct",
        r"unsupported content\[\]\.type",
        "recording video_part_is_refused",
    ),
)

_OUTPUT: Final = (
    _cannot(
        "JSON schema",
        "groq",
        "groq/compound",
        r"does not support response format `json_schema`",
        "recording GenStream-JSONSchema",
    ),
    _cannot(
        "JSON schema",
        "openai",
        "gpt-audio",
        r"'response_format' of type 'json_schema' is not supported with this model",
        "recording GenStream-JSONSchema",
    ),
    _cannot(
        "JSON mode",
        "openai",
        "gpt-audio",
        r"'response_format' of type 'json_object' is not supported with this model",
        "recording GenStream-JSON",
    ),
    _cannot(
        "log probabilities",
        "openai",
        "gpt-audio",
        r"This model does not support the 'logprobs' parameter",
        "recording GenStream-TopLogprobs",
    ),
    _cannot(
        "log probabilities",
        "mistral",
        "ministral-3b-latest",
        r"Logprobs are not enabled for this model",
        "recording blocking_ministral_3b",
    ),
    _cannot(
        "log probabilities",
        "baseten",
        "zai-org/GLM-5.2: one at most",
        r"does not support logprobs > 1",
        "recording GenSync-TopLogprobs",
    ),
)


def _other(kind: ReasonKind, text: str, evidence: str, server: str = "") -> RefusalReason:
    return RefusalReason(kind, text, evidence, server=server)


_OTHERS: Final = (
    _other("model", r"is not a valid model ID|^invalid model ID$", "recording routed_failure_error_shape"),
    _other(
        "model",
        r"^The provided model identifier is invalid",
        "recording test_model_name_suggestion[bedrock]",
        "bedrock",
    ),
    _other(
        "model",
        r"^Invocation of model ID \S+ with on-demand throughput isn",
        "recording bare_profile_only_model_id_is_rejected",
        "bedrock",
    ),
    _other(
        "model",
        r"^This model version has reached the end of its life",
        "recording retired_model_id_preserves_provider_error",
        "bedrock",
    ),
    _other(
        "key", r"^The security token included in the request is expired", "recording bedrock_converse_error", "bedrock"
    ),
    _other("model", r"^Invalid model(?::| ')", "recording bad_request_response"),
    _other("model", r"^Model Not Exist$|The supported API model names are", "recording bad_model", "deepseek"),
    _other("model", r"^Specified model not found:", "recording nonexistent_model_error_preserves_status_and_body"),
    _other("model", r"Unable to access model", "recording GenStream", "together"),
    _other(
        "model",
        r"^Model not found: ",
        "recording provider_error_classifies_with_contract_but_reports_no_id",
        "xai",
    ),
    _other(
        "model",
        r"The API deployment for this resource does not exist|^Resource not found$",
        "recording test_chat_reasoning",
        "azure",
    ),
    _other(
        "model",
        r"The requested model is not supported|model_not_(?:supported|available)|unsupported_api_for_model",
        "https://github.com/decolua/9router/issues/3477",
        "copilot",
    ),
    _other("key", r"API key not valid|Incorrect API key", "recording auth_rejection_keeps_transport_shape"),
    _other(
        "file", r"Cannot fetch content from the provided URL", "recording test_model_sees_multiple_images", "vertex"
    ),
    _other("file", r"Download multimodal file timed out", "recording GenSyncMultiModal-Image-gif-URL", "qwen"),
    _other("file", r"^Error while downloading ", "recording test_vision", "openai"),
    _other("file", r"Failed to load (?:audio file|image or audio file)", "recording malformed_data_uri"),
    _other("file", r"Multimodal data is corrupted", "recording GenSyncMultiModal-Image-jpg-Inline", "xiaomi"),
    _other("length", r"total length of all messages is too long", "recording chat_real_error_scenarios", "perplexity"),
    _other("answer", r"Could not finish the message because max_tokens", "recording GenSync-Stop", "openai"),
    _other("answer", r"Tool call validation failed", "recording test_tool_use_failed_error", "groq"),
    _other(
        "answer",
        r"Tool choice is required, but model did not call a tool",
        "recording test_tool_use_failed_error_with_text",
        "groq",
    ),
    _other("parameter", r"Extra inputs are not permitted, field:", "recording GenSync-Tools-SquareRoot-1-any"),
    _other("parameter", r"^Field '\w+': \[json\.exception", "recording malformed_request_field", "llama.cpp"),
    _other("parameter", r"^Validation: ", "recording invalid_temperature_blocking"),
    _other("parameter", r"message=json schema is required", "recording GenStream-JSONSchema", "groq"),
    _other("unsaid", r"^Param Incorrect$|^Request Error$", "recording GenStreamMultiModal-Audio-aac-Inline", "xiaomi"),
    _other("unsaid", r"^Provider returned error$", "recording GenStream-Tools-SquareRoot-1", "openrouter"),
)

REFUSAL_REASONS: Final = (*_CALLS, *_INPUT, *_OUTPUT, *_OTHERS)
"""Every known reason, the abilities first."""


def refusal_reason(text: str) -> RefusalReason | None:
    """The reason that a refusal's message gives; None where it gives none that is known."""
    return next(_reasons(" ".join(text.split())), None)


def _reasons(text: str) -> Iterator[RefusalReason]:
    return (each for each in REFUSAL_REASONS if each.says(text))
