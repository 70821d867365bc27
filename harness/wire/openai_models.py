"""Facts about some of OpenAI's models, for both of its wires, as data with sources.

A name may have a vendor before it (``openai/gpt-4.1``) and a date after it; a fine-tuned model
(``ft:gpt-4o-mini-2024-07-18:...``) has the facts of its base model. The table says nothing about a model that no fact
covers: servers of other makers speak these wires, too.
"""

from __future__ import annotations

from typing import Final

from harness.wire.models import THINKS, ModelFact, ModelTable

KNOWN: Final = "known"
"""True: the name belongs to a family of OpenAI's; whether an account may use the model remains unknown. False: the name
belongs to another maker whose server speaks these wires."""

REASONING: Final = "reasoning"
"""True: it thinks before it answers unless a setting says otherwise; False: it never thinks."""

EFFORTS: Final = "efforts"
"""The values of ``reasoning.effort`` (Chat: ``reasoning_effort``), least first."""

DEFAULT_EFFORT: Final = "default effort"
"""The effort of a request that does not ask for one."""

SAMPLING: Final = "sampling"
"""When ``temperature`` and its like are accepted: ``"never"``, or only ``"without reasoning"``, at effort none."""

CONTEXT_WINDOW: Final = "context window"
"""The most tokens of a request, including answer and reasoning: the largest published figure."""

TOKENIZER: Final = "tokenizer"
"""The name of the published tokenizer."""

REFUSED_ROLES: Final = "refused roles"
"""The roles of messages that the model refuses."""

AUDIO: Final = "audio"
"""True: it accepts and returns sound on Chat."""

ADJACENT_CALLS: Final = "adjacent calls"
"""True: the server requires the calls of a turn side by side, with nothing between them and their outputs."""

REASONING_TEXT: Final = "reasoning text"
"""True: on Responses the server wants the text of its reasoning back with the calls, unless thinking is off."""

SHOWN_REASONING: Final = "shown reasoning"
"""How Responses show the thinking if the request asks for no summary: the raw ``"content"``, or a ``"summary"`` all the
same. Without this fact nothing is shown, as by OpenAI."""

ALWAYS_ENCRYPTED: Final = "always encrypted"
"""True: on Responses its reasoning has ``encrypted_content`` even if a request does not include it."""

PHASE: Final = "phase"
"""True: on Responses its messages say whether they are ``commentary`` or the ``final_answer``."""

_START: Final = r"(?:^|[/.:])"
_END: Final = r"(?:-\d{4}-\d\d-\d\d|-\d{4})?(?:$|:)"
_WORDS: Final = (
    "mini|nano|pro|max|turbo|codex|chat|latest|preview|audio|search|api|realtime|transcribe|tts|deep|research|vision|"
    "instruct|diarize|fast|sol|terra|luna|astra|law|cyber|rosalind|16k|32k|20b|120b"
)

_SDK: Final = "openai.types.ResponsesModel and ChatModel of the official SDK, 3.54.0"
_REASONING_GUIDE: Final = "https://developers.openai.com/api/docs/guides/reasoning"
_TIKTOKEN: Final = "https://github.com/openai/tiktoken/blob/main/tiktoken/model.py"
_MODELS: Final = "https://developers.openai.com/api/docs/models"


def _pattern_of(family: str, *, suffixes: str = "") -> str:
    """A pattern for the models of a family: its name, one of the suffixes or none, a date or none."""
    return f"{_START}(?:{family}){f'(?:-(?:{suffixes}))?' if suffixes else ''}{_END}"


_FAMILIES: Final = (
    ModelFact(
        KNOWN,
        "the families gpt-3.5 to gpt-6, o1 to o4, gpt-oss, and those named after a purpose",
        rf"{_START}(?:(?:chat)?gpt-(?:3\.5|4|4o|4\.1|4\.5|5|5\.\d|6|6\.\d|oss|audio|realtime|rosalind|daybreak-blue|"
        rf"daybreak-red)|o[1-4]|codex|computer-use)(?:-(?:{_WORDS}|\d{{4}}|\d\d))*(?:$|:)",
        _SDK,
    ),
)

_OTHERS: Final = (
    ModelFact(
        KNOWN,
        "DeepSeek's and xAI's",
        rf"{_START}(?:deepseek|grok)-",
        "recordings of both servers on the Responses API",
        False,
    ),
)

_REASONING: Final = (
    ModelFact(
        REASONING, "gpt-5-chat-latest and its successors", rf"{_START}gpt-5(?:\.\d)?-chat", _REASONING_GUIDE, False
    ),
    ModelFact(REASONING, "gpt-5 and later", rf"{_START}gpt-(?:[5-9])(?:\.\d)?(?:-|$|:)", _REASONING_GUIDE),
    ModelFact(REASONING, "the o series, codex-mini", rf"{_START}(?:o[1-4]|codex-mini)(?:-|$|:)", _REASONING_GUIDE),
    ModelFact(
        REASONING,
        "gpt-3.5, gpt-4, gpt-4o, gpt-4.1, gpt-4.5",
        rf"{_START}(?:chat)?gpt-(?:3\.5|4|4o|4\.1|4\.5)(?:-|$|:)",
        "https://github.com/RageAgainstThePixel/OpenAI-DotNet/issues/500 (gpt-4o), "
        "https://github.com/BoundaryML/baml/pull/2708 (gpt-4.1): reasoning.effort is refused",
        False,
    ),
)

_THINKING: Final = (
    ModelFact(
        THINKS,
        "Grok 3 Mini, Grok 4 and later",
        rf"{_START}grok-(?:3-mini|[4-9])(?!.*non-reasoning)",
        "recordings of grok-3-mini, grok-4-0709 and grok-4.3 on Responses without a setting",
    ),
    ModelFact(
        THINKS,
        "DeepSeek's V4 and its reasoner",
        r"(?:^|/)deepseek-(?:v4|flash|reasoner)",
        "recordings of deepseek-v4-flash on both wires, of deepseek-reasoner, and of DeepSeek-V4-Pro elsewhere",
    ),
    ModelFact(
        THINKS,
        "gpt-oss",
        r"gpt-oss",
        "recordings of gpt-oss-20b and gpt-oss-120b on both wires at six servers without a setting",
    ),
    ModelFact(
        SHOWN_REASONING,
        "gpt-oss, DeepSeek's own server",
        rf"gpt-oss|{_START}deepseek-",
        "recordings of gpt-oss-20b at two servers, and of deepseek-v4-flash",
        "content",
    ),
    ModelFact(
        SHOWN_REASONING,
        "xAI's",
        rf"{_START}grok-",
        "36 recorded items of grok-3-mini, grok-4-0709 and grok-4.3 without a setting",
        "summary",
    ),
    ModelFact(
        ALWAYS_ENCRYPTED,
        "gpt-5.6 and later, gpt-6",
        rf"{_START}gpt-(?:5\.[6-9]|6)",
        "recorded items of gpt-5.6-sol, gpt-5.6-luna, gpt-5.6-terra and gpt-6-astra; those of gpt-5.5 and before have "
        "it only where it is included",
    ),
)

_EFFORTS: Final = (
    ModelFact(
        EFFORTS,
        "gpt-5-pro",
        _pattern_of("gpt-5-pro"),
        "https://developers.openai.com/api/docs/models/gpt-5-pro",
        ("high",),
    ),
    ModelFact(
        EFFORTS,
        "gpt-6-astra",
        _pattern_of("gpt-6-astra"),
        "https://docs.oxen.ai/inference-api/reference/models/gpt-6-astra.md",
        ("low", "medium", "high", "xhigh", "max"),
    ),
    ModelFact(
        EFFORTS,
        "gpt-5.6 with its variants, gpt-6-sol, gpt-6-luna",
        _pattern_of(r"gpt-5\.6|gpt-5\.6-(?:sol|terra|luna)|gpt-6-sol|gpt-6-luna"),
        "https://github.com/anomalyco/opencode/issues/36141, https://docs.litellm.ai/blog/gpt_6_sol_luna",
        ("none", "low", "medium", "high", "xhigh", "max"),
    ),
    ModelFact(
        EFFORTS,
        "gpt-5.2, gpt-5.4 and gpt-5.5, mini and nano too",
        _pattern_of(r"gpt-5\.[245]", suffixes="mini|nano"),
        "https://docs.rs/crate/meerkat-core/0.6.25/source/src/model_profile/capabilities/openai.rs (tried on the API)",
        ("none", "low", "medium", "high", "xhigh"),
    ),
    ModelFact(
        EFFORTS,
        "gpt-5.3-codex",
        _pattern_of(r"gpt-5\.3-codex"),
        "https://developers.openai.com/api/docs/models/gpt-5.3-codex",
        ("low", "medium", "high", "xhigh"),
    ),
    ModelFact(
        EFFORTS,
        "gpt-5.1",
        _pattern_of(r"gpt-5\.1"),
        "https://github.com/anomalyco/opencode/issues/4451 (the refusal names them)",
        ("none", "low", "medium", "high"),
    ),
    ModelFact(
        EFFORTS,
        "gpt-5, gpt-5-mini, gpt-5-nano",
        _pattern_of("gpt-5", suffixes="mini|nano"),
        "https://github.com/openai/openai-agents-python/pull/1439, and the guide: models before gpt-5.1 have no none",
        ("minimal", "low", "medium", "high"),
    ),
    ModelFact(
        EFFORTS,
        "o1, o3, o3-mini, o4-mini",
        _pattern_of("o1|o3|o3-mini|o4-mini"),
        "https://github.com/davidmigloz/langchain_dart/pull/760 (the guide, quoted)",
        ("low", "medium", "high"),
    ),
    ModelFact(
        DEFAULT_EFFORT,
        "gpt-5.1, gpt-5.2, gpt-5.4, mini and nano too",
        _pattern_of(r"gpt-5\.[124]", suffixes="mini|nano"),
        "recorded responses, which name the effort (gpt-5.2, gpt-5.4, gpt-5.4-mini); "
        "https://learn.microsoft.com/en-us/javascript/api/@azure/ai-projects/reasoningeffort (gpt-5.1)",
        "none",
    ),
    ModelFact(
        DEFAULT_EFFORT,
        "gpt-5.3-codex, gpt-5.5, gpt-5.6, gpt-6-sol, gpt-6-luna and models before gpt-5.1",
        _pattern_of(
            r"gpt-5\.3-codex|gpt-5\.5|gpt-5\.6(?:-(?:sol|terra|luna))?|gpt-6-(?:sol|luna)|gpt-5(?:-mini|-nano)?|o1|o3|o3-mini|o4-mini"
        ),
        "recorded responses, which name the effort (gpt-5, gpt-5.3-codex, gpt-5.5, gpt-5.6, o4-mini); "
        "https://docs.litellm.ai/blog/gpt_6_sol_luna, "
        "https://learn.microsoft.com/en-us/javascript/api/@azure/ai-projects/reasoningeffort",
        "medium",
    ),
)

_PARAMETERS: Final = (
    ModelFact(
        SAMPLING,
        "the o series, gpt-5, gpt-5-mini, gpt-5-nano, gpt-5-pro, and every codex",
        rf"{_pattern_of('o1|o3|o4', suffixes='mini|pro|preview')}|{_pattern_of('gpt-5', suffixes='mini|nano|pro')}|"
        rf"{_START}(?:codex-mini|gpt-5(?:\.\d)?-codex)",
        "https://github.com/hotovo/aider-desk/issues/427 (gpt-5-codex), "
        "https://github.com/AnswerDotAI/shell_sage/issues/77 (gpt-5.2-codex), "
        "https://github.com/gofireflyio/aiac/issues/128 (o3-mini), https://community.openai.com/t/1337957 (gpt-5-mini)",
        "never",
    ),
    ModelFact(
        SAMPLING,
        "gpt-5.1 and later, gpt-6",
        _pattern_of(r"gpt-5\.\d|gpt-6(?:\.\d)?", suffixes="mini|nano|sol|terra|luna|astra"),
        "https://docs.litellm.ai/blog/gpt_6_astra, https://developers.openai.com/api/docs/guides/latest-model",
        "without reasoning",
    ),
    ModelFact(
        PHASE,
        "gpt-5.3-codex, gpt-5.4 and later, gpt-6",
        rf"{_START}gpt-(?:5\.3-codex|5\.[4-9]|6)",
        "recorded responses (gpt-5.3-codex, gpt-5.4, gpt-5.5, gpt-5.6; those of gpt-5.2 and before have none)",
    ),
    ModelFact(PHASE, "DeepSeek's own server", rf"{_START}deepseek-", "recorded responses of deepseek-v4-flash"),
    ModelFact(
        REFUSED_ROLES,
        "o1-mini, o1-preview",
        rf"{_START}o1-(?:mini|preview)",
        "recording test_openai_o1_mini_system_role",
        ("system", "developer"),
    ),
    ModelFact(
        AUDIO,
        "gpt-4o-audio-preview, gpt-4o-mini-audio-preview, gpt-audio, gpt-audio-mini",
        rf"{_START}gpt-(?:4o-|4o-mini-)?audio",
        f"{_SDK}; recordings with gpt-audio and gpt-4o-mini-audio-preview",
    ),
    ModelFact(
        ADJACENT_CALLS,
        "DeepSeek's own server",
        rf"{_START}deepseek-",
        "recording test_deepseek_responses_rejects_interleaved_function_calls",
    ),
    ModelFact(
        REASONING_TEXT,
        "DeepSeek's own server, but for deepseek-chat, which does not think",
        r"^deepseek-(?!chat)[\w.-]+$",
        "https://github.com/rikkahub/rikkahub/issues/1690, https://github.com/rikkahub/rikkahub/issues/1629",
    ),
)

_WINDOWS: Final = (
    ModelFact(
        CONTEXT_WINDOW,
        "gpt-5.4, gpt-5.5, gpt-5.6, gpt-6",
        rf"{_START}gpt-(?:5\.[4-6]|6(?:\.\d)?)(?:-|$|:)",
        "https://replicate.com/openai/gpt-5.4, https://vercel.com/ai-gateway/models/gpt-6-astra.md; the mini and nano "
        "models have less",
        1_050_000,
    ),
    ModelFact(CONTEXT_WINDOW, "gpt-5 to gpt-5.3", rf"{_START}gpt-5(?:\.[1-3])?(?:-|$|:)", f"{_MODELS}/gpt-5", 400_000),
    ModelFact(CONTEXT_WINDOW, "gpt-4.1", rf"{_START}gpt-4\.1(?:-|$|:)", f"{_MODELS}/gpt-4.1", 1_047_576),
    ModelFact(CONTEXT_WINDOW, "gpt-4o", rf"{_START}(?:chat)?gpt-4o(?:-|$|:)", f"{_MODELS}/gpt-4o", 128_000),
    ModelFact(CONTEXT_WINDOW, "o1-mini, o1-preview", rf"{_START}o1-(?:mini|preview)", f"{_MODELS}/o1-mini", 128_000),
    ModelFact(
        CONTEXT_WINDOW,
        "the o series, codex-mini",
        rf"{_START}(?:o1|o3|o4-mini|codex-mini)(?:-|$|:)",
        f"{_MODELS}/o3; https://community.openai.com/t/1344734 (o4-mini's refusal names 200000)",
        200_000,
    ),
    ModelFact(
        CONTEXT_WINDOW,
        "gpt-4-turbo and the previews before it",
        rf"{_START}gpt-4-(?:turbo|1106|0125|vision)",
        f"{_MODELS}/gpt-4-turbo",
        128_000,
    ),
    ModelFact(CONTEXT_WINDOW, "gpt-4-32k", rf"{_START}gpt-4-32k", f"{_MODELS}/gpt-4", 32_768),
    ModelFact(CONTEXT_WINDOW, "gpt-4", rf"{_START}gpt-4(?:-\d{{4}})?(?:$|:)", f"{_MODELS}/gpt-4", 8_192),
    ModelFact(CONTEXT_WINDOW, "gpt-3.5-turbo", rf"{_START}gpt-3\.5-turbo", f"{_MODELS}/gpt-3.5-turbo", 16_385),
)

_TOKENIZERS: Final = (
    ModelFact(
        TOKENIZER,
        "gpt-4o, gpt-4.1, gpt-4.5, gpt-5, the o series",
        rf"{_START}(?:(?:chat)?gpt-(?:4o|4\.1|4\.5|5)|o1|o3|o4-mini)(?:-|$|:)",
        _TIKTOKEN,
        "o200k_base",
    ),
    ModelFact(TOKENIZER, "gpt-4, gpt-3.5-turbo", rf"{_START}gpt-(?:4|3\.5-turbo)(?:-|$|:)", _TIKTOKEN, "cl100k_base"),
)

OPENAI_MODELS: Final = ModelTable(
    *_FAMILIES, *_OTHERS, *_REASONING, *_THINKING, *_EFFORTS, *_PARAMETERS, *_WINDOWS, *_TOKENIZERS
)
"""The facts about OpenAI's models, and about other makers' models that differ on OpenAI's wires."""
