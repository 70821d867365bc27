"""Calls and results, roles, and how a history ends."""

from __future__ import annotations

from typing import Final

from harness.wire.rule import ErrorTemplate, WireRule, verbatim

_CLAUDE_CODE: Final = "https://github.com/anthropics/claude-code/issues"
_MEASURED: Final = "measured live by pydantic-ai: recording test_unpaired_native_tool_calls"
_DOCS_TOOLS: Final = "https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls"

_UNANSWERED: Final = (
    "{at}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. "
    "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
)

ANT_01: Final = WireRule(
    "ANT-01",
    "Every tool_use of an assistant turn has its tool_result in the user message that follows at once. A history that "
    "begins with the assistant has no text behind the calls of that first turn.",
    "A loop that forgets one result, or sends the results of parallel calls in several messages, ends here. So does "
    "one that was interrupted between a call and its result and then goes on.",
    "certain",
    (
        f"{_CLAUDE_CODE}/3512",
        f"{_CLAUDE_CODE}/12526",
        f"{_CLAUDE_CODE}/1831",
        f"{_CLAUDE_CODE}/6521",
        f"{_CLAUDE_CODE}/5989",
        f"results spread over several messages: no recording, the documentation asks for one ({_DOCS_TOOLS})",
        "text of the model's own behind its calls is accepted where a user's turn comes before: "
        "https://github.com/gotgenes/pi-anthropic-auth/issues/66 (tried on five models, 2026-09)",
        "it is refused where the history begins with that turn, which counts as the second message then: recording "
        "rejects-malformed-assistant-tool-order-without-patch; the same turn with its text in front is accepted: "
        "recording accepts-malformed-assistant-tool-order-with-default-patch",
    ),
    (
        ErrorTemplate(
            _UNANSWERED,
            seen="messages.22: `tool_use` ids were found without `tool_result` blocks immediately after: "
            "toolu_01HqfLWiAKQLsniF2fBGF2KD, toolu_01SJzDkeAZER935cpGFptTNk. Each `tool_use` block must have a "
            "corresponding `tool_result` block in the next message.",
            name="unanswered",
        ),
        ErrorTemplate(_UNANSWERED, certainty="inferred", name="spread"),
        ErrorTemplate(
            _UNANSWERED,
            seen="messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: call_1. "
            "Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
            name="trailing",
        ),
    ),
    about=("results",),
    needs=("ids",),
)

ANT_02: Final = WireRule(
    "ANT-02",
    "In the user message that answers calls the results come first: no text or image precedes a tool_result.",
    "A loop that puts a reminder or a screenshot in front of the results gets the error that there are none.",
    "certain",
    (
        "https://github.com/NousResearch/hermes-agent/pull/65369",
        "https://github.com/QwenLM/qwen-code/issues/8161",
        _DOCS_TOOLS,
        f"in 2025 it said: Did not find 1 `tool_result` block(s) at the beginning of this message ({_CLAUDE_CODE}/473)",
    ),
    (ErrorTemplate(_UNANSWERED, name="late"),),
    about=("results",),
    needs=("ids", "part-order"),
)

ANT_03: Final = WireRule(
    "ANT-03",
    "A tool_result answers a tool_use of the assistant turn just before it.",
    "A loop that cuts old turns off its history leaves results without their calls; one that makes up ids answers no "
    "call.",
    "certain",
    (f"{_CLAUDE_CODE}/13460", "quoted word for word in public code, with request ids"),
    (
        ErrorTemplate(
            "{at}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. "
            "Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
            seen="messages.48.content.1: unexpected `tool_use_id` found in `tool_result` blocks: "
            "toolu_019ETtGZEhTBXgWPVsdVnXMh. Each `tool_result` block must have a corresponding `tool_use` block "
            "in the previous message.",
            name="unexpected",
        ),
    ),
    about=("results",),
    needs=("ids",),
)

ANT_04: Final = WireRule(
    "ANT-04",
    "A tool_use has one tool_result.",
    "A loop that retries a tool and sends both outcomes is refused; the last one alone has to go back.",
    "certain",
    ("quoted word for word in public code; the place in front of it is likely",),
    (
        ErrorTemplate(
            "{at}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}",
            seen="…: each tool_use must have a single result. Found multiple `tool_result` blocks with id: …",
            name="several",
        ),
    ),
    about=("results",),
    needs=("ids",),
)

ANT_05: Final = WireRule(
    "ANT-05",
    "No two tool_use blocks of a request have the same id.",
    "A loop that numbers calls anew in each turn, or sends a turn twice, cannot be answered unambiguously.",
    "certain",
    (
        f"{_CLAUDE_CODE}/20700",
        f"{_CLAUDE_CODE}/20573",
        "quoted with request_id req_011Cb4i…",
        "over two turns, each call answered at once, an id of another provider's was accepted: recording "
        "test_cross_provider_capability_replay[google-gemini-3-flash-preview-anthropic-claude-sonnet-4-5]",
    ),
    (
        ErrorTemplate(
            "{at}: `tool_use` ids must be unique",
            seen="messages.1.content.3: `tool_use` ids must be unique",
            name="in-turn",
        ),
        ErrorTemplate(
            "{at}: `tool_use` ids must be unique",
            certainty="likely",
            seen="messages.3.content.1: `tool_use` ids must be unique",
            name="over-turns",
        ),
    ),
    needs=("ids",),
)

ANT_06: Final = WireRule(
    "ANT-06",
    "A tool_result belongs in a user message, a tool_use in an assistant message.",
    "A loop that appends results to the model's own turn, or calls to the user's, has lost track of who speaks.",
    "certain",
    ("the first text quoted word for word in public code, nine times; the second is its mirror image",),
    (
        ErrorTemplate(
            "{at}: `tool_result` blocks can only be in `user` messages",
            seen="messages.1: `tool_result` blocks can only be in `user` messages",
            name="result",
        ),
        ErrorTemplate("{at}: `tool_use` blocks can only be in `assistant` messages", certainty="likely", name="call"),
    ),
)

ANT_13: Final = WireRule(
    "ANT-13",
    "The last message is not the assistant's. Only a paused turn (pause_turn), whose server tool still runs, is sent "
    "back with the assistant at the end; a system message may follow the user's.",
    "A loop that asks again without having added a result or a message starts the answer for the model.",
    "certain",
    (
        "https://platform.claude.com/docs/en/api/errors#prefill-not-supported",
        "https://github.com/strands-agents/sdk-python/issues/1694",
        "the exception: recording test_pause_turn_web_search_streaming_vcr",
    ),
    (
        verbatim(
            "This model does not support assistant message prefill. The conversation must end with a user message.",
            name="prefill",
        ),
    ),
    applies="Claude 4.6 and later models",
)

ANT_23: Final = WireRule(
    "ANT-23",
    "A server_tool_use or mcp_tool_use has its result in the same turn, or in a later one where it had to wait for the "
    "client's results, and such a result its use. It may still be running while all that follows is the results of "
    "calls made beside it, or by it.",
    "A loop that drops the provider's own tool blocks, or adds a reminder to the results of a mixed batch, breaks the "
    "pair.",
    "certain",
    (_MEASURED, f"{_CLAUDE_CODE}/64383", "https://platform.claude.com/docs/en/agents-and-tools/tool-use/server-tools"),
    (
        ErrorTemplate(
            "`{name}` tool use with id `{id}` was found without a corresponding `{result}` block",
            seen="`tool_search_tool_regex` tool use with id `srvtoolu_018yKDHFpyBNErTrzqbP8etq` was found without "
            "a corresponding `tool_search_tool_result` block",
            name="use",
        ),
        ErrorTemplate(
            "{at}: unexpected `tool_use_id` found in `{kind}` blocks: {id}. "
            "Each `{kind}` block must have a corresponding `{use}` block before it.",
            seen="messages.7.content.0: unexpected `tool_use_id` found in `advisor_tool_result` blocks: "
            "srvtoolu_01JjfQsdhSJkT7qLCL7Pj9jc. Each `advisor_tool_result` block must have a corresponding "
            "`server_tool_use` block before it.",
            name="result",
        ),
    ),
)

ANT_24: Final = WireRule(
    "ANT-24",
    "A message of role system follows a user turn, or an assistant turn that ends with the result of a tool of the "
    "provider's; it is followed by an assistant turn, or is the last one.",
    "A loop that inserts instructions anywhere in its history is refused; the top-level system always works.",
    "certain",
    (
        "measured live by pydantic-ai; accepted: recordings test_anthropic_lazy_advertisement_live and "
        "test_anthropic_fable_5_lazy_advertisement_live",
        "accepted behind a search of the provider's: recording messages_preserve_system_role_after_server_tool_result",
        "https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages",
        "the provider's text is not known",
    ),
    (
        ErrorTemplate(
            "{at}: `system` messages must come after a `user` turn, before an `assistant` turn or at the end",
            name="misplaced",
        ),
    ),
)

ANT_28: Final = WireRule(
    "ANT-28",
    "A history may call tools that the request does not declare, and may contain calls when it declares no tools at "
    "all.",
    "A loop that takes its tools away for the last turn does nothing wrong. Before 2026 it was refused: Requests which "
    "include `tool_use` or `tool_result` blocks must define tools.",
    "inferred",
    ("recorded requests with undeclared tools and with calls but no tools, answered 200",),
    permits=True,
)

ANT_PREFILL: Final = WireRule(
    "ANT-PREFILL",
    "Where the assistant's last message starts the answer (prefill), its text does not end with white space.",
    "A loop that sends its last, broken turn back as it came is refused for a trailing blank.",
    "certain",
    (
        "https://github.com/tailcallhq/forgecode/issues/1872",
        "https://github.com/langchain-ai/langchain/issues/35071",
        "https://github.com/crewAIInc/crewAI/pull/4538",
    ),
    (verbatim("messages: final assistant content cannot end with trailing whitespace", name="trailing"),),
    applies="models that take a prefill: before Claude 4.6",
)

ANT_ROLE: Final = WireRule(
    "ANT-ROLE",
    "Messages have the role user, assistant or, on models that take instructions in mid-conversation, system.",
    "A loop that was written for another provider sends tool messages, or its instructions as the first message.",
    "likely",
    (
        "https://github.com/CherryHQ/cherry-studio/issues/12316",
        f"{_CLAUDE_CODE}/61412",
        f"{_CLAUDE_CODE}/60927",
        "which models take it: https://github.com/langchain-ai/langchainjs/releases/tag/@langchain%2Fanthropic@1.5.13; "
        "recorded with Opus 4.8 and Fable 5",
    ),
    (
        ErrorTemplate('messages: Unexpected role "{role}". Allowed roles are "user" or "assistant".', name="unknown"),
        verbatim("role 'system' is not supported on this model", name="system"),
        verbatim(
            'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not '
            '"system" as an input message role.',
            name="instructions",
        ),
    ),
)

ANT_THREAD: Final = WireRule(
    "ANT-THREAD",
    "A request that continues a message thread names a response that was issued and has not been continued, to a "
    "server that keeps threads.",
    "The official SDK acts on the code: it sends the whole history again, or goes on without threads.",
    "certain",
    (
        "the SDK's error classes and its tool runner, anthropic 2.12: ThreadNotFoundError, "
        "ThreadAlreadyContinuedError, ThreadUnsupportedRequestError; the texts are ours",
    ),
    (
        ErrorTemplate(
            "This server does not support `thread`. Send the full conversation without `thread`.",
            code="thread_unsupported_request",
            name="unsupported",
        ),
        ErrorTemplate(
            "No usable thread state was found for `previous_message_id` {id}.",
            code="thread_not_found",
            status=404,
            name="lost",
        ),
        ErrorTemplate(
            "The response {id} has already been continued.", code="thread_already_continued", name="continued"
        ),
    ),
)
