"""Facts about some models. An id begins with the maker, and may have a region's name before that.

If several facts have the same name, the first that covers a model counts. A certainty as value says how sure it is.
"""

from __future__ import annotations

from typing import Final

from harness.wire.models import THINKS, ModelFact, ModelTable

LONE_RESULTS: Final = "lone-results"
LONE_CALLS: Final = "lone-calls"
FREE_ROLES: Final = "free-roles"
FREE_FIRST: Final = "free-first"
NO_STREAMED_TOOLS: Final = "no-streamed-tools"
NO_TOOLS: Final = "no-tools"
NO_S3_RESULTS: Final = "no-s3-results"
NO_FORCED_CALL: Final = "no-forced-call"
NO_SIGNATURE: Final = "no-signature"
NO_REASONING_TEXT: Final = "no-reasoning-text"
NO_PREFILL: Final = "no-prefill"
TYPED_CALLS: Final = "typed-calls"
CLAUDE: Final = "claude"

_LLAMA: Final = r"meta\.llama"
_MISTRAL: Final = r"mistral\."
_FROM_4_5: Final = r"anthropic\.claude-(?:(?:opus|sonnet|haiku)-(?:4-[5-9](?!\d)|[5-9])|(?:fable|mythos)-[5-9])"
_FROM_4_6: Final = r"anthropic\.claude-(?:(?:opus|sonnet|haiku)-(?:4-[6-9](?!\d)|[5-9])|(?:fable|mythos)-[5-9])"

_STRANDS_RESULTS: Final = "https://github.com/strands-agents/harness-sdk/issues/1223"
_LITELLM_RESULTS: Final = "https://github.com/BerriAI/litellm/issues/6053"
_STREAMED: Final = "https://github.com/earendil-works/pi/issues/3739"

MODELS: Final = ModelTable(
    # BED-30
    ModelFact(LONE_RESULTS, "Llama", _LLAMA, _STRANDS_RESULTS, "certain"),
    ModelFact(LONE_RESULTS, "Claude 3", r"anthropic\.claude-3-(?![57])", _LITELLM_RESULTS, "likely"),
    ModelFact(
        LONE_RESULTS, "Mistral, Writer", rf"{_MISTRAL}|writer\.", "pydantic-ai keeps them apart, too", "inferred"
    ),
    # BED-31
    ModelFact(
        LONE_CALLS,
        "Llama 4",
        r"meta\.llama4",
        "https://github.com/quarkiverse/quarkus-langchain4j/issues/1983",
        "certain",
    ),
    ModelFact(LONE_CALLS, "Mistral", _MISTRAL, "langchain-aws, test_tool_message_histories_list_content", "likely"),
    # BED-10: asked of the service in July 2026
    ModelFact(
        FREE_FIRST,
        "Claude 4.5 and later, Qwen3",
        rf"{_FROM_4_5}|qwen\.qwen3",
        "https://github.com/pydantic/pydantic-ai/pull/6255",
    ),
    # BED-11: accepted in recordings
    ModelFact(FREE_ROLES, "Nova, Titan", r"amazon\.(?:nova|titan)", "recording completion_with_context_smoke"),
    # BED-32
    ModelFact(NO_S3_RESULTS, "Nova", r"amazon\.nova", "recordings test_multimodal_tool_return_matrix"),
    # BED-34
    ModelFact(NO_STREAMED_TOOLS, "Llama 4", r"meta\.llama4", _STREAMED, "certain"),
    ModelFact(
        NO_STREAMED_TOOLS,
        "Llama 3.1 and later, Mistral Large",
        rf"{_LLAMA}3|{_MISTRAL}mistral-large",
        "https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference-supported-models-features.html",
        "likely",
    ),
    # BED-35
    ModelFact(NO_TOOLS, "DeepSeek R1", r"deepseek\.r1", "https://github.com/langchain-ai/langchain-aws/issues/447"),
    # BED-36
    ModelFact(NO_FORCED_CALL, "Llama", _LLAMA, "https://github.com/strands-agents/harness-sdk/issues/1241"),
    # BED-38
    ModelFact(NO_SIGNATURE, "gpt-oss", r"openai\.gpt-oss", "https://github.com/earendil-works/pi/issues/686"),
    # BED-39
    ModelFact(
        NO_REASONING_TEXT,
        "GPT-5.6",
        r"openai\.gpt-5",
        "https://github.com/UKGovernmentBEIS/inspect_ai/issues/5217",
    ),
    # BED-41
    ModelFact(
        NO_PREFILL,
        "Claude 4.6 and later",
        _FROM_4_6,
        "https://platform.claude.com/docs/en/api/errors#prefill-not-supported",
    ),
    # BED-26, 33, 40, 47
    ModelFact(CLAUDE, "every Claude", r"anthropic\.claude", "https://github.com/BerriAI/litellm/pull/25375"),
    # what is sent where the request sets nothing
    ModelFact(
        THINKS,
        "gpt-oss, DeepSeek R1, MiniMax M2",
        r"openai\.gpt-oss|deepseek\.r1|minimax\.minimax-m2",
        "recordings of openai.gpt-oss-120b-1:0, us.deepseek.r1-v1:0 and minimax.minimax-m2 without a setting",
    ),
    ModelFact(THINKS, "every Claude", r"anthropic\.claude", "each recorded Claude thinks where it is asked to", False),
    # how calls are sent
    ModelFact(
        TYPED_CALLS,
        "Claude Sonnet 4.5, 4.6 and 5",
        r"anthropic\.claude-sonnet-(?:4-[56]|5)(?!\d)",
        "46 recorded calls, each with the type tool_use",
    ),
)
