"""What stands in messages: text that says something, blocks of this provider's, roles, cache marks."""

from __future__ import annotations

from collections.abc import Iterator

from harness.finding import Finding
from harness.wire.anthropic_messages.models import MODELS
from harness.wire.anthropic_messages.read import blocks_of
from harness.wire.anthropic_messages.rules.history import AnthropicHistory, ContentBlock, Settings
from harness.wire.anthropic_messages.rules.shape import shown
from harness.wire.anthropic_messages.rules.table.body import ANT_11, ANT_12, ANT_CITED, ANT_TAG
from harness.wire.anthropic_messages.rules.table.calls import ANT_ROLE
from harness.wire.anthropic_messages.rules.version import WITHOUT_SAMPLING, is_at_least
from harness.wire.base import Json
from harness.wire.lenient import objects

_ROLES = ("user", "assistant", "system")

FOREIGN = frozenset(
    {"file", "function", "function_call", "function_call_output", "functionCall", "image_url", "inlineData"}
    | {"input_audio", "input_file", "input_image", "input_text", "output_text", "reasoning", "refusal", "tool_call"}
)
"""Types that other providers have for what this one calls otherwise."""

_TAGS = (
    *("document", "image", "redacted_thinking", "search_result", "server_tool_use", "text", "thinking"),
    *("tool_result", "tool_use", "web_search_tool_result"),
)


def roles(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-ROLE: ``user`` and ``assistant``, and ``system`` where the model takes instructions in mid-conversation."""
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


def tags(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-TAG: no blocks in another provider's format."""
    for run in history.runs:
        for block in run.of(*FOREIGN):
            names = ", ".join(f"'{name}'" for name in _TAGS)
            yield ANT_TAG.broken(block.at, expected="a block of this API", got=block.kind, tag=block.kind, tags=names)


def content_is_there(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-12: content may be empty only in an assistant message at the very end."""
    for entry in history.entries:
        if entry.message.get("content") not in ("", []) or entry.is_kept:
            continue
        if entry.role != "assistant" or entry is not history.entries[-1]:
            yield ANT_12.broken(entry.at, expected="content", got=f"an empty {entry.role} message")


def text_is_there(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-11: no text block that is empty or, but for one beside other content of an assistant message, blank."""
    for entry in history.entries:
        for block in entry.blocks:
            if not is_blank(block.native) or entry.is_kept:
                continue
            if entry.role != "assistant" or block.native["text"] == "" or _all_blank(entry.blocks):
                yield _blank("messages", block.at, block.native)


def system_text_is_there(settings: Settings) -> Iterator[Finding]:
    """ANT-11: the same of the blocks of ``system``."""
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


def cited(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-CITED: no documents of the assistant's and no citations of the user's, where the API version forbids them."""
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
