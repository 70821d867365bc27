"""Our parser of calls in text, with the signature of this campaign."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from harness.wire.text_tags import TextTags


def read(deltas: Iterable[str]) -> Mapping[str, Any]:
    """The result of ``TextTags`` for a text: its text, its calls, and under ``unreadable`` the blocks that are no
    calls."""
    parser = TextTags()
    pieces = [each for delta in deltas for each in parser.feed(delta)] + parser.end()
    return {
        "text": "".join([piece for what, piece in pieces if what == "text"]),
        "calls": [
            {"name": call.name, "arguments": json.loads(call.arguments)} for call in parser.calls if not call.problem
        ],
        "unreadable": [{"arguments": call.arguments, "problem": call.problem} for call in parser.calls if call.problem],
    }
