"""What a server of the Responses API sends (``shared/field/reality.md`` 2.2 has the threads)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from harness.wire.response_rule import Content, ResponseRule
from harness.wire.strict import ENVELOPE, EVENT_NAME, READABLE

SEQUENCE: Final = ResponseRule(
    "SR-01",
    "Every event has a sequence_number, which grows by one.",
    "MUST",
    ("litellm PR #28899", "llama.cpp PR #24957"),
    recordings="OpenAI sent none in early 2025 (5 recordings), and one stream lacks a number: both are SHOULD",
)
PLACES: Final = ResponseRule(
    "SR-02",
    "Events about items have output_index, those about parts content_index or summary_index, and all of these item_id.",
    "MUST",
    ("lemonade #3607", "llama.cpp PR #24957"),
)
PARTS: Final = ResponseRule(
    "SR-03",
    "A part of a message is added, streamed and done, and each says the same: deltas, text, part and item.",
    "MUST",
    ("ogx #5309",),
    recordings="a summary of reasoning that was cut differs from its deltas (1 recording): SHOULD for summaries",
    about=("words",),
)
ARGUMENTS: Final = ResponseRule(
    "SR-04",
    "A call is added, its arguments are streamed and done, and each says the same: deltas, arguments and item.",
    "MUST",
    ("Open Responses: tool-calling-streaming",),
    about=("words",),
)
LIFECYCLE: Final = ResponseRule(
    "SR-05",
    "response.created comes first, one of completed, incomplete and failed last, whose output is what was streamed.",
    "MUST",
    ("sub2api #3038", "the official SDK's helper of a stream"),
    recordings="the door of ChatGPT leaves the output at the end empty (16 recordings): SHOULD, as is an item of a"
    " built-in tool that is never done (1 recording)",
)
ITEM_ID: Final = ResponseRule(
    "SR-06",
    "An item has one id from added to done.",
    "MUST",
    ("vercel/ai: fixture github-copilot-id-rotation", "the official SDK's helper of a stream"),
    recordings="the call_id of a tool search changes (1 recording): only that of a call must stay",
)
CALL_ID: Final = ResponseRule(
    "SR-08",
    "The call_id of a call is not empty, and differs within a response and within a conversation.",
    "MUST",
    ("codex: invariants of request bodies",),
    about=("ids", "results"),
)
REASONING: Final = ResponseRule(
    "SR-10",
    "Reasoning comes before what it has produced, and has encrypted_content where that was asked for.",
    "SHOULD",
    ("the wire document",),
    about=("thinking",),
)
TRUNCATION: Final = ResponseRule(
    "SR-12",
    "An answer that was cut is response.incomplete with the reason, and its open item is incomplete.",
    "MUST",
    ("the wire document",),
    recordings="in a completed response the call of a program stays in progress (4 recordings), and so do items of the "
    "provider's own tools: calls of a computer, searches, images (3 recordings)",
)
ERRORS: Final = ResponseRule(
    "SR-15",
    "An error before the stream is an HTTP error; behind its start it is an event.",
    "MUST",
    ("recorded errors",),
)
ARGUMENTS_JSON: Final = ResponseRule(
    "SR-17",
    "The arguments of a call of a function that is completed are one JSON object.",
    "MUST",
    ("the accuracy of tool call schemas in public suites (Kimi K2 vendor verifier)",),
    about=("words",),
)

RESPONSE_RULES: Final = (
    SEQUENCE,
    PLACES,
    PARTS,
    ARGUMENTS,
    LIFECYCLE,
    ITEM_ID,
    ResponseRule(
        "SR-07",
        "The server takes its own items back as they came, with an empty summary, or without status.",
        "MUST",
        ("ggml-org/llama.cpp #29159", "am17an/llama.cpp #50", "vllm PR #41355"),
        shown_by="request",
        probe="own answer back",
    ),
    CALL_ID,
    ResponseRule(
        "SR-09",
        "An output without its call is refused, and a call without its output.",
        "SHOULD",
        ("llm-memory-api PR #179",),
        shown_by="request",
        probe="wrong continuation",
    ),
    REASONING,
    ResponseRule(
        "SR-11",
        "An unknown previous_response_id is refused with 400 or 404 and the code previous_response_not_found.",
        "SHOULD",
        ("oh-my-pi #925",),
        shown_by="request",
        probe="unknown earlier response",
    ),
    TRUNCATION,
    ResponseRule(
        "SR-13",
        "A WebSocket has the events of a stream, one response at a time, and stays usable behind an error.",
        "SHOULD",
        ("developers.openai.com: websocket-mode", "docs.x.ai"),
        shown_by="request",
        probe="channel",
    ),
    ResponseRule(
        "SR-14",
        "What /responses/compact returns is taken as the next input.",
        "SHOULD",
        ("openai-agents-python #2317", "openai-python #3075"),
        shown_by="request",
        probe="compaction",
    ),
    ERRORS,
    ResponseRule(
        "SR-16",
        "With previous_response_id the server may forget the earlier instructions and tools.",
        "INFO",
        ("the wire document",),
        shown_by="nothing",
        permits=True,
    ),
    ARGUMENTS_JSON,
    ResponseRule(
        "SR-18",
        "An error over a WebSocket is nested in its message, beside the HTTP status: no flat event of a stream.",
        "SHOULD",
        (
            "ResponseWsErrorError of the official SDK, which knows no other",
            "openai/codex, its public source: an error without a status is passed over, and the run waits for more",
        ),
        shown_by="request",
        probe="channel error",
    ),
    EVENT_NAME,
    READABLE,
    ENVELOPE,
)
"""In the order of their numbers; rules that several wires share come last."""

LACKS: Final[Mapping[Content, str]] = {
    "call signature": "function_call has no member for it",
    "text signature": "output_text has no member for it",
    "redacted thinking": "a reasoning item has encrypted_content of its own, and nothing else that is opaque",
    "pause": "status: completed, incomplete, failed",
}
"""Content that no answer can express."""
