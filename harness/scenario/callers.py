"""What the caller of the loop does: resolve calls that wait, and change the history between turns.

The words are from the loops that have such callers: "Tool Call Flow Diagrams" for calls that wait, "How the Tool
Runner Works" for the history.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from harness.trace import JsonValue


@dataclass(frozen=True, slots=True)
class Resolve:
    """The resolution of a call that waits.

    ``approve``: it runs. ``deny``: it does not, and the model gets the text ``value``. ``supply``: ``value`` is
    the result from elsewhere. ``fail``: it failed there with the text ``value``.
    """

    how: Literal["approve", "deny", "supply", "fail"]
    value: JsonValue = None


Round = Mapping[str, Resolve | tuple[Resolve, ...]]
"""By tool: one resolution for all its calls that wait, or one for each in call order. Other calls wait on."""


@dataclass(frozen=True, slots=True)
class EditedTurn:
    """The model's turn with one of its texts changed."""

    old: str
    new: str


Piece = Literal["turn", "response", "history"] | EditedTurn | tuple[str, str]
"""The turn, unchanged or edited, the answers to its calls, the history so far, or a message as (role, text)."""


@dataclass(frozen=True, slots=True)
class GenerateToolResponse:
    """The caller lets the tools run and reads the answers. It changes nothing."""


@dataclass(frozen=True, slots=True)
class PushMessages:
    """The caller appends to the history."""

    messages: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class SetMessages:
    """The caller replaces the history."""

    messages: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class SetParams:
    """The caller changes fields of further requests, by the provider's names."""

    fields: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class EditToolResponse:
    """The caller changes a text of the answers before they are sent."""

    old: str
    new: str


CallerAction = GenerateToolResponse | PushMessages | SetMessages | SetParams | EditToolResponse


def action_entry(action: CallerAction) -> JsonValue:
    """The action in the form of a scenario file."""
    match action:
        case GenerateToolResponse():
            return "generate_tool_response"
        case PushMessages(pieces):
            return {"push_messages": [_piece(each) for each in pieces]}
        case SetMessages(pieces):
            return {"set_messages": [_piece(each) for each in pieces]}
        case SetParams(fields):
            return {"set_params": dict(fields)}
        case EditToolResponse(old, new):
            return {"edit_tool_response": {"old": old, "new": new}}


def _piece(piece: Piece) -> JsonValue:
    match piece:
        case EditedTurn(old, new):
            return {"turn": {"old": old, "new": new}}
        case (role, text):
            return {role: text}
    return piece
