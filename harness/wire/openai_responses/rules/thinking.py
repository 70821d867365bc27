"""OAI-DS: DeepSeek's server wants the text of its reasoning back, in front of the calls that it led to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from harness.finding import Finding
from harness.wire.lenient import members, objects, string
from harness.wire.openai_models import OPENAI_MODELS, REASONING_TEXT
from harness.wire.openai_responses.rules.asked import Asked, HistoryItem
from harness.wire.openai_responses.rules.kinds import CALL_KINDS, OUTPUT_KINDS, call_id_of
from harness.wire.openai_responses.rules.table import OAI_DS

_OWN: Final = ("function_call", "custom_tool_call")


def reasoning_text_comes_back(asked: Asked) -> Iterator[Finding]:
    """OAI-DS. The server reads calls that stand side by side as one message, and wants reasoning in front of each.

    Only with tools, and while nothing switches thinking off. What the endpoint issued goes back as it came: its
    reasoning need have no text, and its calls that came without reasoning need none.
    """
    if not OPENAI_MODELS.holds(REASONING_TEXT, asked.model) or not asked.body.get("tools") or _is_off(asked):
        return
    thought = False
    found: list[HistoryItem] = []
    for entry in asked.history:
        if entry.kind == "reasoning":
            thought = thought or _has_its_text(asked, entry)
            found.append(entry)
        elif entry.kind in CALL_KINDS:
            if entry.own and not thought and entry.kind in _OWN and not _came_without(asked, entry):
                yield _without(entry, found)
            thought = True  # one finding for the calls of a message
        elif entry.kind in OUTPUT_KINDS or entry.item.get("role") in ("user", "system", "developer"):
            thought, found = False, []


def _is_off(asked: Asked) -> bool:
    return (
        members(asked.body.get("reasoning")).get("effort") == "none"
        or members(asked.body.get("thinking")).get("type") == "disabled"
    )


def _has_its_text(asked: Asked, entry: HistoryItem) -> bool:
    """Whether reasoning has its text; a summary or encrypted content is none."""
    texts = (string(part.get("text")) for part in objects(entry.item.get("content")))
    return any(texts) or entry.id in asked.issued.items


def _came_without(asked: Asked, entry: HistoryItem) -> bool:
    return call_id_of(entry.item) in asked.issued.thoughtless


def _without(entry: HistoryItem, found: list[HistoryItem]) -> Finding:
    what = ", ".join(f"{each.name} without its text" for each in found)
    return OAI_DS.broken(
        entry.at,
        expected="reasoning with its reasoning_text in front of the calls of a message",
        got=what or "no reasoning since the last output or message",
    )
