"""Compares an endpoint's refusal of a request with the findings of the rules."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from harness.finding import Finding


@dataclass(frozen=True, slots=True)
class ExplainedRefusal:
    """The finding that explains a refusal. ``word_for_word``: its text equals the endpoint's."""

    finding: Finding
    word_for_word: bool


def explain(message: str, violations: Sequence[Finding]) -> ExplainedRefusal | None:
    """The finding with the endpoint's text, else the first certain finding; None if there is neither."""
    for finding in violations:
        if finding.answered.message == message:
            return ExplainedRefusal(finding, word_for_word=True)
    certain = next((finding for finding in violations if finding.level == "MUST"), None)
    return None if certain is None else ExplainedRefusal(certain, word_for_word=False)


def message_of(body: bytes | None) -> str:
    """The text of an error body, in whichever of the many forms of providers and compatible servers."""
    text = (body or b"").decode("utf-8", "replace")
    try:
        return _text(json.loads(text)) or text.strip()
    except (ValueError, RecursionError):
        return text.strip()


def _text(value: Any) -> str:
    """``{"error": {"message"}}``, ``{"error": "..."}``, ``{"message"}``, ``{"detail"}``, or a list of one of these."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return _text(value[0]) if value else ""
    if not isinstance(value, dict):
        return ""
    found = next((value[name] for name in ("error", "message", "detail", "msg") if value.get(name)), "")
    return _text(found)
