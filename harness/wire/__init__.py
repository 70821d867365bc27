"""Provider wire formats: bytes to neutral turns and back, without I/O.

``wire(name)`` gives one of the five; modules are imported when they are first asked for.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib import import_module
from typing import cast, get_args

from harness.wire.base import (
    HISTORY,
    Conversation,
    ErrorAnswer,
    IssuedState,
    Message,
    NativeWireName,
    Opaque,
    Rendered,
    Reply,
    Result,
    Route,
    ToolDeclaration,
    UnreadableRequest,
    Wire,
    WireName,
    Written,
)
from harness.wire.identity import Identity
from harness.wire.models import ModelFact, ModelTable
from harness.wire.rule import ErrorTemplate, Level, Violation, WireRule
from harness.wire.turn import Call, FinishReason, Part, Refusal, StreamError, Text, Thinking, Turn, Usage

__all__ = [
    "HISTORY",
    "NATIVE_WIRES",
    "WIRES",
    "Call",
    "Conversation",
    "ErrorAnswer",
    "ErrorTemplate",
    "FinishReason",
    "Identity",
    "IssuedState",
    "Level",
    "Message",
    "ModelFact",
    "ModelTable",
    "NativeWireName",
    "Opaque",
    "Part",
    "Refusal",
    "Rendered",
    "Reply",
    "Result",
    "Route",
    "StreamError",
    "Text",
    "Thinking",
    "ToolDeclaration",
    "Turn",
    "UnreadableRequest",
    "Usage",
    "Violation",
    "Wire",
    "WireName",
    "WireRule",
    "Written",
    "recognise",
    "wire",
    "wire_rules",
]

WIRES: tuple[WireName, ...] = get_args(WireName)
"""The wires in the order in which reports list them."""

NATIVE_WIRES: tuple[NativeWireName, ...] = get_args(NativeWireName)
"""The wires with tool calls of their own: those that providers have, and of which there are recordings."""

_MODULES: dict[WireName, str] = {
    "openai-responses": "harness.wire.openai_responses",
    "openai-chat": "harness.wire.openai_chat",
    "anthropic-messages": "harness.wire.anthropic_messages",
    "gemini-generate": "harness.wire.gemini_generate",
    "text-tags": "harness.wire.text_tags",
}


@cache
def wire(name: WireName, declines: tuple[str, ...] = ()) -> Wire:
    """The wire with this name, as an endpoint serves it that declines requests with these members.

    Only Anthropic's has a member that a server may decline: ``thread``.
    """
    module = import_module(_MODULES[name])
    threads_kept = name != "anthropic-messages" or "thread" not in declines
    return cast(Wire, module.WIRE if threads_kept else module.WITHOUT_THREADS)


@lru_cache(maxsize=256)
def recognise(method: str, path: str) -> Route | None:
    """The wire that a request belongs to, by its method and path; None when no wire knows it.

    A dialect has the path of its wire and is never recognised by it.
    """
    routes = (wire(name).route(method, path) for name in WIRES)
    return next((route for route in routes if route is not None), None)


@cache
def wire_rules() -> dict[str, WireRule]:
    """Every rule of every wire by its id (``ANT-01``)."""
    return {rule.id: rule for name in WIRES for rule in wire(name).rules}
