"""The servers that speak the harness's wires, as data: how each is recognised, and what it does with broken rules.

Only what somebody has seen is here: recordings by their names, and public reports. What is not here is not known.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from harness.wire.servers.model import Practice, Server


def _accepts(rule: str, *evidence: str, about: str = "", models: str = "") -> Practice:
    return Practice(rule, "accepts", evidence, about, models)


def _refuses(rule: str, *evidence: str, about: str = "", models: str = "") -> Practice:
    return Practice(rule, "refuses", evidence, about, models)


_UNWANTED: Final = "it sends thinking and does not miss it"

_OWN: Final = (
    Server(
        name="openai",
        title="OpenAI",
        hosts=r"^(?:[a-z]{2}\.)?api\.openai\.com$",
        headers=("openai-processing-ms",),
        maker="openai",
        evidence=("761 recorded requests to api.openai.com",),
    ),
    Server(
        name="anthropic",
        title="Anthropic",
        hosts=r"^api\.anthropic\.com$",
        headers=("anthropic-organization-id", "anthropic-ratelimit-requests-limit"),
        maker="",
        evidence=("414 recorded requests to api.anthropic.com",),
    ),
    Server(
        name="gemini",
        title="Gemini API",
        hosts=r"^generativelanguage\.googleapis\.com$",
        headers=("x-gemini-service-tier",),
        maker="google",
        practices=(
            _refuses(
                "OAC-SIGNED",
                "https://github.com/manthanabc/paws/issues/103",
                "https://github.com/BerriAI/litellm/issues/16893",
                about="the call's thought signature, in extra_content",
            ),
        ),
        evidence=("245 recorded requests to generativelanguage.googleapis.com",),
    ),
)

_DOORS: Final = (
    Server(
        name="azure",
        title="Azure",
        hosts=r"\.(?:openai|services\.ai|cognitiveservices)\.azure\.com$",
        headers=("apim-request-id", "azureml-model-session"),
        like=("openai",),
        maker="",
        practices=(
            _accepts("OAC-02", "recording test_chat_content_filtering", about="a deployment has any name"),
            _accepts(
                "OAC-MODEL",
                "recording TestAzureToolCallStreaming.test_azure_streaming_emits_tool_call_events",
                about="the path names the deployment",
            ),
        ),
        evidence=("45 recorded requests to hosts of Azure",),
    ),
    Server(
        name="vertex",
        title="Vertex AI",
        hosts=r"(?:^|-)aiplatform\.googleapis\.com$",
        like=("gemini", "anthropic"),
        maker="google",
        practices=(
            _refuses("GEM-03", "recording test_generate_content_invalid_role"),
            _refuses("GEM-RANGE", "recording test_generate_content_invalid_temperature"),
            _refuses("GEM-17", "recording test_generate_content_missing_model"),
        ),
        evidence=("42 recorded requests to hosts of Vertex AI",),
    ),
    Server(
        name="bedrock",
        title="Amazon Bedrock",
        hosts=r"^bedrock(?:-runtime|-mantle)?\..*\.(?:amazonaws\.com|api\.aws)$",
        headers=("x-amzn-bedrock-content-type",),
        like=("anthropic",),
        evidence=("11 recorded requests to bedrock-mantle",),
    ),
    Server(
        name="copilot",
        title="GitHub Copilot",
        hosts=r"(?:^|\.)(?:api|proxy)\.(?:[\w-]+\.)?githubcopilot\.com$",
        headers=("copilot-edits-session", "x-github-backend"),
        practices=(
            _refuses(
                "OAC-10",
                "https://github.com/decolua/9router/issues/219",
                about="a part is image_url or text",
            ),
        ),
        evidence=("https://github.com/decolua/9router/issues/3477",),
    ),
)

_ROUTERS: Final = (
    Server(
        name="openrouter",
        title="OpenRouter",
        hosts=r"^openrouter\.ai$",
        answers=r'"id"\s*:\s*"gen-\d{10}-',
        answer_sign='"gen-',
        practices=(
            _accepts("OAC-07", "recording test_openrouter_google_nested_schema", about="ids of 50 characters"),
            _accepts(
                "OAC-15", "recording test_openrouter_google_nested_schema", about="strict schemas are not looked at"
            ),
            _accepts("OAC-16", "recording openrouter-gpt-5-5-drives-a-tool-loop", about="max_tokens is translated"),
            _accepts("OAC-PARAM", "recording openrouter-gpt-5-5-drives-a-tool-loop", about="temperature is dropped"),
            _accepts("OAC-19", "recording GenStream-Tools-SquareRoot-2", about=_UNWANTED),
            _accepts("OAI-05", "recording test_openrouter_responses_prompt_cache_e2e", about="members of its own"),
            _refuses("OAC-02", "recording routed_failure_error_shape", about="in words of its own"),
        ),
        evidence=("74 recorded requests to openrouter.ai",),
    ),
    Server(
        name="huggingface",
        title="Hugging Face router",
        hosts=r"^router\.huggingface\.co$",
        headers=("x-inference-provider",),
        practices=(_accepts("OAC-18", "recording test_hf_model_instructions", about="a choice without tools"),),
        evidence=("20 recorded requests to router.huggingface.co",),
    ),
    Server(
        name="litellm",
        title="LiteLLM",
        headers=("x-litellm-call-id", "x-litellm-version"),
        evidence=("measured with version 1.106.2",),
    ),
    Server(
        name="cloudflare",
        title="Cloudflare Workers AI and AI Gateway",
        hosts=r"^(?:api|gateway\.ai)\.cloudflare\.com$",
        evidence=("recording cloudflare-workers-ai-gpt-oss-20b-tools-tool-call",),
    ),
    Server(
        name="opencode",
        title="OpenCode Zen",
        hosts=r"^(?:console\.)?opencode\.ai$",
        evidence=("recording native-zen-tool-loop",),
    ),
)

_MAKERS: Final = (
    Server(
        name="deepseek",
        title="DeepSeek",
        hosts=r"^api\.deepseek\.com$",
        headers=("x-ds-trace-id",),
        models=r"^deepseek-(?:chat|reasoner|flash|v\d)[\w.-]*$",
        maker="deepseek",
        practices=(
            _refuses("OAC-03", "https://github.com/langgenius/dify/issues/32222"),
            _refuses("OAC-04", "public code quotes its text"),
            _refuses("OAC-06", "public code quotes its text"),
            _refuses(
                "OAC-19",
                "https://github.com/earendil-works/pi/issues/3636",
                "https://github.com/anomalyco/opencode/issues/24722",
            ),
            _refuses("OAC-10b", "recording blocking_image_base64_part_reaches_the_wire"),
            _refuses("OAC-FORCED", "recording forced_tool_choice_under_thinking_is_rejected_upstream"),
            _refuses(
                "OAC-17",
                "recording chat_real_error_scenarios_deepseek_deepseek-chat_handles_context_length_exceeded_errors",
            ),
            _refuses("OAI-10", "recording test_deepseek_responses_rejects_interleaved_function_calls"),
            _refuses("OAI-DS", "rikkahub #1690"),
            _accepts(
                "OAI-07", "recording test_deepseek_responses_replay_own_reasoning_history", about="ids of any form"
            ),
            _accepts(
                "OAI-14", "recording test_deepseek_responses_replay_own_reasoning_history", about="reasoning alone"
            ),
        ),
        evidence=("46 recorded requests to api.deepseek.com",),
    ),
    Server(
        name="moonshot",
        title="Kimi (Moonshot)",
        hosts=r"^api\.(?:moonshot\.(?:ai|cn)|kimi\.com)$",
        models=r"^(?:kimi-k|moonshot-v)[\w.-]*$",
        maker="moonshot",
        practices=(
            _refuses("OAC-03", "https://github.com/MoonshotAI/kimi-cli/issues/2405"),
            _refuses(
                "OAC-19",
                "https://github.com/bytedance/deer-flow/issues/3043",
                "https://github.com/continuedev/continue/issues/11711",
            ),
        ),
        evidence=("https://github.com/MoonshotAI/kimi-cli/issues/2405",),
    ),
    Server(
        name="zai",
        title="z.ai",
        hosts=r"^(?:api\.z\.ai|open\.bigmodel\.cn)$",
        models=r"^glm-\d[\w.-]*$",
        maker="zhipu",
        practices=(_accepts("OAC-19", "https://github.com/anomalyco/opencode/pull/4896", about=_UNWANTED),),
        evidence=("https://github.com/LiveBench/LiveBench/pull/512",),
    ),
    Server(
        name="mistral",
        title="Mistral",
        hosts=r"^(?:api|codestral)\.mistral\.ai$",
        headers=("mistral-correlation-id",),
        models=r"^(?:open-|labs-)?(?:mistral|mixtral|ministral|magistral|codestral|pixtral|devstral|voxtral)-[\w-]*"
        r"(?:latest|\d{4})$",
        maker="mistral",
        practices=(
            _refuses(
                "OAC-07",
                "https://github.com/nearai/ironclaw/issues/1241",
                "https://github.com/anomalyco/opencode/issues/1680",
            ),
            _refuses("OAC-03", "https://github.com/camel-ai/camel/issues/1467"),
            _refuses("OAC-ORDER", "https://github.com/datapizza-labs/datapizza-ai/issues/98"),
            _accepts("OAC-08", "recording test_mistral_model_thinking_part", about="an empty list of calls"),
            _accepts("OAC-09", "recording test_image_as_binary_content_tool_response", about="calls without content"),
            _accepts(
                "OAC-15", "recording raw_stream_complex_tool_call_deltas_have_object_arguments", about="the choice any"
            ),
            _accepts(
                "OAC-PART",
                "recording chat_with_extended_thinking_mistral_mistral-small-latest_preserves_thinking_signatures_"
                "between_turns_when_provided",
                about="parts of the type thinking",
            ),
        ),
        evidence=("48 recorded requests to api.mistral.ai",),
    ),
    Server(
        name="qwen",
        title="Alibaba Model Studio (DashScope)",
        hosts=r"^dashscope(?:-\w+)?\.aliyuncs\.com$",
        headers=("x-dashscope-call-gateway",),
        models=r"^qwen(?:3\.\d)?-(?:max|plus|flash|turbo|long)[\w.-]*$|^qwen\d(?:\.\d)?-(?:max|plus|vl-flash)$",
        maker="qwen",
        practices=(
            _refuses("OAC-03", "https://github.com/QwenLM/qwen-code/issues/315"),
            _refuses("OAC-FORCED", "recording GenStream-Tools-SquareRoot-1"),
            _refuses("OAC-02", "recording GenStream"),
        ),
        evidence=("43 recorded requests to hosts of DashScope",),
    ),
    Server(
        name="xai",
        title="xAI",
        hosts=r"^(?:[\w-]+\.)?api\.x\.ai$",
        models=r"^grok-\d[\w.-]*$",
        maker="xai",
        evidence=("23 recorded requests to api.x.ai",),
    ),
    Server(
        name="xiaomi",
        title="Xiaomi MiMo",
        hosts=r"^api\.xiaomimimo\.com$",
        models=r"^mimo-v\d[\w.-]*$",
        maker="xiaomi",
        evidence=("17 recorded requests to api.xiaomimimo.com",),
    ),
    Server(
        name="meta",
        title="Meta",
        hosts=r"^api\.meta\.ai$",
        models=r"^muse-",
        maker="meta",
        practices=(_refuses("OAI-10", "recording rejects-continuation-with-an-unresolved-tool"),),
        evidence=("recording rejects-continuation-with-an-unresolved-tool",),
    ),
    Server(
        name="perplexity",
        title="Perplexity",
        hosts=r"^api\.perplexity\.ai$",
        models=r"^sonar(?:-|$)",
        maker="perplexity",
        practices=(_refuses("OAC-02", "recording GenStream", about="in words of its own"),),
        evidence=("12 recorded requests to api.perplexity.ai",),
    ),
)

_HOSTS: Final = (
    Server(
        name="groq",
        title="Groq",
        hosts=r"^api\.groq\.com$",
        headers=("x-groq-region",),
        practices=(
            _accepts("OAC-19", "recording GenStream-Tools-SquareRoot-2", about=_UNWANTED),
            _refuses("OAC-02", "recording provider_error_response_carries_request_id"),
        ),
        evidence=("35 recorded requests to api.groq.com",),
    ),
    Server(
        name="together",
        title="Together",
        hosts=r"^api\.together\.(?:xyz|ai)$",
        practices=(
            _accepts("OAC-19", "recording GenStream-Tools-SquareRoot-2", about=_UNWANTED),
            _refuses("OAC-02", "recording GenStream", about="in words of its own"),
        ),
        evidence=("25 recorded requests to api.together.xyz",),
    ),
    Server(
        name="baseten",
        title="Baseten",
        hosts=r"^inference\.baseten\.co$",
        headers=("x-baseten-request-id", "x-baseten-accepted-at"),
        practices=(
            _accepts("OAC-07", "recording GenStream-Tools-SquareRoot-2", about="ids of 46 characters"),
            _accepts("OAC-19", "recording GenStream-Tools-SquareRoot-2", about=_UNWANTED),
        ),
        evidence=("25 recorded requests to inference.baseten.co",),
    ),
    Server(
        name="cerebras",
        title="Cerebras",
        hosts=r"^api\.cerebras\.ai$",
        practices=(_refuses("OAC-02", "recording GenSync", about="in words of its own"),),
        evidence=("13 recorded requests to api.cerebras.ai",),
    ),
    Server(
        name="databricks",
        title="Databricks",
        hosts=r"\.(?:azure|cloud|gcp)\.?databricks\.(?:net|com)$",
        models=r"^databricks-",
        evidence=("recording test_databricks_tool_variations",),
    ),
    Server(
        name="snowflake",
        title="Snowflake Cortex",
        hosts=r"\.snowflakecomputing\.com$",
        evidence=("recording test_snowflake_thinking",),
    ),
    Server(
        name="crusoe",
        title="Crusoe",
        hosts=r"^api\.inference\.crusoecloud\.com$",
        evidence=("recording test_crusoe_tool_calling",),
    ),
)

_UNPAIRED: Final = "messages are converted one by one, calls and results are not paired"
_OLLAMA: Final = "Ollama's openai package converts messages one by one"
_LLAMA: Final = "measured: it answered 16 of 19 requests with mistakes"

_LOCAL: Final = (
    Server(
        name="ollama",
        title="Ollama",
        hosts=r"^(?:[\w-]+\.)?ollama\.com$|:11434$",
        answers=r'"system_fingerprint"\s*:\s*"fp_ollama"',
        answer_sign='"fp_ollama"',
        models=r"^(?!ft:)[\w.-]+:(?!\d$)[\w.-]+$",
        practices=(
            *(_accepts(rule, _OLLAMA, about=_UNPAIRED) for rule in ("OAC-03", "OAC-04", "OAC-05", "OAC-06")),
            _accepts("OAC-19", _OLLAMA, about=_UNWANTED),
        ),
        evidence=("31 recorded requests, with the fingerprint fp_ollama",),
    ),
    Server(
        name="llama.cpp",
        title="llama.cpp",
        answers=r'"system_fingerprint"\s*:\s*"b\d{4,5}-[0-9a-f]{7,}"',
        answer_sign='"system_fingerprint"',
        models=r"\.gguf$",
        practices=(
            *(_accepts(rule, _LLAMA, about=_UNPAIRED) for rule in ("OAC-03", "OAC-04", "OAC-05", "OAC-06")),
            _accepts("OAC-19", "recording GenStream-Tools-SquareRoot-2", about=_UNWANTED),
            _accepts("OAC-MODEL", "recording GenStream-Tools-SquareRoot-1", about="one model is loaded"),
        ),
        evidence=("recordings with the fingerprint of a build",),
    ),
    Server(
        name="vllm",
        title="vLLM",
        evidence=("https://github.com/vllm-project/vllm/issues/9986",),
    ),
)

SERVERS: Final[Mapping[str, Server]] = {
    server.name: server for server in (*_OWN, *_DOORS, *_ROUTERS, *_MAKERS, *_HOSTS, *_LOCAL)
}
"""Every known server by its name."""
