"""Model, thinking and effort, sampling, limits and API version."""

from __future__ import annotations

from typing import Final

from harness.wire.rule import ErrorTemplate, WireRule, verbatim

_TROUBLESHOOTING: Final = "https://platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting"
_WHATS_NEW: Final = "https://platform.claude.com/docs/en/models/opus-5-5/whats-new-opus-5-5"

ANT_25: Final = WireRule(
    "ANT-25",
    "The budget of manual thinking is at least 1024 tokens and below max_tokens. With interleaved thinking it may be "
    "above.",
    "A loop that lowers max_tokens for a short answer forgets the budget that has to fit in it.",
    "likely",
    (
        "https://github.com/liuw1535/antigravity2api-nodejs/issues/150",
        "https://github.com/themaximalist/llm.js/issues/30",
        "https://platform.claude.com/docs/en/build-with-claude/extended-thinking",
    ),
    (
        verbatim(
            "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at "
            "https://docs.claude.com/en/docs/build-with-claude/extended-thinking"
            "#max-tokens-and-context-window-size",
            name="large",
        ),
        ErrorTemplate(
            "{at}: Input should be greater than or equal to {wanted}",
            seen="thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
            name="minimum",
        ),
        ErrorTemplate("{at}: Field required", name="required"),
    ),
    applies="requests with thinking of type enabled",
)

ANT_26: Final = WireRule(
    "ANT-26",
    "A request has no temperature, top_p or top_k.",
    "An SDK upgrade changes the version header, and settings that were accepted for years are refused.",
    "certain",
    (
        "https://platform.claude.com/docs/en/api/migration-2026-10-21",
        "the text is that of unknown members",
    ),
    (
        ErrorTemplate(
            "{at}: Extra inputs are not permitted", seen="temperature: Extra inputs are not permitted", name="removed"
        ),
    ),
    applies="anthropic-version 2026-10-21 and later",
)

ANT_29: Final = WireRule(
    "ANT-29",
    "output_config.effort is a level that the model supports.",
    "A loop that maps its own scale of efforts to one list for all models is refused by some.",
    "certain",
    (
        "recording test_anthropic_explicit_effort_xhigh_unsupported_model_errors",
        "https://platform.claude.com/docs/en/build-with-claude/effort",
        "on models without efforts: likely, the text is remembered",
    ),
    (
        ErrorTemplate(
            "This model does not support effort level '{effort}'. Supported levels: {levels}.",
            seen="This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium.",
            name="level",
        ),
        ErrorTemplate("This model does not support the effort parameter.", certainty="likely", name="none"),
        ErrorTemplate("{at}: Input should be {choices}", certainty="inferred", name="enum"),
    ),
)

ANT_30: Final = WireRule(
    "ANT-30",
    "What is sent fits into the model's context window.",
    "A loop without any compaction fails after enough turns, and fails again with every retry.",
    "certain",
    (
        "recording chat_real_error_scenarios_anthropic_claude-haiku-4-5_handles_context_length_exceeded_errors",
        "with max_tokens: https://github.com/docker/docker-agent/issues/569, "
        "https://github.com/continuedev/continue/issues/6080 and https://github.com/anomalyco/opencode/issues/798, all "
        "of 2025",
        "tokens are counted from below: one for each word (what white space separates) in texts and results. No "
        "tokenizer that is known here joins words, and thinking, arguments, images and tools are not counted at all. "
        "So most requests that are too long are not noticed, and none is that fits.",
    ),
    (
        ErrorTemplate(
            "prompt is too long: {tokens} tokens > {window} maximum",
            seen="prompt is too long: 213462 tokens > 200000 maximum",
            name="input",
        ),
        ErrorTemplate(
            "input length and `max_tokens` exceed context limit: {tokens} + {output} > {window}, decrease input "
            "length or `max_tokens` and try again",
            certainty="likely",
            seen="input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input "
            "length or `max_tokens` and try again",
            name="with-output",
        ),
    ),
)

ANT_FORMAT: Final = WireRule(
    "ANT-FORMAT",
    "A structured output has a schema, in which every object forbids additional properties.",
    "A schema that was made for another provider, or by a model class, is refused.",
    "certain",
    ("recordings beta_structured_outputs and claude-haiku-4-5-20251001/GenSync-JSON",),
    (
        ErrorTemplate(
            "{at}: For 'object' type, 'additionalProperties' must be explicitly set to false",
            seen="output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set "
            "to false",
            name="open",
        ),
        ErrorTemplate("{at}: Field required", seen="output_format.schema: Field required", name="required"),
    ),
)

ANT_MODE: Final = WireRule(
    "ANT-MODE",
    "The type of thinking is one that the model supports.",
    "A change of nothing but the model's name is enough to be refused.",
    "certain",
    (
        _TROUBLESHOOTING,
        _WHATS_NEW,
        "https://github.com/vellum-ai/vellum-assistant/pull/37276",
        "https://docs.memberjunction.org/v6.2/api/functions/_memberjunction_ai-anthropic.UsesAdaptiveThinking.html",
    ),
    (
        ErrorTemplate(
            '"thinking.type.{type}" is not supported for this model. Use "thinking.type.adaptive" and '
            '"output_config.effort" to control thinking behavior.',
            seen='"thinking.type.disabled" is not supported for this model. Use "thinking.type.adaptive" and '
            '"output_config.effort" to control thinking behavior.',
            name="unsupported",
        ),
        verbatim("adaptive thinking is not supported on this model", name="adaptive"),
        ErrorTemplate('"thinking.type.{type}" is not supported for this model.', certainty="likely", name="other"),
        ErrorTemplate("{at}: Input should be {choices}", certainty="inferred", name="enum"),
        ErrorTemplate("{at}: Field required", certainty="likely", name="required"),
    ),
)

ANT_MODEL: Final = WireRule(
    "ANT-MODEL",
    "The model is one of the provider's.",
    "A name that is misspelt or retired is not found. Only the provider knows all names, and other servers of this "
    "wire have others: reported only on request.",
    "inferred",
    ("recordings test_model_name_suggestion[anthropic] and nonexistent_model_error_preserves_status_and_body",),
    (
        ErrorTemplate(
            "model: {model}", status=404, kind="not_found_error", seen="model: claude-sonet-4-5", name="unknown"
        ),
    ),
)

ANT_OUTPUT: Final = WireRule(
    "ANT-OUTPUT",
    "max_tokens is at most what the model can write.",
    "A loop with one limit for all models is refused by the smaller ones.",
    "certain",
    ("https://github.com/OpenHands/OpenHands/issues/11090", "https://platform.claude.com/docs/en/about-claude/models"),
    (
        ErrorTemplate(
            "max_tokens: {tokens} > {most}, which is the maximum allowed number of output tokens for {model}",
            seen="max_tokens: 1000000 > 64000, which is the maximum allowed number of output tokens for "
            "claude-sonnet-4-20250514",
            name="large",
        ),
    ),
)

ANT_RANGE: Final = WireRule(
    "ANT-RANGE",
    "Numbers are within their bounds: max_tokens and top_k are not negative, temperature and top_p are from 0 to 1.",
    "Other providers take a temperature of up to 2.",
    "certain",
    (
        "recording validation_error_carries_identity (temperature)",
        "that other members have bounds: inferred; a top_p of -1 was answered",
    ),
    (
        ErrorTemplate("{at}: range: 0..1", seen="temperature: range: 0..1", name="range"),
        ErrorTemplate("{at}: Input should be greater than or equal to {wanted}", certainty="inferred", name="minimum"),
        ErrorTemplate("{at}: Input should be a valid {type}", certainty="likely", name="type"),
    ),
    applies="certain for temperature, inferred for the others",
)

ANT_SAMPLING: Final = WireRule(
    "ANT-SAMPLING",
    "Newer models take no sampling parameters, 4.1 to 4.6 only one of temperature and top_p, and with thinking the "
    "temperature is 1.",
    "Settings that are shared by all models of an application are refused by the next one.",
    "certain",
    (
        "https://github.com/UKGovernmentBEIS/inspect_ai/issues/3721",
        "https://github.com/github/app/issues/2574",
        "https://github.com/BerriAI/litellm/issues/15097",
        "https://github.com/anomalyco/opencode/issues/28930",
        "https://github.com/MartialBE/one-hub/issues/529",
        "https://github.com/MayDay-wpf/snow-app/issues/42",
    ),
    (
        ErrorTemplate(
            "`{name}` is deprecated for this model.",
            seen="`temperature` is deprecated for this model.",
            name="deprecated",
        ),
        verbatim(
            "`temperature` and `top_p` cannot both be specified for this model. Please use only one.", name="both"
        ),
        verbatim(
            "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode. Please consult our "
            "documentation at https://platform.claude.com/docs/en/build-with-claude/extended-thinking",
            name="thinking",
        ),
    ),
    applies="API versions before 2026-10-21, which has no sampling at all (ANT-26)",
)

ANT_VERSION: Final = WireRule(
    "ANT-VERSION",
    "The header anthropic-version names a version of the API.",
    "A hand-written client forgets the header, and a proxy drops it.",
    "certain",
    (
        "https://github.com/PipedreamHQ/pipedream/issues/9697",
        "https://github.com/envoyproxy/ai-gateway/pull/1909",
        "https://github.com/directus-labs/extensions/issues/285",
        "that a date is no version is likely only where it is later than those known here",
    ),
    (
        verbatim("anthropic-version: header is required", name="missing"),
        ErrorTemplate(
            'anthropic-version: "{version}" is not a valid version',
            seen='anthropic-version: "2023-10-01" is not a valid version',
            name="unknown",
        ),
    ),
)
