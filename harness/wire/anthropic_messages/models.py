"""Facts about some Claude models. If several facts have the same name, the first that covers a model counts."""

from __future__ import annotations

from typing import Final

from harness.wire.models import THINKS, ModelFact, ModelTable

# --- which models ---------------------------------------------------------------------------------------------

_KNOWN: Final = (
    r"(?:^|[./])claude-(?:instant|[12](?:[.-]|$)|3(?:-[57])?-(?:opus|sonnet|haiku)"
    r"|(?:opus|sonnet|haiku|fable|mythos)-\d|mythos-preview)"
)
_BEFORE_3_7: Final = r"claude-(?:instant|[12](?:[.-]|$)|3-(?!7))"
_SONNET_3_7: Final = r"claude-3-7"
_4_TO_4_5: Final = r"claude-(?:opus|sonnet|haiku)-4(?:-[0-5](?!\d)|-20\d{6}|@|$)"
_OPUS_4_AND_4_1: Final = r"claude-opus-4(?:-[01](?!\d)|-20\d{6}|@|$)"
_4_6: Final = r"claude-(?:opus|sonnet)-4-6(?!\d)"
_FROM_4_6: Final = r"claude-(?:(?:opus|sonnet|haiku)-(?:4-[6-9](?!\d)|[5-9])|(?:fable|mythos)-[5-9])"
_FROM_4_7: Final = r"claude-(?:(?:opus|sonnet|haiku)-(?:4-[7-9](?!\d)|[5-9])|(?:fable|mythos)-[5-9])"
_FROM_5: Final = r"claude-(?:opus|sonnet|haiku|fable|mythos)-[5-9]"
_FROM_4_8: Final = r"claude-(?:opus-(?:4-[89](?!\d)|[5-9])|(?:sonnet|haiku|fable|mythos)-[5-9])"
_OPUS_FROM_5_5: Final = r"claude-opus-(?:5-[5-9](?!\d)|[6-9])"
_FABLE_FROM_5_1: Final = r"claude-fable-(?:5-[1-9](?!\d)|[6-9])"
_ALWAYS_THINKING: Final = rf"(?:{_OPUS_FROM_5_5}|claude-(?:fable|mythos)-[5-9])"

# --- where it is known from -----------------------------------------------------------------------------------

_DOCS: Final = "https://platform.claude.com/docs/en"
_OVERVIEW: Final = f"{_DOCS}/about-claude/models/overview"
_THINKING: Final = f"{_DOCS}/build-with-claude/thinking-troubleshooting"
_EFFORT: Final = f"{_DOCS}/build-with-claude/effort"
_PRESERVED: Final = f"{_DOCS}/build-with-claude/preserved-thinking"
_WHATS_NEW: Final = f"{_DOCS}/models/opus-5-5/whats-new-opus-5-5"
_SDK: Final = "anthropic 2.12, types/model_param.py and DEPRECATED_MODELS"
_PROFILES: Final = "https://github.com/langchain-ai/langchainjs/releases/tag/@langchain%2Fanthropic@1.5.13"
_XHIGH_REFUSED: Final = "recording test_anthropic_explicit_effort_xhigh_unsupported_model_errors"

_LOW_TO_HIGH: Final = ("low", "medium", "high")
_ALL_EFFORTS: Final = (*_LOW_TO_HIGH, "xhigh", "max")

MODELS: Final = ModelTable(
    ModelFact("known", "every Claude", _KNOWN, _SDK),
    # ANT-13
    ModelFact("no-prefill", "Claude 4.6 and later", _FROM_4_6, f"{_DOCS}/api/errors#prefill-not-supported"),
    # ANT-18
    ModelFact("bound-thinking", "Opus 5.5 and later", _OPUS_FROM_5_5, _WHATS_NEW),
    ModelFact("bound-thinking", "Fable 5.1 and later", _FABLE_FROM_5_1, _PRESERVED),
    # ANT-19
    ModelFact("never-forced", "Opus 5.5 and later", _OPUS_FROM_5_5, _WHATS_NEW),
    ModelFact("never-forced", "Fable 5.1 and later", _FABLE_FROM_5_1, _WHATS_NEW),
    ModelFact("never-forced", "Mythos", r"claude-mythos", "https://github.com/vercel/ai/issues/21364"),
    # ANT-MODE: the types of thinking. What nobody has reported is not in the table.
    ModelFact("thinking", "Opus 5.5, Fable 5, Mythos 5 and later", _ALWAYS_THINKING, _WHATS_NEW, ("adaptive",)),
    ModelFact("thinking", "Sonnet 5.5", r"claude-sonnet-5-5", _THINKING, ("adaptive", "between_tools")),
    ModelFact("thinking", "Claude 4.7 to Haiku 5.5", _FROM_4_7, _THINKING, ("adaptive", "disabled")),
    ModelFact("thinking", "Mythos Preview", r"claude-mythos-preview", _THINKING, ("adaptive", "enabled")),
    ModelFact("thinking", "Claude 4.6", _4_6, _THINKING, ("adaptive", "disabled", "enabled")),
    ModelFact("thinking", "Claude 4 to 4.5", _4_TO_4_5, _THINKING, ("disabled", "enabled")),
    ModelFact("thinking", "Sonnet 3.7", _SONNET_3_7, _THINKING, ("disabled", "enabled")),
    ModelFact("thinking", "Claude 3.5 and before", _BEFORE_3_7, _THINKING, ("disabled",)),
    # what is sent where the request sets nothing
    ModelFact(
        THINKS,
        "Claude 5 and later",
        _FROM_5,
        f"{_DOCS}/about-claude/models/whats-new-opus-5, {_WHATS_NEW}, "
        "https://openrouter.ai/docs/cookbook/evaluate-and-optimize/model-migrations/claude-5-5; recordings of "
        "claude-sonnet-5 without a setting",
    ),
    ModelFact(
        THINKS,
        "every Claude before",
        rf"{_4_TO_4_5}|{_SONNET_3_7}|{_BEFORE_3_7}|{_FROM_4_6}",
        f"{_DOCS}/models/opus-5/migration-guide; 336 recorded answers to requests without a setting",
        value=False,
    ),
    ModelFact(
        "omits",
        "Claude 4.7 and later",
        _FROM_4_7,
        "recording of claude-opus-4-7 with adaptive thinking and without a display; those of claude-sonnet-5",
    ),
    # ANT-29
    ModelFact("efforts", "Claude 4.7 and later", _FROM_4_7, _EFFORT, _ALL_EFFORTS),
    ModelFact("efforts", "Claude 4.6", _4_6, _XHIGH_REFUSED, (*_LOW_TO_HIGH, "max")),
    ModelFact("efforts", "Mythos Preview", r"claude-mythos-preview", _EFFORT, (*_LOW_TO_HIGH, "max")),
    ModelFact("efforts", "Opus 4.5", r"claude-opus-4-5", _EFFORT, _LOW_TO_HIGH),
    ModelFact("efforts", "every other before Claude 4.6", rf"{_4_TO_4_5}|{_SONNET_3_7}|{_BEFORE_3_7}", _EFFORT, ()),
    # ANT-SAMPLING
    ModelFact(
        "no-sampling", "Claude 4.7 and later", _FROM_4_7, "https://github.com/UKGovernmentBEIS/inspect_ai/issues/3721"
    ),
    ModelFact(
        "one-sampling",
        "Opus 4.1 and 4.5, Sonnet 4.5, Haiku 4.5, Claude 4.6",
        r"claude-(?:opus-4-[156]|sonnet-4-[56]|haiku-4-5)(?!\d)",
        "https://github.com/cloud-apim/otoroshi-llm-extension/issues/140",
    ),
    # ANT-OFF: newer ones are documented to ignore thinking that they have no use for.
    ModelFact(
        "refuses-thinking",
        "Sonnet 3.7, Claude 4 to 4.5",
        rf"{_SONNET_3_7}|{_4_TO_4_5}",
        "https://github.com/tailcallhq/forgecode/issues/1853",
    ),
    # ANT-ROLE: instructions as messages.
    ModelFact("system-messages", "Opus 4.8, Claude 5 and later", _FROM_4_8, _PROFILES),
    ModelFact(
        "system-messages",
        "every Claude before",
        rf"{_4_TO_4_5}|{_SONNET_3_7}|{_BEFORE_3_7}|{_4_6}|claude-opus-4-7",
        "https://github.com/anthropics/claude-code/issues/61412",
        value=False,
    ),
    # ANT-30: the context window, in tokens; with the beta context-1m-2025-08-07 another one.
    ModelFact("window", "Claude 4.6 and later", _FROM_4_6, _OVERVIEW, 1_000_000),
    ModelFact("window", "Claude 3 to 4.5", rf"{_4_TO_4_5}|claude-3", _OVERVIEW, 200_000),
    ModelFact("beta-window", "Sonnet 4 and 4.5", r"claude-sonnet-4(?:-[05](?!\d)|-20\d{6})", _OVERVIEW, 1_000_000),
    ModelFact(
        "counts-output",
        "Claude 3.7 to Opus 4.1",
        rf"{_SONNET_3_7}|{_OPUS_4_AND_4_1}|claude-sonnet-4(?:-0(?!\d)|-20\d{{6}})",
        "https://github.com/docker/docker-agent/issues/569",
    ),
    # ANT-OUTPUT: the most that max_tokens may be.
    ModelFact("output", "Claude 4.6 and later", _FROM_4_6, _OVERVIEW, 128_000),
    ModelFact("output", "Opus 4 and 4.1", _OPUS_4_AND_4_1, _OVERVIEW, 32_000),
    ModelFact("output", "Claude 4 to 4.5", _4_TO_4_5, "https://github.com/OpenHands/OpenHands/issues/11090", 64_000),
    ModelFact("output", "Sonnet 3.7, with the beta output-128k-2025-02-19", _SONNET_3_7, _OVERVIEW, 128_000),
    ModelFact("output", "Claude 3.5", r"claude-3-5", _OVERVIEW, 8_192),
    ModelFact("output", "Claude 3", r"claude-3-(?:opus|sonnet|haiku)", _OVERVIEW, 4_096),
)
