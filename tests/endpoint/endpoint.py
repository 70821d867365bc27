"""A case at the endpoint, and ways to ask it: what the endpoint's tests share."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from harness.endpoint import CaseEndpoint, Endpoints, Refusing, ScriptSource, refusing
from harness.scenario import Step, TurnStep
from harness.trace import Case
from harness.wire import Call, FinishReason, Text, Turn
from harness.wire.chunking import Chunking

PATH = "/v1/chat/completions"
CALL = TurnStep(Turn((Call("read", '{"path":"a"}'),), FinishReason.TOOL_CALLS))
DONE = TurnStep(Turn((Text("All done."),)))


def desk(
    steps: Sequence[Step] = (CALL, DONE),
    *,
    chunking: Chunking = "event",
    refuse: Refusing = "must",
    without: Sequence[str] = (),
    name: str = "a-case",
) -> CaseEndpoint:
    case = Case(id=name, scenario=name, wire="openai-chat", chunking=chunking)
    return CaseEndpoint(
        case, ScriptSource(steps), clock=lambda: 0.0, chunking=chunking, enforcement=refusing(refuse, without)
    )


def opened(desk: CaseEndpoint) -> Endpoints:
    endpoints = Endpoints()
    endpoints.open(desk.case.id, desk)
    return endpoints


def question(*messages: Any, stream: bool = True) -> bytes:
    history = [{"role": "user", "content": "hi"}, *messages]
    return json.dumps({"model": "gpt-4.1", "messages": history, "stream": stream}).encode()


def turn_back(desk: CaseEndpoint) -> Any:
    """The assistant message as the endpoint last sent it."""
    return desk.issued.replies[-1].items[0]


def result_for(desk: CaseEndpoint, call_id: str | None = None) -> Any:
    asked = desk.issued.replies[-1].turn.calls[0].id
    return {"role": "tool", "tool_call_id": call_id or asked, "content": "done"}
