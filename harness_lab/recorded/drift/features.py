"""What is real and not rendered, by feature, and why the fake leaves it out.

The fake says what an agent loop with its own tools must understand. The first feature with a pattern of
a shape explains it. A feature whose patterns are wide hides news in its place, so they are as narrow as the feature
allows.
"""

from __future__ import annotations

from collections.abc import Sequence

from harness_lab.recorded.comparison import Reason
from harness_lab.recorded.drift.shapes import ServedShapes
from harness_lab.recorded.reading.servers import Server


def feature(name: str, why: str, patterns: Sequence[str], server: Server | None = None) -> Reason[ServedShapes]:
    """Something that providers send, and why it is not rendered. ``server`` says whose alone it is; None: anybody's."""
    return Reason(why, lambda served: patterns if server in (None, served.server) else (), name=name)


def _headers(*names: str) -> tuple[str, ...]:
    return tuple(f"* headers | {name}" for name in names)


def _items(*kinds: str) -> tuple[str, ...]:
    """Everything about output items, blocks or parts of these kinds, on every wire."""
    return tuple(pattern for kind in kinds for pattern in (f"*<{kind}*", f"* -> *{kind}*", f"stream | *{kind}* -> *"))


def _events(*beginnings: str) -> tuple[str, ...]:
    return tuple(
        pattern
        for name in beginnings
        for pattern in (f"stream | {name}*", f"stream | * -> {name}*", f"stream | event: {name}*")
    )


FEATURES: tuple[Reason[ServedShapes], ...] = (
    feature(
        "the way",
        "Written by servers and networks on the way, with nothing in it for a loop.",
        _headers(
            *("access-control-*", "alt-svc", "cache-control", "cf-*", "connection", "content-encoding"),
            *("content-length", "content-security-policy", "date", "server", "server-timing", "set-cookie"),
            *("strict-transport-security", "traceresponse", "transfer-encoding", "vary", "via", "www-authenticate"),
            *("x-amz-*", "x-cache", "x-cloud-trace-context", "x-content-type-options", "x-ds-trace-id"),
            *("x-envoy-*", "x-openai-proxy-wasm", "x-robots-tag"),
        ),
    ),
    feature(
        "the account",
        "Limits, ids and tiers of an account; a scripted endpoint has none. An answer that says when to come again "
        "says it in the header for that.",
        (
            *_headers("*ratelimit-*", "anthropic-*-id", "openai-model", "x-gemini-service-tier", "x-should-retry"),
            "stream headers | retry-after",
            "document headers | retry-after",
            *("*access_programs*", "*stop_details.fallback_credit_token*", "*stop_details.fallback_has_prefill_claim*"),
        ),
    ),
    feature(
        "tools of the provider",
        "They run at the provider; a loop only sends their items back. Of these the fake has the search that an "
        "answer of Anthropic pauses for.",
        (
            *_items("web_search", "web_fetch", "code_execution", "bash_code_execution", "text_editor_code_execution"),
            *_items("tool_search", "mcp_", "advisor", "server_tool_use", "code_interpreter", "file_search"),
            *_items("image_generation", "local_shell", "shell_call", "apply_patch", "program"),
            *_items("toolCall", "toolResponse", "executableCode", "codeExecutionResult", "google_search_"),
            *_events("response.web_search_call", "response.code_interpreter_call", "response.file_search_call"),
            *_events("response.image_generation_call", "response.mcp_", "response.shell_call"),
            *_events("response.apply_patch_call"),
            *("*server_tool_use*", "*container*", "*toolUsePrompt*", "*urlContextMetadata*", "*groundingMetadata*"),
            "*grounding_tool_count*",
            *("*<function_call>.namespace*", "*<function_call>.caller*", "*<tool_use>.caller.tool_id*"),
            # Calls that a program of the provider makes come whole, in the message that opens the stream.
            *("stream | message_start/message.content[]*", "stream | message_start/message.stop_reason: text"),
            *("stream | message_start -> message_stop", "stream | content_block_start tool_use -> content_block_stop"),
        ),
    ),
    feature(
        "citations",
        "They belong to searches and files of the provider.",
        ("*citation*", "*annotation*"),
    ),
    feature(
        "likelihoods",
        "Asked for by those who study models; no loop does.",
        ("*ogprobs*",),
    ),
    feature(
        "sound and pictures",
        "The loops under test read text.",
        ("*audio*", "*inlineData*", "*image_tokens*"),
    ),
    feature(
        "what others add",
        "Filters and bills of those who sell a provider's models on.",
        (
            *("*content_filter*", "*trafficType*", "*createTime*", "*billing*", "*delta.content: null"),
            *("stream | nothing*", "stream | * -> nothing", "document | input*", "error | detail*", "error | status*"),
        ),
    ),
    feature(
        "the request, repeated",
        "A response repeats what its request asked for; the requests of the sample ask for little.",
        (
            *("*instructions: *", "*previous_response_id: text", "*prompt_cache_key*", "*safety_identifier*"),
            *("*text.format*", "*tool_choice*", "*reasoning.*", "*conversation*", "*max_output_tokens: number"),
            *("*prompt_cache_options*", "stream | response.*/response.user: text"),
        ),
    ),
    feature(
        "a history that the provider keeps short",
        "Compaction and fallback to another model are asked for with a beta header.",
        (*_items("compaction", "fallback"), "*context_management*", "*usage.iterations*"),
    ),
    feature(
        "background mode",
        "An answer that is begun and asked for later waits in a queue first; a loop that waits for its answers asks "
        "for none.",
        _events("response.queued"),
    ),
    feature(
        "several answers at once",
        "Asked for by a count of choices; each choice then begins and ends by itself.",
        ("stream | arguments -> role+call", "stream | finish -> finish"),
    ),
    feature(
        "files of payloads",
        "Files that keep what events say and not their lines have no line that says that the stream is done.",
        ("stream | usage -> (end)", "stream | finish -> (end)"),
    ),
    feature(
        "a count without documentation",
        "The types of the SDK do not know it, and one of the recorded streams of interactions has none.",
        ("*usage.raw_prompt_token: number",),
    ),
    feature(
        "signs of life",
        "Pings come anywhere; the fake sends one where nearly every recorded stream has it.",
        (*_events("keepalive"), "stream | ping -> *", "stream | * -> ping"),
    ),
    feature(
        "safety ratings in full",
        "The fake rates only what it stops for.",
        ("*safetyRatings*", "*promptFeedback*"),
    ),
    feature(
        "tokens by kind",
        "Counts of tokens by their kind; a loop reads the totals.",
        ("*TokensDetails*", "*text_tokens*"),
    ),
    feature(
        "older and rarer calls",
        "The one call of the first models, and calls with free text on Chat, which no loop under test declares.",
        ("*message.function_call*", "*tool_calls[]<custom>*"),
    ),
    feature(
        "arguments in pieces",
        "Only Google Cloud sends them on this wire, and only when it is asked to.",
        ("*functionCall.partialArgs*", "*functionCall.willContinue*"),
    ),
    feature(
        "null on some models",
        "What these members say differs with the model; a loop reads neither.",
        ("*system_fingerprint: null", "*prompt_cache_retention: null"),
    ),
    feature(
        "ends that no script can ask for",
        "Stop sequences, the category of a refusal, and the end in the same chunk as the last call: turns have no word "
        "for them.",
        (
            *("*stop_sequence: text", "*stop_details.category: text", "*stop_details.explanation: text"),
            *("*stop_details.recommended_model*", "stream | content_block_start text -> content_block_stop"),
            *("stream | * -> *functionCall*+finish", "stream | functionCall+text+finish -> (end)"),
            *("stream | thought -> text+finish", "stream | text+finish -> *"),
        ),
    ),
    feature(
        "errors with more to say",
        "Which member of an error has the cause differs with the cause; the loops under test show the message.",
        (
            *("*google.rpc.ErrorInfo*", "*google.rpc.LocalizedMessage*", "*quotaDimensions.model*"),
            *("error | request_id: null", "stream | error/error.param: null"),
            *("stream | error/detail*", "stream | error/obfuscation*"),
        ),
    ),
    feature(
        "shortened by hand",
        "Events that are missing, and enumerations as numbers: fixtures that somebody has edited.",
        (
            "stream | content_block_delta input_json_delta -> message_delta",
            "stream | response.content_part.added output_text -> response.output_text.done",
            "stream | response.custom_tool_call_input.delta -> response.output_item.done",
            "*finishReason: number",
            "*usageMetadata.totalTokenCount: null",
        ),
    ),
    feature(
        "DeepSeek without a thought",
        "The fake speaks as DeepSeek only in turns that think, and numbers calls in streams only.",
        (
            *("stream | role -> call", "stream | role -> content", "stream | role/choices[].delta.content: text"),
            "stream | call -> finish",
            "document | choices[].message.tool_calls[]<function>.index: number",
        ),
        server="deepseek",
    ),
    feature(
        "server tools of Bedrock",
        "They run at the provider; scripts have no words for them. What has them is read.",
        ("*toolResult*",),
        server="bedrock",
    ),
    feature(
        "what a guardrail has found",
        "A guardrail, and what is shown of it, is asked for; a script says only that it has stopped the answer.",
        ("*trace", "*trace:*", "*trace.*"),
        server="bedrock",
    ),
    feature(
        "asked for and billed",
        "The tier of a request, how fast it is to be, further members of the model, and since when a cache has a text: "
        "each is there where a request asks for it.",
        ("*serviceTier*", "*performanceConfig*", "*additionalModelResponseFields*", "*cacheDetails*"),
        server="bedrock",
    ),
)
