"""What stands in messages: text that says something, blocks of this provider's, roles, cache marks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from harness.finding import Finding
from harness.wire.anthropic_messages.blocks import blocks_of
from harness.wire.anthropic_messages.models import MODELS
from harness.wire.anthropic_messages.rules.book import HISTORY_RULES, SETTINGS_RULES
from harness.wire.anthropic_messages.rules.history import AnthropicHistory, ContentBlock, Settings
from harness.wire.anthropic_messages.rules.places import (
    ask_for_version,
    blocks,
    fact,
    last_results,
    last_user,
    latest,
    latest_calling,
    messages,
    say,
    text,
    tools,
)
from harness.wire.anthropic_messages.rules.shape import shown
from harness.wire.anthropic_messages.rules.version import WITHOUT_SAMPLING, is_at_least
from harness.wire.base import Json
from harness.wire.lenient import objects
from harness.wire.posted import Right, Wrong, add, put
from harness.wire.rule import ErrorTemplate, WireRule, verbatim

_QUOTED: Final = "quoted word for word in public code"
_CLAUDE_CODE: Final = "https://github.com/anthropics/claude-code/issues"

_ROLES = ("user", "assistant", "system")

FOREIGN = frozenset(
    {"file", "function", "function_call", "function_call_output", "functionCall", "image_url", "inlineData"}
    | {"input_audio", "input_file", "input_image", "input_text", "output_text", "reasoning", "refusal", "tool_call"}
)
"""Other providers' types for what this one names differently."""

_TAGS = (
    *("document", "image", "redacted_thinking", "search_result", "server_tool_use", "text", "thinking"),
    *("tool_result", "tool_use", "web_search_tool_result"),
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
    wrong=(
        Wrong(
            "ant-system-message-unsupported",
            "Instructions follow the user's message, to a model that knows no such role.",
            lambda it: (
                fact(it, "system-messages") is False
                and messages(it)[-1]["role"] == "user"
                and say(it, "system", "Be brief.")
            ),
            "one-call manual-thinking",
            says="system",
        ),
        Wrong(
            "ant-system-message-as-prompt",
            "The instructions are the first message, as other providers have them.",
            lambda it: fact(it, "system-messages") is False and say(it, "system", "Be brief.", at=0),
            "one-call",
            also=("ANT-24",),
            says="instructions",
        ),
        Wrong(
            "ant-role-tool",
            "Results come from the role tool.",
            lambda it: put(last_results(it), role="tool"),
            "one-call foreign thread",
        ),
    ),
    right=(
        Right(
            "ant-user-twice",
            "Two messages of the user's.",
            lambda it: say(it, "user", "And be quick."),
            "one-call foreign thread",
        ),
        Right(
            "ant-assistant-first",
            "The assistant begins.",
            lambda it: say(it, "assistant", "Hello.", at=0),
            "one-call foreign",
        ),
    ),
)


@HISTORY_RULES.check("types", ANT_ROLE)
def roles(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-ROLE: ``user`` and ``assistant``, and ``system`` if the model accepts instructions in mid-conversation."""
    takes_system = MODELS.value("system-messages", history.settings.model) is not False
    for entry in history.entries:
        role = entry.message.get("role")
        if entry.role == "system" and not takes_system:
            template = "system" if entry.number else "instructions"
            expected, got = "the system member of the body", "a message of role system"
            yield ANT_ROLE.broken(f"{entry.at}.role", expected=expected, got=got, template=template)
        elif isinstance(role, str) and role not in _ROLES:
            expected, got = "user or assistant", shown(role)
            yield ANT_ROLE.broken(f"{entry.at}.role", expected=expected, got=got, role=role)


ANT_TAG: Final = WireRule(
    "ANT-TAG",
    "A content block and a tool have a type that this API knows. Only types of other providers' are judged: this one's "
    "grow.",
    "A history or a tool in another provider's format (image_url, input_text, function) was passed on without being "
    "translated.",
    "certain",
    (
        "https://github.com/AstrBotDevs/AstrBot/pull/4444",
        "tools: https://github.com/dirac-run/dirac/issues/57, https://github.com/vercel/ai/pull/5024",
    ),
    (
        ErrorTemplate(
            "{at}: Input tag '{tag}' found using 'type' does not match any of the expected tags: {tags}",
            seen="messages.0.content.2: Input tag 'image_url' found using 'type' does not match any of the "
            "expected tags: 'document', 'image', 'redacted_thinking', 'search_result', 'server_tool_use', 'text', "
            "'thinking', 'tool_result', 'tool_use', 'web_search_tool_result'",
            name="foreign",
        ),
        ErrorTemplate(
            "{at}: Input tag '{tag}' found using 'type' does not match any of the expected tags: {tags}",
            seen="tools.0: Input tag 'function' found using 'type' does not match any of the expected tags: "
            "'bash_20250124', …",
            name="tool",
        ),
    ),
    wrong=(
        Wrong(
            "ant-tool-of-another-provider",
            "A tool is declared in the form of another provider.",
            lambda it: (
                tools(it)
                and add(
                    [it.body],
                    "tools",
                    {"type": "function", "function": {"name": "save", "parameters": {"type": "object"}}},
                )
            ),
            "one-call foreign",
            says="tool",
        ),
        Wrong(
            "ant-image-url",
            "An image is sent in the form of another provider.",
            lambda it: add(
                last_user(it), "content", {"type": "image_url", "image_url": {"url": "https://a.test/a.png"}}
            ),
            "one-call thread",
        ),
    ),
    right=(
        Right(
            "ant-block-of-tomorrow",
            "A block of a type unknown here.",
            lambda it: add(
                last_user(it),
                "content",
                {"type": "hologram", "source": {"type": "url", "url": "https://a.test/a.holo"}},
            ),
            "one-call system-message",
        ),
    ),
)


@HISTORY_RULES.check("types", ANT_TAG, only_with=FOREIGN)
def tags(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-TAG: no blocks in another provider's format."""
    for run in history.runs:
        for block in run.of(*FOREIGN):
            names = ", ".join(f"'{name}'" for name in _TAGS)
            yield ANT_TAG.broken(block.at, expected="a block of this API", got=block.kind, tag=block.kind, tags=names)


ANT_12: Final = WireRule(
    "ANT-12",
    "There is at least one message, and no message is empty but an assistant's at the very end.",
    "A model may answer a tool result with nothing at all; a loop that stores that turn and goes on is refused.",
    "certain",
    (f"{_QUOTED}, with request_id req_011CV6i…",),
    (
        ErrorTemplate(
            "{at}: all messages must have non-empty content except for the optional final assistant message",
            seen="messages.2: all messages must have non-empty content except for the optional final assistant message",
            name="empty",
        ),
        ErrorTemplate("{at}: at least one message is required", certainty="likely", name="minItems"),
    ),
    about=("prompt",),
    wrong=(
        Wrong(
            "ant-message-empty",
            "A turn in which the model said nothing is sent back.",
            lambda it: say(it, "assistant", []) and say(it, "user", "Go on."),
            "one-call several-turns",
        ),
        Wrong(
            "ant-history-empty",
            "There is no message.",
            lambda it: "continue" not in str(it.body.get("thread")) and put([it.body], messages=[]),
            "one-call",
            says="minItems",
        ),
    ),
    right=(
        Right(
            "ant-last-turn-empty",
            "An empty turn at the end.",
            lambda it: say(it, "assistant", []),
            "opus-4-1 manual-thinking",
        ),
    ),
)


@HISTORY_RULES.check("content", ANT_12)
def content_is_there(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-12: content may be empty only in an assistant message at the very end."""
    for entry in history.entries:
        if entry.message.get("content") not in ("", []) or entry.is_kept:
            continue
        if entry.role != "assistant" or entry is not history.entries[-1]:
            yield ANT_12.broken(entry.at, expected="content", got=f"an empty {entry.role} message")


ANT_11: Final = WireRule(
    "ANT-11",
    "A text block is not empty, and not only white space. A blank one beside other content of an assistant message is "
    "taken; an empty one is not.",
    "Models send empty text beside calls, and loops send it back.",
    "certain",
    (f"{_QUOTED}; the blank one beside a call is recorded with status 200",),
    (
        ErrorTemplate(
            "{where}: text content blocks must be non-empty",
            seen="messages: text content blocks must be non-empty",
            name="empty",
        ),
        ErrorTemplate(
            "{where}: text content blocks must contain non-whitespace text",
            seen="system: text content blocks must contain non-whitespace text",
            name="blank",
        ),
    ),
    wrong=(
        Wrong(
            "ant-text-empty",
            "An empty text beside a call is sent back.",
            lambda it: add(latest(it), "content", text(""), at=0),
            "one-call foreign",
        ),
        Wrong(
            "ant-text-blank",
            "The user says nothing but white space.",
            lambda it: add(last_user(it), "content", text(" \n")),
            "one-call foreign thread",
            says="blank",
        ),
        Wrong(
            "ant-system-blank",
            "The instructions are white space.",
            lambda it: put([it.body], system=[text(" ")]),
            "one-call",
            says="blank",
        ),
    ),
    right=(
        Right(
            "ant-blank-beside-a-call",
            "White space beside a call.",
            lambda it: add(latest_calling(it), "content", text(" "), at=-1),
            "one-call foreign",
        ),
    ),
)


@HISTORY_RULES.check("content", ANT_11, only_with=("text",))
def text_is_there(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-11: no text block that is empty or, but for one beside other content of an assistant message, blank."""
    for entry in history.entries:
        for block in entry.blocks:
            if not is_blank(block.native) or entry.is_kept:
                continue
            if entry.role != "assistant" or block.native["text"] == "" or _all_blank(entry.blocks):
                yield _blank("messages", block.at, block.native)


@SETTINGS_RULES.check("instructions", ANT_11)
def system_text_is_there(settings: Settings) -> Iterator[Finding]:
    """ANT-11: the same for the blocks of ``system``."""
    for index, block in enumerate(objects(settings.body.get("system"))):
        if is_blank(block):
            yield _blank("system", f"system.{index}", block)


def is_blank(block: Json) -> bool:
    """Whether a block is text that says nothing."""
    text = block.get("text")
    return block.get("type") == "text" and isinstance(text, str) and (not text or text.isspace())


def _all_blank(blocks: list[ContentBlock]) -> bool:
    return all(is_blank(block.native) for block in blocks)


def _blank(where: str, at: str, block: Json) -> Finding:
    template = "blank" if block["text"] else "empty"
    return ANT_11.broken(
        at, expected="text, or no such block", got=shown(block["text"]), template=template, where=where
    )


def _citing_text(words: str) -> Json:
    place = {"type": "char_location", "cited_text": "hi", "document_index": 0, "start_char_index": 0}
    return {"type": "text", "citations": [place], "text": words}


def _page() -> Json:
    """A search result with citations."""
    page = {"type": "search_result", "source": "https://a.test", "title": "A page", "citations": {"enabled": True}}
    return {**page, "content": [{"type": "text", "text": "hi", "citations": [{}]}]}


ANT_CITED: Final = WireRule(
    "ANT-CITED",
    "An assistant message contains no document, and no text of a user message has citations.",
    "A loop that turns the model's cited answer into a user's message, or stores files beside it, is refused since the "
    "API version of October 2026.",
    "certain",
    ("https://platform.claude.com/docs/en/api/migration-2026-10-21", "the provider's texts are not known"),
    (
        ErrorTemplate("{at}: `document` blocks can only be in `user` messages", name="document"),
        ErrorTemplate("{at}.text.citations: Extra inputs are not permitted", name="citations"),
    ),
    applies="anthropic-version 2026-10-21 and later",
    wrong=(
        Wrong(
            "ant-document-of-the-assistant",
            "The assistant's turn contains a document.",
            lambda it: (
                add(
                    latest(it),
                    "content",
                    {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "print('hi')"}},
                    at=0,
                )
                and ask_for_version(it, WITHOUT_SAMPLING)
            ),
            "version-of-2026 version-of-2023",
        ),
        Wrong(
            "ant-citations-of-the-user",
            "The user's text has citations.",
            lambda it: (
                add(last_user(it), "content", _citing_text("You said hi.")) and ask_for_version(it, WITHOUT_SAMPLING)
            ),
            "version-of-2026 version-of-2023",
            says="citations",
        ),
        Wrong(
            "ant-citations-in-a-result",
            "A text in a result has citations.",
            lambda it: (
                put(blocks(it, "tool_result")[-1:], content=[text("You said hi."), _citing_text("It says hi.")])
                and ask_for_version(it, WITHOUT_SAMPLING)
            ),
            "version-of-2026 version-of-2023",
            says="citations",
        ),
    ),
    right=(
        Right(
            "ant-pages-found",
            "A result is a page with citations.",
            lambda it: put(blocks(it, "tool_result")[-1:], content=[_page()]) and ask_for_version(it, WITHOUT_SAMPLING),
            "version-of-2026",
        ),
    ),
)


@HISTORY_RULES.check("content", ANT_CITED)
def cited(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-CITED: no documents by the assistant and no citations by the user, if the API version forbids them."""
    if not is_at_least(history.settings, WITHOUT_SAMPLING):
        return
    for run in history.runs:
        if run.role == "assistant":
            for block in run.of("document"):
                expected, got = "the document in a user message", "a document of the assistant's"
                yield ANT_CITED.broken(block.at, expected=expected, got=got)
        else:
            for block in run.of("text", "tool_result"):
                if _has_citations(block.native):
                    expected, got = "text without citations", "citations in a user message"
                    yield ANT_CITED.broken(block.at, expected=expected, got=got, template="citations")


def _has_citations(block: Json) -> bool:
    if block.get("type") == "text":
        return bool(block.get("citations"))
    return isinstance(block.get("content"), list) and any(
        _has_citations(inner) for inner in blocks_of(block["content"]) if inner.get("type") == "text"
    )
