"""Requests and served cases to judge."""

from __future__ import annotations

import copy
import json
from contextlib import AbstractContextManager
from typing import Any
from unittest.mock import patch

from harness.finding import Finding
from harness.wire import Call, FinishReason, Identity, IssuedState, Route, ThinkingPart, Turn, wire
from harness.wire.anthropic_messages import WIRE
from harness.wire.anthropic_messages.rules.book import HISTORY_RULES

Body = dict[str, Any]
ROUTE = Route("anthropic-messages")
WITHOUT_THREADS = wire("anthropic-messages", ("thread",))
TOOLS = [{"name": name, "description": "", "input_schema": {"type": "object"}} for name in ("list_files", "read_file")]


def body_of(*messages: Body, **more: Any) -> Body:
    return {
        "model": "claude-sonnet-4-6",
        "max_tokens": 9000,
        "tools": TOOLS,
        "stream": True,
        "messages": [*messages],
        **more,
    }


def user(*content: Any) -> Body:
    return {"role": "user", "content": content[0] if isinstance(content[0], str) else list(content)}


def assistant(*content: Any) -> Body:
    return {"role": "assistant", "content": list(content)}


def text(said: str) -> Body:
    return {"type": "text", "text": said}


def call(call_id: str, name: str = "read_file") -> Body:
    return {"type": "tool_use", "id": call_id, "name": name, "input": {}}


def result(call_id: str, output: Any = "ok") -> Body:
    return {"type": "tool_result", "tool_use_id": call_id, "content": output}


def judge(body: Body, sent: IssuedState | None = None, wire: Any = WIRE) -> list[Finding]:
    sent = sent or IssuedState()
    conversation = wire.resolve(wire.read(ROUTE, json.dumps(body).encode()), sent)
    return list(wire.violations(conversation, sent))


def by_every_check() -> AbstractContextManager[object]:
    """Judge a history by all checks, whatever blocks it has."""
    by_some = HISTORY_RULES.judge
    return patch.object(HISTORY_RULES, "judge", lambda history, *stages, **_: by_some(history, *stages))


def held_against(body: Body, sent: IssuedState | None = None) -> list[Finding]:
    """What is more than inferred."""
    return [violation for violation in judge(body, sent) if violation.level != "INFO"]


class Served:
    """A case in which the endpoint has answered: what it sent, and the correct next request."""

    def __init__(self, *, seed: str = "seed", **more: Any) -> None:
        self.sent = IssuedState()
        self.identity = Identity(seed)
        self.body = body_of(user("What is in src?"), **more)

    def answer(self, turn: Turn) -> list[Body]:
        """Serve ``turn`` and append it and the results of its calls to the request."""
        conversation = WIRE.resolve(WIRE.read(ROUTE, json.dumps(self.body).encode()), self.sent)
        assert [each for each in WIRE.violations(conversation, self.sent) if each.level != "INFO"] == []
        reply = WIRE.render(turn, self.identity, conversation).reply
        self.sent.add(conversation, reply)
        items = copy.deepcopy(list(reply.items))
        self.body["messages"].append(assistant(*items))
        results = [result(item["id"]) for item in items if item["type"] == "tool_use"]
        if results:
            self.body["messages"].append(user(*results))
        return items

    def judge(self, body: Body | None = None) -> list[Finding]:
        return judge(body or self.body, self.sent)


TWO_CALLS = Turn(
    (ThinkingPart("Look around."), Call("list_files", "{}"), ThinkingPart(form="redacted"), Call("read_file", "{}")),
    FinishReason.TOOL_CALLS,
)


def served(**more: Any) -> Served:
    case = Served(**more)
    case.answer(TWO_CALLS)
    return case
