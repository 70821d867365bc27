"""Code shared by the wires whose messages are lists of content blocks and whose calls carry JSON objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from harness.wire.base import Json, Message, Reply, Result
from harness.wire.json_text import strict
from harness.wire.turn import Text

INVALID_JSON: Final = "INVALID_JSON"
"""The member under which Anthropic's documentation sends unreadable arguments back (wire document, 3.8)."""


def call_input(arguments: str) -> Json:
    """The object that a call carries for this arguments text.

    The API wants an object there (ANT-07, BED-12). An empty or blank text becomes an empty object; text that is no JSON
    object goes back under ``INVALID_JSON``.
    """
    if not arguments.strip():
        return {}
    try:
        value = strict(arguments)
    except (ValueError, RecursionError):
        return {INVALID_JSON: arguments}
    return value if isinstance(value, dict) else {INVALID_JSON: arguments}


def answers(
    reply: Reply,  # noqa: ARG001 - results name calls by their ids
    ids: Sequence[str],  # noqa: ARG001
    results: Sequence[Result],
    user_texts: Sequence[str] = (),
) -> tuple[Message, ...]:
    """``Wire.answers``: one message with all results, and after them the user's texts (ANT-02, BED-01)."""
    answered = [replace(result, name="") for result in results]
    return (Message("user", (*answered, *map(Text, user_texts)), ""),) if results else ()
