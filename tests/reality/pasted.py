"""Errors of public reports as users paste them: with other ids and places, and with whatever is around them."""

from __future__ import annotations

import json
import random
import re
import string
from collections.abc import Callable
from typing import Final


def with_other_ids(text: str, chance: random.Random) -> str:
    """Other ids, indexes and quotes, drawn by chance. ``...`` and ``N`` are what a report left out."""
    text = re.sub(r"\.\.\.", lambda _: "".join(chance.choices(string.ascii_letters + string.digits, k=24)), text)
    text = re.sub(r"\b[NM]\b", lambda _: str(chance.randrange(90)), text)
    text = re.sub(r"(?<=[.\[])\d+\b", lambda _: str(chance.randrange(90)), text)
    return text.replace("`", chance.choice(["`", "'", "", '"']))


def _body(text: str) -> str:
    return json.dumps({"type": "error", "error": {"type": "invalid_request_error", "message": text}})


AROUND: Final[tuple[Callable[[str], str], ...]] = (
    str,
    _body,
    lambda text: json.dumps({"error": {"message": text, "type": "invalid_request_error", "code": None}}, indent=2),
    lambda text: f"Error code: 400 - {{'error': {{'code': 400, 'message': {text!r}, 'status': 'INVALID_ARGUMENT'}}}}",
    lambda text: f"anthropic.BadRequestError: Error code: 400 - {json.loads(_body(text))}",
    lambda text: f"2026-11-02T10:04:31.201Z ERROR [agent] turn 7 failed: 400 {text} (attempt 1, 0.8s)",
    lambda text: json.dumps({"error": {"message": "Provider returned error", "metadata": {"raw": _body(text)}}}),
    lambda text: f"Error: 400 {_body(text)}\n    at Client.post (/app/sdk/index.js:41:9)\n    at run (/app/a.js:1:2)",
)
"""What is around a text: nothing, bodies in several forms, exceptions of SDKs, a line of a log, a gateway's error."""
