"""The content of a recorded response, read by code that shares nothing with the sessions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from harness.wire import FinishReason, Usage


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A recorded call. ``id`` is empty if the session must invent one, because none was sent, or an earlier one.

    ``arguments`` is the text as it was sent, or the JSON object on a wire that sends one.
    """

    id: str
    name: str
    arguments: str | dict[str, Any]


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """A complete recorded response.

    ``returned`` is the part that must go back to the provider, in a form that can be compared: the module of the wire
    brings ``ProviderTurn.assistant_turn`` into the same form. ``signed`` and ``other`` count the parts with a proof
    (signature, encrypted reasoning) and those without a neutral word (server tools, images). ``usage`` is None if the
    provider sent none. ``deltas`` are the text and the thinking of the deltas if the recording may end with others;
    None if they cannot differ.
    """

    text: str
    thinking: str
    refusal: str
    calls: tuple[RecordedCall, ...]
    stop: FinishReason
    usage: Usage | None
    returned: Any
    signed: int = 0
    other: int = 0
    deltas: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class BrokenResponse:
    """A recorded response that is itself a failure.

    The session's error must contain ``words``. ``unreadable`` is why a body is no response of its wire at all, if it is
    none.
    """

    words: str
    unreadable: str = ""


def call_ids(sent: Iterable[str | None]) -> list[str]:
    """The ids that a session must keep, ``""`` for each one that it must invent."""
    kept: list[str] = []
    for call_id in sent:
        kept.append(call_id if call_id and call_id not in kept else "")
    return kept
