"""Provider wire formats: bytes to neutral turns and back, without I/O.

``wire(name)`` gives one of them. Names are loaded when they are first asked for, because options and files need no
more of this package than the names of the wires.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.wire.base import (
        Claim,
        Conversation,
        Demand,
        IssuedState,
        Message,
        Opaque,
        Rendered,
        Reply,
        Result,
        Route,
        ToolDeclaration,
        UnreadableRequest,
        Wire,
        WrittenRequest,
        from_body,
    )
    from harness.wire.error_answer import ErrorAnswer
    from harness.wire.identity import Identity
    from harness.wire.models import ModelFact, ModelTable
    from harness.wire.names import (
        NATIVE_WIRES,
        OWN_NATIVE_WIRES,
        OWN_WIRES,
        WIRES,
        NativeWireName,
        WireName,
        known_wire,
        wire_names,
    )
    from harness.wire.provider import Provider
    from harness.wire.registry import (
        aside_of,
        history_members,
        key_headers,
        native_wires,
        recognise,
        route_of,
        subjects_of,
        wire,
        wire_of_answer,
        wire_of_rule,
        wire_rules,
        wires,
    )
    from harness.wire.rule import Certainty, ErrorTemplate, Subject, WireRule
    from harness.wire.transport import StreamEvent, Transport
    from harness.wire.turn import Call, FinishReason, Part, Refusal, StreamError, Text, ThinkingPart, Turn, Usage

__all__ = [
    "NATIVE_WIRES",
    "OWN_NATIVE_WIRES",
    "OWN_WIRES",
    "WIRES",
    "Call",
    "Certainty",
    "Claim",
    "Conversation",
    "Demand",
    "ErrorAnswer",
    "ErrorTemplate",
    "FinishReason",
    "Identity",
    "IssuedState",
    "Message",
    "ModelFact",
    "ModelTable",
    "NativeWireName",
    "Opaque",
    "Part",
    "Provider",
    "Refusal",
    "Rendered",
    "Reply",
    "Result",
    "Route",
    "StreamError",
    "StreamEvent",
    "Subject",
    "Text",
    "ThinkingPart",
    "ToolDeclaration",
    "Transport",
    "Turn",
    "UnreadableRequest",
    "Usage",
    "Wire",
    "WireName",
    "WireRule",
    "WrittenRequest",
    "aside_of",
    "from_body",
    "history_members",
    "key_headers",
    "known_wire",
    "native_wires",
    "recognise",
    "route_of",
    "subjects_of",
    "wire",
    "wire_names",
    "wire_of_answer",
    "wire_of_rule",
    "wire_rules",
    "wires",
]

_HOMES = {
    "error_answer": "ErrorAnswer",
    "identity": "Identity",
    "models": "ModelFact ModelTable",
    "names": "NATIVE_WIRES OWN_NATIVE_WIRES OWN_WIRES WIRES NativeWireName WireName known_wire wire_names",
    "provider": "Provider",
    "registry": (
        "aside_of history_members key_headers native_wires recognise route_of subjects_of wire wire_of_answer "
        "wire_of_rule wire_rules wires"
    ),
    "rule": "Certainty ErrorTemplate Subject WireRule",
    "transport": "StreamEvent Transport",
    "turn": "Call FinishReason Part Refusal StreamError Text ThinkingPart Turn Usage",
}
"""The module of every public name; ``base`` has the rest."""

_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}


if not TYPE_CHECKING:  # else a checker would take any name for one of these

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{_HOME.get(name, 'base')}"), name)
        globals()[name] = value
        return value
