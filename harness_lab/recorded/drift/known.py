"""What the fake renders although no recording has it, and why that is right.

Recordings are older than today's models and come from calls that went well. Where a provider's documentation or the
types of its SDK say what an answer is, or a script breaks a stream on purpose, the fake goes beyond the recordings. An
entry that is no longer needed, because a recording has the shape or nothing renders it, is an error: take it out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from harness.cassette.forms import FORMS
from harness.wire import NativeWireName
from harness_lab.recorded.comparison import Reason
from harness_lab.recorded.drift.shapes import ServedShapes
from harness_lab.recorded.reading.servers import Server


def known(
    wire: NativeWireName, server: Server, patterns: Sequence[str], why: str, evidence: str
) -> Reason[ServedShapes]:
    """The reason for shapes of one wire as one server speaks it, in the forms of which enough is recorded to judge.

    Raises ``ValueError`` for a pattern that does not begin with a form: it would never apply.
    """
    for form in (pattern.partition(" | ")[0] for pattern in patterns):
        if form not in FORMS:
            raise ValueError(f"expected one of the forms {', '.join(FORMS)}, got {form}")

    def explains(served: ServedShapes) -> Iterator[str]:
        if (served.wire, served.server) == (wire, server):
            yield from (pattern for pattern in patterns if pattern.partition(" | ")[0] in served.judged)

    return Reason(why, explains, evidence=evidence)


_openai_responses = partial(known, "openai-responses", "openai")
_openai_chat = partial(known, "openai-chat", "openai")
_openai_chat_of_deepseek = partial(known, "openai-chat", "deepseek")
_anthropic_messages = partial(known, "anthropic-messages", "anthropic")
_gemini_generate = partial(known, "gemini-generate", "gemini")
_gemini_interactions = partial(known, "gemini-interactions", "gemini")
_bedrock_converse = partial(known, "bedrock-converse", "bedrock")

_COME_AGAIN = "Calls that had to wait are hardly ever recorded; the official SDKs read these headers."
_NEXT_PART = "Which part the model says next is its own choice and no matter of form."
_NO_ARGUMENTS = "The script gives a call whose arguments are no text at all, which models seldom write."

KNOWN: tuple[Reason[ServedShapes], ...] = (
    # --- OpenAI Responses -----------------------------------------------------------------------------------
    _openai_responses(
        ("document | error: object", "document | error.*"),
        "A response that failed or is not done. Only streams with one were recorded, and background mode never.",
        "openai SDK 3.54, types/responses/response.py: error (code, message), usage and status may be so",
    ),
    _openai_responses(
        ("error headers | retry-after*", "error headers | x-ratelimit-*"),
        _COME_AGAIN,
        "openai SDK 3.54, _base_client.py; https://platform.openai.com/docs/guides/rate-limits#rate-limits-in-headers "
        "(on successful answers they are recorded)",
    ),
    _openai_responses(
        ("stream | error -> (end)", "stream | error/code: *", "stream | error/message: *", "stream | error/param: *"),
        "The flat form of the error event, as documented; the one recording has the nested form.",
        "openai SDK 3.54, types/responses/response_error_event.py",
    ),
    _openai_responses(
        ("stream | error/error.param: text",),
        "The error for an input that is too long names the parameter.",
        "https://github.com/maximhq/bifrost/issues/4413",
    ),
    _openai_responses(
        ("stream | event: error", "stream | event: response.failed"),
        "The few recordings with these events have lost the lines that name events.",
        "every other event of the wire is named by its type; openai SDK 3.54, _streaming.py",
    ),
    _openai_responses(
        (
            "stream | response.output_item.done -> error",
            "stream | response.output_item.done -> response.failed",
            "stream | response.in_progress -> response.failed",
        ),
        "A failure may come at any time; the one recorded came at once, with the nested event before it.",
        "openai SDK 3.54, types/responses/response_failed_event.py",
    ),
    _openai_responses(
        ("stream | response.in_progress -> response.completed", "stream | response.in_progress -> response.incomplete"),
        "The script says nothing at all, which a loop must live through.",
        "openai SDK 3.54, types/responses/response.py: output may be empty",
    ),
    _openai_responses(
        ("stream | response.output_item.added function_call -> response.function_call_arguments.done",),
        _NO_ARGUMENTS,
        "without a piece there is no delta event",
    ),
    _openai_responses(
        ("stream | response.in_progress -> response.output_item.added compaction",),
        _NEXT_PART,
        "a compaction is recorded behind other items, and first in whole responses",
    ),
    # --- OpenAI Chat ----------------------------------------------------------------------------------------
    _openai_chat(
        ("error headers | retry-after*",),
        _COME_AGAIN,
        "openai SDK 3.54, _base_client.py",
    ),
    _openai_chat(
        ("stream | * -> error", "stream | error -> (end)", "stream | error/error.code: text"),
        "An error inside a stream. The only one recorded interrupts audio.",
        "openai SDK 3.54, _streaming.py: an error member in any chunk is raised; recorded so of other servers",
    ),
    _openai_chat(
        ("stream | content -> call", "stream | content -> refusal", "stream | refusal -> call"),
        _NEXT_PART,
        "content before calls is recorded of DeepSeek; openai SDK 3.54, types/chat/chat_completion_chunk.py: a message "
        "has content, refusal and tool_calls side by side",
    ),
    _openai_chat(
        ("stream | call -> finish", "stream | role+call -> finish"),
        _NO_ARGUMENTS,
        "recorded of other servers, which send the arguments in the chunk that opens the call",
    ),
    _openai_chat(
        ("document | *message.annotations*", "stream | *annotations*"),
        "Models that search the web say where a text comes from; none was recorded.",
        "openai SDK 3.54, types/chat/chat_completion_message.py: Annotation, url_citation",
    ),
    # --- Chat as DeepSeek speaks it -------------------------------------------------------------------------
    _openai_chat_of_deepseek(
        ("stream | * -> error", "stream | error -> (end)", "stream | error/*"),
        "An error inside a stream: none of DeepSeek is recorded.",
        "recorded of other servers; its HTTP errors have the same members",
    ),
    _openai_chat_of_deepseek(
        ("stream | reasoning_content -> finish", "stream | content -> reasoning_content"),
        "The script ends in the middle of a thought, or thinks again after its text.",
        "https://api-docs.deepseek.com/guides/thinking_mode: reasoning counts against max_tokens",
    ),
    _openai_chat_of_deepseek(
        ("error | error.code: null",),
        "The endpoint is one server: its errors are OpenAI's whatever the model says.",
        "recorded of OpenAI; the official SDKs show the message",
    ),
    _openai_chat_of_deepseek(
        tuple(
            f"{form} headers | {name}"
            for form in ("stream", "document")
            for name in (
                "openai-organization",
                "openai-processing-ms",
                "openai-project",
                "openai-version",
                "x-request-id",
            )
        ),
        "The endpoint is one server: its headers are OpenAI's whatever the model says.",
        "no official SDK reads them but x-request-id, which may be absent",
    ),
    # --- Anthropic Messages ---------------------------------------------------------------------------------
    _anthropic_messages(
        (
            "document | stop_details.category: null",
            "document | stop_details.explanation: null",
        ),
        "A refusal without a category, the plainest there is.",
        "anthropic SDK 2.12, types/refusal_stop_details.py: null where no category fits",
    ),
    _anthropic_messages(
        ("error | error.details*",),
        "The code of an error is newer than the recordings.",
        "anthropic SDK 2.12, _error_classes.py: error.details.error_code",
    ),
    _anthropic_messages(
        ("error headers | retry-after*",),
        _COME_AGAIN,
        "anthropic SDK 2.12, _base_client.py; https://platform.claude.com/docs/en/api/rate-limits",
    ),
    _anthropic_messages(
        ("stream | content_block_start thinking -> content_block_delta signature_delta",),
        "Thinking whose text is left out, the default of the newest models.",
        "https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking: display omitted",
    ),
    _anthropic_messages(
        ("stream | * -> error", "stream | error -> (end)", "stream | error/*", "stream | event: error"),
        "An error inside a stream: none is recorded.",
        "https://platform.claude.com/docs/en/build-with-claude/streaming#error-events",
    ),
    _anthropic_messages(
        ("document | *applied_edits*", "stream | *applied_edits*"),
        "Results that the provider has cleared; in all recordings there was nothing to clear.",
        "anthropic SDK 2.12, types/beta/beta_clear_tool_uses_20250919_edit_response.py",
    ),
    _anthropic_messages(
        ("stream | message_start -> content_block_start web_fetch_tool_result",),
        "A turn that paused for a page goes on with it, as one that paused for a search does.",
        "recorded of a search: test_pause_turn_web_search_streaming_vcr",
    ),
    # --- Gemini ---------------------------------------------------------------------------------------------
    _gemini_generate(
        ("error | no JSON",),
        "A request that is too large is refused by Google's front end, in HTML.",
        "https://github.com/widop/WidopGoogleAnalyticsBundle/issues/24 (another of Google's APIs)",
    ),
    _gemini_generate(
        ("stream | * -> error", "stream | error -> (end)", "stream | error/*"),
        "An error inside a stream: none is recorded.",
        "google-genai SDK 3.4, _api_client.py and errors.py: an error member in any chunk is raised",
    ),
    _gemini_generate(
        (
            "stream | text -> functionCall*",
            "stream | functionCall -> text",
            "stream | codeExecutionResult -> functionCall",
            "stream | thought -> executableCode",
        ),
        _NEXT_PART,
        "text beside calls is recorded in whole responses",
    ),
    _gemini_generate(
        (
            "stream | (start) -> finish",
            "stream | functionCall -> finish",
            "stream | thought -> finish",
            "stream | thought -> thought+finish",
            "stream | thought+finish -> (end)",
        ),
        "An answer that its limit or a filter ends before, in or behind a part in which no recording ends.",
        "whole responses that end in a thought are recorded; https://ai.google.dev/api/generate-content#FinishReason",
    ),
    # --- Gemini Interactions --------------------------------------------------------------------------------
    _gemini_interactions(
        ("document | errors*",),
        "What a filter has blocked is an interaction that failed. No failure is recorded.",
        "google-genai SDK 3.4, its type Interaction: errors; https://ai.google.dev/gemini-api/docs/api-errors",
    ),
    _gemini_interactions(
        ("document | steps[]<thought>.summary*",),
        "Summaries are recorded in streams only.",
        "google-genai SDK 3.4, its type ThoughtStep: summary",
    ),
    _gemini_interactions(
        (
            "document | steps[]<code_execution_*",
            "document | steps[]<file_search_*",
            "document | steps[]<mcp_server_tool_*",
            "document | steps[]<url_context_*",
        ),
        "Of the provider's own tools only the search is recorded.",
        "google-genai SDK 3.4, the types of these steps: CodeExecutionCallStep, URLContextResultStep ...",
    ),
    _gemini_interactions(
        ("document | continuation_token: text",),
        "A long answer that goes on. None is recorded.",
        "google-genai SDK 3.4, its type Interaction: continuation_token, which it sends back by itself",
    ),
    # --- Bedrock Converse -----------------------------------------------------------------------------------
    _bedrock_converse(
        ("stream | *Exception*",),
        "An error inside a stream. No recording has one.",
        "botocore 1.44, the shape ConverseStreamOutput of its model of bedrock-runtime",
    ),
    _bedrock_converse(
        ("stream | messageStart -> messageStop",),
        "A script may say nothing at all; the models that were recorded have always said something.",
        "botocore 1.44: no event of a stream is required",
    ),
)
