"""A check that is left out where a history has no blocks of some types (``only_with``) would find nothing in it."""

from __future__ import annotations

import json

import pytest

from harness.finding import Finding
from harness.wire import IssuedState
from harness.wire.anthropic_messages import WIRE
from harness.wire.anthropic_messages.rules.book import HISTORY_RULES, HISTORY_VALUES
from tests.wire.anthropic_messages.histories import ROUTE, Body, assistant, body_of, by_every_check, text, user

CALL = {"type": "tool_use", "id": "toolu_1", "name": "list_files", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "ok"}
PROGRAM = {"type": "code_execution_20250825", "tool_id": "srvtoolu_1"}
SERVER_CALL = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "code_execution", "input": {}}
REFERENCE = {"type": "tool_reference", "tool_name": "unknown"}
PNG_AS_JPEG = {"type": "base64", "media_type": "image/jpeg", "data": "iVBORw0KGgoAAAANSUhEUg=="}
IMAGE = {"type": "image", "source": PNG_AS_JPEG}
THINKING = {"type": "thinking", "thinking": "So.", "signature": ""}
REDACTED = {"type": "redacted_thinking", "data": ""}
MANUAL = {"thinking": {"type": "enabled", "budget_tokens": 2000}}
ASKED = user("What is in src?")

BROKEN: list[tuple[str, Body]] = [
    ("ANT-TAG", body_of(user({"type": "input_text", "text": "a"}))),
    ("ANT-35", body_of(ASKED, assistant({"type": "fallback"}))),
    ("ANT-11", body_of(user(text("")))),
    ("ANT-IMAGE", body_of(user(IMAGE))),
    ("ANT-IMAGE", body_of(user({**RESULT, "content": [IMAGE]}))),
    ("ANT-06", body_of(user(CALL))),
    ("ANT-06", body_of(ASKED, assistant(RESULT))),
    ("ANT-05", body_of(ASKED, assistant(CALL, CALL))),
    ("ANT-03", body_of(user(RESULT))),
    ("ANT-04", body_of(user(RESULT, RESULT))),
    ("ANT-01", body_of(ASKED, assistant(CALL), ASKED)),
    ("ANT-01", body_of(assistant(CALL, text("a")), user(RESULT))),
    ("ANT-32", body_of(ASKED, assistant({**CALL, "caller": PROGRAM}))),
    ("ANT-32", body_of(ASKED, assistant({**SERVER_CALL, "id": "srvtoolu_2", "caller": PROGRAM}))),
    ("ANT-33", body_of(user({**RESULT, "content": [REFERENCE]}))),
    (
        "ANT-33",
        body_of(ASKED, assistant({"type": "tool_search_tool_result", "content": {"tool_references": [REFERENCE]}})),
    ),
    ("ANT-31", body_of(ASKED, assistant(SERVER_CALL, {**CALL, "caller": PROGRAM}), user(RESULT))),
    ("ANT-16", body_of(ASKED, assistant(CALL), user(RESULT), **MANUAL)),
    *[
        ("ANT-17", body_of(ASKED, assistant(text("a"), block, text("b")), ASKED, **MANUAL))
        for block in (THINKING, REDACTED)
    ],
    *[("ANT-14", body_of(ASKED, assistant(block, text("a")), ASKED)) for block in (THINKING, REDACTED)],
    *[("ANT-LAST", body_of(ASKED, assistant(text("a"), block), ASKED)) for block in (THINKING, REDACTED)],
]


def judged(body: Body) -> list[Finding]:
    conversation = WIRE.read(ROUTE, json.dumps(body).encode(), {"anthropic-beta": ""})
    return WIRE.violations(conversation, IssuedState())


@pytest.mark.parametrize(("rule", "body"), BROKEN, ids=[f"{at}-{rule}" for at, (rule, _) in enumerate(BROKEN)])
def test_what_breaks_a_rule_is_found_among_few_types_of_blocks(rule: str, body: Body) -> None:
    found = judged(body)
    assert rule in [each.id for each in found]
    with by_every_check():
        assert judged(body) == found


def test_most_checks_are_left_out_of_a_history_of_text() -> None:
    checks = HISTORY_RULES._chosen(HISTORY_VALUES, frozenset({"text"}))
    assert len(checks) * 2 < len(HISTORY_RULES._chosen(HISTORY_VALUES, None))
