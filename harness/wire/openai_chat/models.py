"""Facts about some models on Chat Completions, which many servers speak.

The facts about OpenAI's own models are in the table shared by both of its wires. This table adds the maker of a model,
if its name shows that, and what other makers' servers refuse or accept differently.
"""

from __future__ import annotations

from typing import Final

from harness.wire.models import THINKS, ModelFact, ModelTable
from harness.wire.openai_models import CONTEXT_WINDOW, OPENAI_MODELS

MAKER: Final = "maker"
"""The maker whose server accepts this name, or ``"elsewhere"`` for others that serve models under their own names. It
is also the name of a wording, if the maker has its own words for a refusal."""

OPENAI: Final = "openai"
"""The value of ``MAKER`` for names that only OpenAI's own server uses, even if it has no such model."""

RESPONSES_ONLY: Final = "tools refused"
"""When tools are refused on Chat: ``"by default"`` even if the request sets no effort, ``"when asked"`` only if it
does. A model that no fact covers accepts tools at any effort."""

STOP_REFUSED: Final = "stop refused"
"""True: it refuses ``stop``."""

TEXT_ONLY: Final = "text only"
"""True: it refuses images."""

REASONING_WANTED: Final = "reasoning wanted"
"""When a server wants the thinking back with the calls: ``"unless disabled"``, since it thinks by default, or only
``"when enabled"``."""

REASONING_PER_QUESTION: Final = "reasoning per question"
"""True: thinking from before the user's last message may be missing."""

LENIENT: Final = "lenient"
"""True: a local server, which passes messages to its template unchanged and does not pair calls and results."""

NINE_CHARACTERS: Final = "nine characters"
"""True: a name on Mistral's own server, which accepts only ids of nine letters and digits."""

SIGNATURES_WANTED: Final = "signatures wanted"
"""True: it wants the signature of a turn's first call back."""

FORCED_CHOICE: Final = "forced choice"
"""When a thinking server refuses a ``tool_choice`` that forces a call: ``"unless disabled"``, or ``"when enabled"``."""

_RECORDED: Final = "names of recorded requests to it"


def _maker(name: str, pattern: str, source: str = _RECORDED) -> ModelFact:
    return ModelFact(MAKER, f"names that begin like {name}'s", pattern, source, name)


_MAKERS: Final = (
    ModelFact(
        MAKER, "models that were tuned at OpenAI", r"^ft:", "https://developers.openai.com/api/docs/models", OPENAI
    ),
    ModelFact(
        MAKER,
        "names with the maker or a size in them, as routers and local servers have them; open weights",
        r"[/:]|^openai\.|gpt-oss|^databricks-",
        "recordings of OpenRouter, Hugging Face, Together, Ollama, Bedrock and Databricks",
        "elsewhere",
    ),
    _maker(OPENAI, r"^(?:chat)?gpt-\d|^gpt-audio|^gpt-realtime|^o\d(?:-|$)|^codex-", "the SDK's names of chat models"),
    _maker("deepseek", r"^deepseek-"),
    _maker("mistral", r"^(?:open-)?(?:mistral|mixtral|ministral|magistral|codestral|pixtral|devstral|voxtral)-"),
    _maker("moonshot", r"^(?:kimi|moonshot)-", "https://github.com/MoonshotAI/kimi-cli/issues/2405"),
    _maker("qwen", r"^(?:qwen|qwq|qvq)"),
    _maker("google", r"^(?:gemini|gemma)-", "https://github.com/manthanabc/paws/issues/103"),
    _maker("anthropic", r"^claude-"),
    _maker("meta", r"^(?:meta-)?llama"),
    _maker("xai", r"^grok-"),
    _maker("zhipu", r"^glm-"),
    _maker("minimax", r"^minimax-"),
    _maker("xiaomi", r"^mimo-"),
    _maker("perplexity", r"^sonar"),
)

_TOOLS: Final = (
    ModelFact(
        RESPONSES_ONLY,
        "gpt-5.6 and later, gpt-6",
        r"^gpt-(?:5\.[6-9]|6)",
        "https://github.com/BerriAI/litellm/pull/34569 (tried: refused without an effort, accepted at none); "
        "recordings of gpt-5.6-luna at effort none",
        "by default",
    ),
    ModelFact(
        RESPONSES_ONLY,
        "gpt-5.4, gpt-5.5",
        r"^gpt-5\.[45]",
        "https://github.com/pipecat-ai/pipecat/issues/4043; recordings of gpt-5.4 with tools and without an effort",
        "when asked",
    ),
    ModelFact(
        FORCED_CHOICE,
        "DeepSeek's V4",
        r"^deepseek-v4",
        "recording forced_tool_choice_under_thinking_is_rejected_upstream",
        "unless disabled",
    ),
    ModelFact(
        FORCED_CHOICE,
        "Qwen's models",
        r"^qwen",
        "recordings of qwen3.8-max with enable_thinking (GenSync-Tools-SquareRoot-1)",
        "when enabled",
    ),
)

_PARAMETERS: Final = (
    ModelFact(
        STOP_REFUSED,
        "o3, o4-mini, gpt-5 and later without the chat models",
        r"^o[34](?:-|$)|^gpt-(?:5(?:\.\d)?(?!(?:\.\d)?-chat)|6)(?:-|\.|$)",
        "the SDK's ChatCompletion parameters, 3.54.0; recording GenSync-Stop of gpt-5.6-sol",
    ),
)

_THINKING: Final = (
    ModelFact(
        THINKS,
        "Kimi K2.5 and later, Kimi K2 Thinking",
        r"(?:^|/)kimi-k(?:2\.[5-9]|[3-9]|2-thinking)",
        "https://platform.moonshot.cn/docs/guide/use-kimi-k2-thinking-model",
    ),
    ModelFact(
        THINKS,
        "Qwen's large models, at their maker's server",
        r"^qwen[\w.-]*-(?:max|plus|turbo|flash)",
        "recordings of qwen3.8-max with enable_thinking and of qwen3-vl-flash without",
        value=False,
    ),
    ModelFact(
        THINKS,
        "open weights of Qwen 3 and later",
        r"qwen-?[3-9](?!.*(?:instruct|coder|asr|embedding|-vl-))",
        "recordings of Qwen3-4B, Qwen3-1.7B, Qwen3.5-9B, Qwen3.5-397B-A17B and qwen3.5-122b-a10b without a setting",
    ),
    ModelFact(
        THINKS,
        "GLM-4.5 and later",
        r"(?:^|/)glm-(?:4\.[5-9]|[5-9])",
        "recordings of GLM-5.2 at two servers without a setting",
    ),
    ModelFact(THINKS, "MiniMax M2", r"minimax-m2", "a recording of minimax-m2 without a setting"),
    ModelFact(THINKS, "MiMo V2.5 Pro", r"(?:^|/)mimo-v2\.5-pro", "a recording of mimo-v2.5-pro without a setting"),
    ModelFact(
        REASONING_WANTED,
        "DeepSeek's V4 and its reasoner, Kimi K2.5 and later, Kimi K2 Thinking",
        r"^(?!.*:)(?:deepseek-(?:v4|flash|reasoner)|kimi-k(?:2\.[5-9]|[3-9]|2-thinking))",
        "https://github.com/mnfst/modelparams.dev/issues/29, https://github.com/iOfficeAI/AionUi/issues/2746, "
        "https://github.com/abhigyanpatwari/GitNexus/issues/43",
        "unless disabled",
    ),
    ModelFact(
        REASONING_WANTED,
        "deepseek-chat",
        r"^deepseek-chat$",
        "https://github.com/continuedev/continue/issues/8989; recordings of it without thinking and without its member",
        "when enabled",
    ),
    ModelFact(
        REASONING_PER_QUESTION,
        "deepseek-reasoner, deepseek-chat",
        r"^deepseek-(?:reasoner|chat)$",
        "https://api-docs.deepseek.com/guides/thinking_mode of the time of V3.2",
    ),
    ModelFact(
        SIGNATURES_WANTED,
        "Gemini 3",
        r"^gemini-3",
        "https://github.com/manthanabc/paws/issues/103, https://ai.google.dev/gemini-api/docs/thought-signatures",
    ),
)

_SERVERS: Final = (
    ModelFact(
        LENIENT,
        "names with a tag, as Ollama has them, and files of llama.cpp",
        r"^(?!ft:)[\w.-]+:(?!\d$)[\w.-]+$|\.gguf$",
        "Ollama's openai package and llama.cpp's server convert messages one by one; the latter answered 16 of 19 "
        "requests with mistakes",
    ),
    ModelFact(
        NINE_CHARACTERS,
        "Mistral's own names",
        r"^(?:open-|labs-)?(?:mistral|mixtral|ministral|magistral|codestral|pixtral|devstral|voxtral)-[\w-]*"
        r"(?:latest|\d{4})$|^open-mi[sx]tral-",
        "https://github.com/nearai/ironclaw/issues/1241, https://github.com/anomalyco/opencode/issues/1680, "
        "https://github.com/karthink/gptel/issues/1203; recordings of it have no other ids",
    ),
)

_PARTS: Final = (
    ModelFact(
        TEXT_ONLY,
        "gpt-3.5-turbo, the first gpt-4, o1-mini, o1-preview, o3-mini",
        r"^gpt-3\.5|^gpt-4(?:-0\d{3}|-32k|-1106|-0125-preview)?(?:-0\d{3})?$|^o1-(?:mini|preview)|^o3-mini",
        "https://developers.openai.com/api/docs/models",
    ),
    ModelFact(
        TEXT_ONLY,
        "DeepSeek's own",
        r"^deepseek-(?:chat|reasoner|flash|v\d)[\w.-]*$",
        "recordings blocking_image_base64_part_reaches_the_wire, blocking_pdf_document_part_reaches_the_wire",
    ),
)

_WINDOWS: Final = (
    ModelFact(
        CONTEXT_WINDOW,
        "DeepSeek's own",
        r"^deepseek-",
        "recording chat_real_error_scenarios_deepseek_deepseek-chat_handles_context_length_exceeded_errors",
        1_048_565,
    ),
    ModelFact(
        CONTEXT_WINDOW,
        "Claude Haiku 4.5",
        r"claude-haiku-4[.-]5",
        "recording chat_real_error_scenarios_openrouter_claude-haiku-4-5_handles_context_length_exceeded_errors",
        200_000,
    ),
    ModelFact(
        CONTEXT_WINDOW,
        "gpt-oss",
        r"gpt-oss[:-]\d+b",
        "https://developers.openai.com/api/docs/models/gpt-oss-120b; recording "
        "chat_real_error_scenarios_ollama_cloud_gpt-oss_120b_handles_context_length_exceeded_errors",
        131_072,
    ),
)

MODELS: Final = ModelTable(
    *_MAKERS, *_TOOLS, *_PARAMETERS, *_THINKING, *_SERVERS, *_PARTS, *_WINDOWS, *OPENAI_MODELS.facts
)
"""All facts that the rules of this wire ask for."""
