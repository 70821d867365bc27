"""What the tests of the rules share: cases with one answer, and requests that go on from it."""

from __future__ import annotations

import copy
import json
from typing import Any

from harness.finding import Finding
from harness.wire import Conversation, Identity, IssuedState, Turn
from harness.wire.openai_responses import WIRE
from tests.wire.openai_responses.speak import PATCH, QUESTION, READ_FILE, ROUTE, ask

Items = list[dict[str, Any]]


def asked_and_answered(turn: Turn, **members: Any) -> IssuedState:
    sent = IssuedState()
    conversation = ask(**members)
    sent.add(conversation, WIRE.render(turn, Identity("case"), conversation).reply)
    return sent


def returned(sent: IssuedState) -> Items:
    """The items of the last reply as a correct loop sends them back."""
    items = copy.deepcopy(list(sent.replies[-1].items))
    for item in items:
        if item["type"] == "reasoning":
            item.pop("status", None)
    return items


def outputs(items: Items) -> Items:
    return [
        {"type": f"{item['type']}_output", "call_id": item["call_id"], "output": "ok"}
        for item in items
        if item["type"].endswith("_call") and item.get("call_id")
    ]


def continuation(sent: IssuedState) -> Items:
    items = returned(sent)
    return [dict(QUESTION), *items, *outputs(items)]


def request(items: Any, **members: Any) -> Conversation:
    """A request, read; a member that is None is left out."""
    body = {"model": "gpt-5.5", "stream": True, "input": items, "tools": [READ_FILE, PATCH], **members}
    return WIRE.read(ROUTE, json.dumps({name: value for name, value in body.items() if value is not None}).encode())


def judged(sent: IssuedState, items: Any, **members: Any) -> list[Finding]:
    """Everything that a request breaks."""
    return WIRE.violations(WIRE.resolve(request(items, **members), sent), sent)


def judge(sent: IssuedState, items: Any, **members: Any) -> list[Finding]:
    """The same without OAI-28: that a history only grows is broken beside most other rules, and has its own tests."""
    return [violation for violation in judged(sent, items, **members) if violation.id != "OAI-28"]
