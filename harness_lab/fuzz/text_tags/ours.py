"""Our parser of calls in text, as this campaign asks a parser."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from harness.wire.text_tags import TextTags


def read(deltas: Iterable[str]) -> Mapping[str, Any]:
    """What ``TextTags`` makes of a text: beside text and calls, the blocks that are no calls, under ``unreadable``."""
    parser = TextTags()
    pieces = [each for delta in deltas for each in parser.feed(delta)] + parser.end()
    return {
        "text": "".join([piece for what, piece in pieces if what == "text"]),
        "calls": [
            {"name": call.name, "arguments": json.loads(call.arguments)} for call in parser.calls if not call.problem
        ],
        "unreadable": [{"arguments": call.arguments, "problem": call.problem} for call in parser.calls if call.problem],
    }
