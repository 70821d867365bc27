"""What the tests of the Chat wire and its session share: turns, requests, and an SDK client that is fed bytes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import httpx2

from harness.wire import (
    Call,
    Conversation,
    FinishReason,
    Identity,
    Refusal,
    Rendered,
    Reply,
    Route,
    Text,
    ThinkingPart,
    Turn,
)
from harness.wire.openai_chat import WIRE
from tests.sdks import openai
from tests.wire.openai_anthropic.transport import Answers, cut, response

__all__ = ["Answers", "cut", "response"]

ROUTE = Route("openai-chat")
SMILE = "\U0001f600"
ARGUMENTS = json.dumps({"path": "src/app.py", "text": 'a "quoted" line\nÅ'}, ensure_ascii=False)

TURNS: dict[str, Turn] = {
    "text": Turn((Text(f"Paris is {SMILE} big."),)),
    "thinking": Turn((ThinkingPart("Hm, a city."), Text("Paris."))),
    "thinking-and-call": Turn((ThinkingPart("Look first."), Call("read_file", ARGUMENTS)), FinishReason.TOOL_CALLS),
    "thinking-only": Turn((ThinkingPart("Hm."),)),
    "call": Turn((Call("read_file", ARGUMENTS),), FinishReason.TOOL_CALLS),
    "parallel": Turn((Call("list_files", '{"path":"src"}'), Call("read_file", ARGUMENTS)), FinishReason.TOOL_CALLS),
    "text-between-calls": Turn(
        (Text("First. "), Call("list_files", "{}"), Text("Then."), Call("read_file", ARGUMENTS)),
        FinishReason.TOOL_CALLS,
    ),
    "refusal": Turn((Refusal("I can’t help with that."),), FinishReason.REFUSAL),
    "max-tokens": Turn((Text("Once upon"),), FinishReason.MAX_TOKENS),
    "max-tokens-in-call": Turn(
        (Call("create_file", '{"path":"index.html","content":"<h1>Bak'),), FinishReason.MAX_TOKENS
    ),
    "content-filter": Turn((Text("Some"),), FinishReason.CONTENT_FILTER),
    "empty": Turn(),
    "utf16": Turn((Text(f"a{SMILE}b"), Call("say", f'{{"a":"{SMILE}"}}')), FinishReason.TOOL_CALLS, deltas="utf16"),
}
"""A turn of every kind that the wire can say and that ends well."""


def conversation(*, stream: bool = True, include_usage: bool = True) -> Conversation:
    body: dict[str, Any] = {"stream_options": {"include_usage": True}} if include_usage else {}
    return Conversation("openai-chat", "gpt-4o-mini", stream, (), body=body)


def render(turn: Turn, *, stream: bool = True, include_usage: bool = True, seed: str = "case") -> Rendered:
    return WIRE.render(turn, Identity(seed), conversation(stream=stream, include_usage=include_usage))


def request(messages: Sequence[Mapping[str, Any]], **members: Any) -> Conversation:
    body = {"model": "gpt-4o-mini", "messages": list(messages), **members}
    return WIRE.read(ROUTE, json.dumps(body).encode())


def reply_with(*calls: Call, thinking: str = "") -> Reply:
    parts = (*((ThinkingPart(thinking),) if thinking else ()), *calls)
    return render(Turn(parts, FinishReason.TOOL_CALLS)).reply


def sdk(answer: Callable[[bytes], httpx2.Response] | httpx2.AsyncBaseTransport) -> openai.AsyncOpenAI:
    transport = answer if isinstance(answer, httpx2.AsyncBaseTransport) else Answers(answer)
    http_client = httpx2.AsyncClient(transport=transport)
    return openai.AsyncOpenAI(api_key="k", base_url="http://model.test/v1", max_retries=0, http_client=http_client)
