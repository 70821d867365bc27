"""What a ``toolStart`` shows of a call's arguments, held against the arguments that the call had in the end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from harness.finding import Finding, broken
from harness.rules.content import contents_of
from harness.rules.evidence import difference
from harness.rules.trace_view import TraceView
from harness.trace import ToolStart
from harness.wire.characters import sendable

_SHORTENED = ("...", "…")
"""What may stand behind a beginning, to say that more follows. No text ends with both, so one of the two leaves it."""


def start_input(view: TraceView) -> Iterator[Finding]:
    """The check of ``preview/start-input``."""
    for turn in view.turns:
        for call in turn.calls:
            if call.tool is None or not call.tool.starts:
                continue
            at, start = call.tool.starts[0]
            if start.name == call.call.name:  # else it is the start of another call with this id
                yield from _other_words(at, start, call.call.arguments)


def _other_words(at: int, start: ToolStart, arguments: str) -> Iterator[Finding]:
    shown = start.input if isinstance(start.input, dict) else {}
    texts = {key: text for key, text in shown.items() if isinstance(text, str)}
    values = _members(arguments) if texts else {}
    for key, words in texts.items():
        value = values.get(key)
        if not isinstance(value, str):
            continue
        value, text = sendable(value), sendable(words)
        if not _begins(value, text) and not _begins(_first(arguments, key), text):
            expected, got = difference(value, text)
            yield broken(at, f"a beginning of {key!r}: {expected}", got, f"toolStart of {start.id}")


def _members(arguments: str) -> dict[str, Any]:
    """The finished arguments; nothing of arguments that were cut or are no object."""
    try:
        members = json.loads(arguments)
    except (ValueError, RecursionError):
        return {}
    return members if isinstance(members, dict) else {}


def _first(arguments: str, key: str) -> str:
    """What the arguments say under ``key`` first: the last time counts, but the start may have been reported before."""
    first = next(contents_of(arguments, key), None)
    return first.text if first is not None else ""


def _begins(value: str, text: str) -> bool:
    return any(value.startswith(text.removesuffix(more)) for more in _SHORTENED)
