"""Members, their types and their texts: what the provider checks before it looks at the history."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from harness.wire.anthropic_messages.rules.history import Block, History, broken
from harness.wire.base import Violation
from harness.wire.lenient import entries

__all__ = [
    "blocks",
    "content_is_there",
    "messages_are_there",
    "required_members",
    "result_content",
    "roles",
    "text_is_there",
    "unknown_members",
]

_ID = re.compile(r"[a-zA-Z0-9_-]+")

_REMOVED = frozenset({"temperature", "top_k", "top_p"})
"""Only the header ``anthropic-version`` says whether these are still members (ANT-26)."""

_BODY = _REMOVED | frozenset(
    {"model", "max_tokens", "messages", "system", "stream", "tools", "tool_choice", "thinking", "thread"}
    | {"billing_policy", "cache_control", "compaction", "container", "context_management", "diagnostics"}
    | {"fallback_credit_token", "fallbacks", "inference_geo", "mcp_servers", "metadata", "output_config"}
    | {"output_format", "prefill", "service_tier", "speed", "stop_sequences", "user_profile_id", "workspace_id"}
)
_MESSAGE = frozenset({"role", "content"})

_TYPES: Mapping[type, str] = {str: "string", dict: "dictionary", list: "list", int: "integer"}

_REQUIRED: Mapping[str, Mapping[str, type]] = {
    "text": {"text": str},
    "thinking": {"thinking": str, "signature": str},
    "redacted_thinking": {"data": str},
    "tool_use": {"id": str, "name": str, "input": dict},
    "tool_result": {"tool_use_id": str},
}
_OPTIONAL: Mapping[str, frozenset[str]] = {
    "text": frozenset({"cache_control", "citations"}),
    "thinking": frozenset(),
    "redacted_thinking": frozenset(),
    "tool_use": frozenset({"cache_control", "caller", "toolset_name"}),
    "tool_result": frozenset({"cache_control", "content", "is_error", "toolset_name"}),
}
_KNOWN = {kind: _OPTIONAL[kind] | required.keys() | {"type"} for kind, required in _REQUIRED.items()}


def required_members(history: History) -> Iterator[Violation]:
    """ANT-09: ``model``, ``max_tokens`` and ``messages``; each message's ``role`` and ``content``."""
    yield from _missing("", history.body, {"model": str, "max_tokens": int, "messages": list})
    for entry in history.entries:
        if "role" not in entry.message:
            yield _required(f"{entry.at}.role")
        if "content" not in entry.message:
            yield _required(f"{entry.at}.content")


def messages_are_there(history: History) -> Iterator[Violation]:
    """At least one message, and nothing but messages (texts: recorded answers)."""
    messages = entries(history.body.get("messages"))
    if history.body.get("messages") == []:
        problem = "at least one message is required"
        yield broken("ANT-12", "messages", problem, expected="one message or more", got="none")
    for index, message in enumerate(messages):
        if not isinstance(message, dict):
            problem = "Input does not match the expected shape."
            yield broken("ANT-09", f"messages.{index}", problem, expected="an object", got=type(message).__name__)


def unknown_members(history: History) -> Iterator[Violation]:
    """ANT-10: no members that the API does not know, in the body, in messages and in the blocks of a history."""
    yield from _extra("", history.body, _BODY)
    for entry in history.entries:
        yield from _extra(entry.at, entry.message, _MESSAGE)
    for _, block in history.blocks:
        if block.kind in _KNOWN and not block.native.keys() <= _KNOWN[block.kind]:
            yield from _extra(f"{block.at}.{block.kind}", block.native, _KNOWN[block.kind])


def roles(history: History) -> Iterator[Violation]:
    """Roles are ``user``, ``assistant`` and ``system``."""
    for entry in history.entries:
        if "role" in entry.message and entry.role not in ("user", "assistant", "system"):
            message = f'messages: Unexpected role "{entry.role}". Allowed roles are "user" or "assistant".'
            yield Violation("ANT-09", message, f"{entry.at}.role", "user or assistant", entry.role, level="L")


def blocks(history: History) -> Iterator[Violation]:
    """ANT-07, ANT-08, ANT-09: the members that blocks must have, with their types; the alphabet of ids."""
    for _, block in history.blocks:
        where = f"{block.at}.{block.kind}"
        yield from _missing(where, block.native, _REQUIRED.get(block.kind, {}))
        if block.kind == "tool_use":
            yield from _bad_id(f"{where}.id", block.native.get("id"))
            if block.native.get("name") == "":
                problem = "String should have at least 1 character"
                yield broken("ANT-07", f"{where}.name", problem, expected="the tool's name", got="an empty name")
        elif block.kind == "tool_result":
            yield from _bad_id(f"{where}.tool_use_id", block.native.get("tool_use_id"), likely=True)


def _missing(where: str, native: Mapping[str, Any], required: Mapping[str, type]) -> Iterator[Violation]:
    for name, kind in required.items():
        at = f"{where}.{name}" if where else name
        value = native.get(name)
        if name not in native:
            yield _required(at)
        elif not isinstance(value, kind) or isinstance(value, bool):
            problem = f"Input should be a valid {_TYPES[kind]}"
            got = f"{type(value).__name__} {value!r:.60}"
            if kind is dict:
                yield broken("ANT-07", at, problem, expected="an object", got=got)
            else:
                yield broken("ANT-09", at, problem, expected=f"a {_TYPES[kind]}", got=got, level="L")


def _required(at: str) -> Violation:
    return broken("ANT-09", at, "Field required", expected=f"the member {at.rpartition('.')[2]}", got="no such member")


def _extra(where: str, native: Mapping[str, Any], known: frozenset[str]) -> Iterator[Violation]:
    for name in native:
        if name not in known:
            at = f"{where}.{name}" if where else name
            yield broken("ANT-10", at, "Extra inputs are not permitted", expected="no such member", got=name)


def _bad_id(at: str, value: Any, *, likely: bool = False) -> Iterator[Violation]:
    if isinstance(value, str) and not _ID.fullmatch(value):
        problem = "String should match pattern '^[a-zA-Z0-9_-]+$'"
        expected = "letters, digits, _ and -"
        yield broken("ANT-08", at, problem, expected=expected, got=repr(value), level="L" if likely else "C")


def content_is_there(history: History) -> Iterator[Violation]:
    """ANT-12: content may be empty only in an assistant message at the very end."""
    for entry in history.entries:
        last = entry is history.entries[-1]
        if entry.message.get("content") in ("", []) and not (last and entry.role == "assistant"):
            problem = "all messages must have non-empty content except for the optional final assistant message"
            yield broken("ANT-12", entry.at, problem, expected="content", got=f"an empty {entry.role} message")


def text_is_there(history: History) -> Iterator[Violation]:
    """ANT-11: no text block that is empty or only white space.

    A blank block beside other content of an assistant message is taken (recorded), an empty one is not.
    """
    for index, block in enumerate(entries(history.body.get("system"))):
        if isinstance(block, dict):
            yield from _blank("system", Block(f"system.{index}", "system", block))
    for entry, block in history.blocks:
        if entry.role != "assistant" or block.native.get("text") == "" or all(map(_is_blank, entry.blocks)):
            yield from _blank("messages", block)


def _is_blank(block: Block) -> bool:
    text = block.native.get("text")
    return block.kind == "text" and isinstance(text, str) and not text.strip()


def _blank(where: str, block: Block) -> Iterator[Violation]:
    if _is_blank(block):
        text = block.native["text"]
        problem = "must contain non-whitespace text" if text else "must be non-empty"
        message = f"{where}: text content blocks {problem}"
        yield Violation("ANT-11", message, block.at, "text, or no such block", repr(text))


def result_content(history: History) -> Iterator[Violation]:
    """ANT-27: a result's content is a string or a list that is not empty. The provider's text is not known."""
    for _, block in history.blocks:
        if block.kind == "tool_result" and block.native.get("content") == []:
            at = f"{block.at}.tool_result.content"
            problem = "List should have at least 1 item after validation, not 0"
            yield broken("ANT-27", at, problem, expected="text, a block, or no content member", got="[]", level="L")
