"""What a server of Chat Completions sends (``shared/field/reality.md`` 2.2 has the threads)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from harness.wire.response_rule import Content, ResponseRule
from harness.wire.strict import ENVELOPE, READABLE

CALL_HEAD: Final = ResponseRule(
    "SC-01",
    "The first fragment of a call has an index, an id that is not empty, a type and a function's name.",
    "MUST",
    ('recorded streams of DashScope (`id: ""`)', "lmdeploy #3412"),
    about=("ids",),
)
INDEX_OWN: Final = ResponseRule(
    "SC-02",
    "Parallel calls have different indexes.",
    "MUST",
    ("ollama #15457", "LibreChat-AI/agents PR #260", "dynamo PR #4723", "lmdeploy #3412"),
    about=("words", "results"),
)
INDEX: Final = ResponseRule(
    "SC-03", "Every fragment of a call has an index.", "MUST", ("ollama #7881", "term-llm PR #314")
)
INDEX_KEPT: Final = ResponseRule(
    "SC-04", "Later fragments of a call have its index.", "MUST", ("agno PR #8880",), about=("words",)
)
ID: Final = ResponseRule(
    "SC-05",
    "The ids of calls differ within a response and within a conversation.",
    "SHOULD",
    ("lmdeploy #3412 (SGLang's ids '0', '1')", "recorded: test_reused_tool_call_ids"),
    about=("ids", "results"),
)
ARGUMENTS_JSON: Final = ResponseRule(
    "SC-06",
    "The arguments of a call of a function join to one JSON object, unless the answer was cut.",
    "MUST",
    ("the accuracy of tool call schemas in public suites (Kimi K2 vendor verifier)",),
    about=("words",),
)
ARGUMENTS_TEXT: Final = ResponseRule(
    "SC-07",
    "Arguments are text, never an object, null or missing in a whole call.",
    "MUST",
    ("recorded answers of vLLM (null, missing)", "llama.cpp #20198"),
)
TOOL_CALLS: Final = ResponseRule(
    "SC-08",
    "An answer with calls finishes with tool_calls.",
    "SHOULD",
    ("openvino model_server #3927", "litellm #12481", "litellm #12862", "mlx-vlm PR #1014"),
)
FINISH: Final = ResponseRule(
    "SC-09",
    "A choice has exactly one finish_reason, and nothing of it comes behind that.",
    "MUST",
    ("vllm-mlx #628", "pi: Stream ended without finish_reason"),
    recordings="gpt-audio sends none in streams with calls (2 recordings): SHOULD for these models, as is the same"
    " reason twice, which routers send (69 recordings)",
)
DONE: Final = ResponseRule(
    "SC-10", "The stream ends with data: [DONE].", "SHOULD", ("recorded streams of Perplexity and Groq",)
)
USAGE: Final = ResponseRule(
    "SC-11",
    "The chunk with the usage alone is the last one, and comes only where it was asked for.",
    "SHOULD",
    ("220 recorded streams",),
)
CHOICES: Final = ResponseRule(
    "SC-21",
    "Every chunk has a list of choices.",
    "MUST",
    ("FastChat #3160", "litellm PR #34382", "pydantic-ai #5165"),
    recordings="the chunk with the usage of gpt-audio has none (2 recordings): SHOULD for these models",
)
INDEX_OF_OWN: Final = ResponseRule(
    "SX-INDEX",
    "The entries of a list that comes in several deltas have an index each: the official helper fails without.",
    "MUST",
    ("the official SDK's accumulator of deltas",),
)

RESPONSE_RULES: Final = (
    CALL_HEAD,
    INDEX_OWN,
    INDEX,
    INDEX_KEPT,
    ID,
    ARGUMENTS_JSON,
    ARGUMENTS_TEXT,
    TOOL_CALLS,
    ResponseRule(
        "SC-08a",
        "An answer to a forced tool_choice may finish with stop.",
        "INFO",
        ("22 recordings of OpenAI",),
        shown_by="nothing",
        permits=True,
    ),
    FINISH,
    DONE,
    USAGE,
    ResponseRule(
        "SC-12",
        "Calls that end together are all sent.",
        "MUST",
        ("vllm PR #53965", "sglang #7117"),
        shown_by="transfer",
        about=("words", "results"),
    ),
    ResponseRule(
        "SC-13",
        "No call is left in the content as text.",
        "MUST",
        ("omlx #3153",),
        shown_by="request",
        probe="calls in text",
    ),
    ResponseRule(
        "SC-14",
        "Thinking has a member of its own and is whole.",
        "SHOULD",
        ("vllm #41691",),
        shown_by="transfer",
        about=("thinking",),
    ),
    ResponseRule(
        "SC-15",
        "The server takes its own ids back.",
        "MUST",
        ("omlx PR #1997",),
        shown_by="request",
        probe="own answer back",
    ),
    ResponseRule(
        "SC-16",
        "The continuation of a loop is taken: system, the assistant's calls, their results.",
        "MUST",
        ("ollama #17778",),
        shown_by="request",
        probe="continuation",
    ),
    ResponseRule(
        "SC-17",
        "Signatures get through a gateway, both ways.",
        "MUST",
        ("openrouter-examples #67", "litellm #16893", "hebo-gateway #226", "securo #884"),
        shown_by="transfer",
        about=("thinking",),
    ),
    ResponseRule(
        "SC-18",
        "A wrong request is refused with status 400 and an error body.",
        "SHOULD",
        ("Kimi tests/params", "am17an/llama.cpp #50"),
        shown_by="request",
        probe="wrong request",
    ),
    ResponseRule(
        "SC-19",
        "A type of tool that the server cannot run is refused, not dropped.",
        "SHOULD",
        ("TensorRT-LLM PR #18130", "smg PR #1339"),
        shown_by="request",
        probe="unknown tool type",
    ),
    ResponseRule(
        "SC-20",
        "The reported prompt tokens are right.",
        "SHOULD",
        ("Kimi tests/prompt_tokens",),
        shown_by="request",
        probe="prompt tokens",
    ),
    CHOICES,
    INDEX_OF_OWN,
    READABLE,
    ENVELOPE,
)
"""In the order of their numbers; rules that several wires share come last."""

LACKS: Final[Mapping[Content, str]] = {
    "thinking signature": "the API reference has no member for it; routers have reasoning_details of their own",
    "redacted thinking": "the API reference has no member for it",
    "text signature": "the API reference has no member for it; Google's extra_content is beside calls",
    "order": "a message has one content and one list of calls, in no order",
    "phase": "the API reference has no member for it",
    "pause": "finish_reason: stop, length, tool_calls, content_filter",
}
"""Content that no answer can express."""
