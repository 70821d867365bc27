"""A case at the endpoint, and ways to ask it: what the endpoint's tests share."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from harness.endpoint import (
    CaseEndpoint,
    Conversations,
    Endpoints,
    Refusing,
    ResponsePlan,
    Rounds,
    ScriptSource,
    Source,
    refusing,
)
from harness.scenario import Step, TurnStep
from harness.trace import Case
from harness.wire import Call, Conversation, FinishReason, Message, Text, Turn, wire
from harness.wire.base import WrittenRequest
from harness.wire.chunking import Chunking

PATH = "/v1/chat/completions"
CALL = TurnStep(Turn((Call("read", '{"path":"a"}'),), FinishReason.TOOL_CALLS))
DONE = TurnStep(Turn((Text("All done."),)))


def desk(
    steps: Sequence[Step] = (CALL, DONE),
    *,
    wire: str = "openai-chat",
    model: Source | None = None,
    apart: Conversations | None = None,
    chunking: Chunking = "event",
    refuse: Refusing = "must",
    without: Sequence[str] = (),
    name: str = "a-case",
    **case: Any,
) -> CaseEndpoint:
    """A case whose model says these steps, or what ``model`` does."""
    return CaseEndpoint(
        Case(id=name, scenario=name, wire=wire, chunking=chunking, **case),
        ScriptSource(steps) if model is None else model,
        clock=lambda: 0.0,
        chunking=chunking,
        enforcement=refusing(refuse, without),
        apart=apart,
    )


def opened(desk: CaseEndpoint | Rounds) -> Endpoints:
    endpoints = Endpoints()
    endpoints.open("a-case" if isinstance(desk, Rounds) else desk.case.id, desk)
    return endpoints


def answered(
    endpoints: Endpoints, path: str, body: bytes, headers: Mapping[str, str] | None = None, method: str = "POST"
) -> ResponsePlan:
    """The answer to a request, which has been delivered to its end."""
    endpoint, exchange, plan = endpoints.answer(method, f"/case/a-case{path}", headers or {}, body)
    assert isinstance(plan, ResponsePlan)
    if endpoint is not None:
        endpoint.recorder.respond(exchange, plan.status, plan.headers)(plan.chunks)
        endpoint.ended(exchange, plan.end)
    return plan


def greeting(name: str, *, stream: bool = True, **settings: Any) -> WrittenRequest:
    """A request that says hi, as a wire has it."""
    speaks = wire(name)
    prompt = (Message("user", (Text("Hi."),), ""),)
    body = {**speaks.settings, **settings}
    return speaks.write(Conversation(speaks.name, speaks.default_model, stream, prompt, body=body))


def question(*messages: Any, stream: bool = True) -> bytes:
    history = [{"role": "user", "content": "hi"}, *messages]
    return json.dumps({"model": "gpt-4.1", "messages": history, "stream": stream}).encode()


def turn_back(desk: CaseEndpoint) -> Any:
    """The assistant message as the endpoint last sent it."""
    return desk.issued.replies[-1].items[0]


def result_for(desk: CaseEndpoint, call_id: str | None = None) -> Any:
    asked = desk.issued.replies[-1].turn.calls[0].id
    return {"role": "tool", "tool_call_id": call_id or asked, "content": "done"}
