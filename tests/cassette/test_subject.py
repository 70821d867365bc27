"""What a difference is about, where a message holds several things."""

from __future__ import annotations

from typing import Any

import pytest

from harness.cassette.misses.differences import differences
from harness.cassette.misses.subject import Subject, subject

ASKED = {"type": "text", "text": "And then?"}
FIRST, SECOND = ({"type": "tool_result", "tool_use_id": f"toolu_{n}", "content": f"{n}"} for n in (1, 2))
CALL = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}


def body(*blocks: object, role: str = "user") -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": "Look."}, {"role": role, "content": list(blocks)}]}


@pytest.mark.parametrize(
    ("recorded", "asked", "about"),
    [
        (body(FIRST, SECOND), body(SECOND, FIRST), "order"),
        (body(FIRST), body(FIRST, SECOND), "result"),
        (body(FIRST, SECOND), body(FIRST), "result"),
        (body(FIRST), body(FIRST, ASKED), "prompt"),
        (body(FIRST), body({**FIRST, "content": "3"}), "result"),
        (body(FIRST), body({**FIRST, "tool_use_id": "toolu_9"}), "id"),
        (body(ASKED, CALL, role="assistant"), body(CALL, ASKED, role="assistant"), "order"),
        (body(CALL, role="assistant"), body({**CALL, "input": {"at": 1}}, role="assistant"), "turn"),
    ],
)
def test_a_block_says_what_it_is(recorded: Any, asked: Any, about: Subject) -> None:
    first = next(differences(recorded, asked))
    assert subject(first, asked) == about
