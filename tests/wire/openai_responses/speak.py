"""What the tests of this wire share: requests, one turn of every kind, and the official SDK on given bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import httpx2

from harness.wire import (
    Call,
    Conversation,
    FinishReason,
    Identity,
    Refusal,
    Rendered,
    Route,
    StreamError,
    Text,
    ThinkingPart,
    Turn,
)
from harness.wire.openai_responses import WIRE
from tests.sdks import openai
from tests.wire.openai_anthropic.transport import Answers, cut, response

__all__ = ["cut"]

ROUTE = Route("openai-responses")
READ_FILE = {
    "type": "function",
    "name": "read_file",
    "description": "Read one file.",
    "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
}
PATCH = {"type": "custom", "name": "patch", "description": "Apply a patch."}
QUESTION = {"role": "user", "content": "What is in src/app.py?"}

_CALL = Call("read_file", '{"path":"src/app.py"}')

TURNS: dict[str, Turn] = {
    "empty": Turn(),
    "text": Turn((Text("The capital is Paris. Größe: 😀\n"),)),
    "thinking": Turn((ThinkingPart("**Looking**\n\nI should answer.\n\n**Checking**\n\nDone."), Text("Paris"))),
    "omitted thinking": Turn((ThinkingPart(form="omitted"), _CALL), FinishReason.TOOL_CALLS),
    "redacted thinking": Turn((ThinkingPart("hidden", form="redacted"), Text("Paris"))),
    "given signature": Turn((ThinkingPart(signature="gAAAAABgiven=="), Text("Paris"))),
    "call": Turn((_CALL,), FinishReason.TOOL_CALLS),
    "parallel calls": Turn(
        (ThinkingPart("Two."), _CALL, Call("read_file", '{"path": "é\\n"}')), FinishReason.TOOL_CALLS
    ),
    "text between calls": Turn((Text("a"), _CALL, Text("b"), _CALL, Text("c")), FinishReason.TOOL_CALLS),
    "call without arguments": Turn((Call("read_file", ""),), FinishReason.TOOL_CALLS),
    "call with an id": Turn((Call("read_file", "{}", id="call_1"),), FinishReason.TOOL_CALLS),
    "custom call": Turn((Call("patch", "*** Begin Patch\n"),), FinishReason.TOOL_CALLS),
    "refusal": Turn((Refusal("I’m sorry."),), FinishReason.REFUSAL),
    "max tokens": Turn((Text("Once upon"),), FinishReason.MAX_TOKENS),
    "max tokens in thinking": Turn((ThinkingPart("Hmm"),), FinishReason.MAX_TOKENS),
    "max tokens in a call": Turn((ThinkingPart(), Call("read_file", '{"path":"src')), FinishReason.MAX_TOKENS),
    "content filter": Turn((Text("Half"),), FinishReason.CONTENT_FILTER),
    "empty text": Turn((Text(""),)),
    "code points": Turn(
        (Text("a😀é"), Call("read_file", '{"path":"😀"}')), FinishReason.TOOL_CALLS, deltas="character"
    ),
    "utf-16 units": Turn((ThinkingPart("😀"), Text("a😀é"), Call("read_file", '{"path":"😀"}')), deltas="utf16"),
    "whole": Turn((Text("all at once"), _CALL), FinishReason.TOOL_CALLS, deltas="whole"),
}
"""Turns that end well, so that the SDK accumulates all of them."""

BROKEN: dict[str, Turn] = {
    "overloaded": Turn((Text("part"),), error=StreamError("overloaded")),
    "server error": Turn((Text("part"),), error=StreamError("server_error", "Boom.")),
    "rate limit": Turn((Text("part"), _CALL), error=StreamError("rate_limit")),
    "context length": Turn((), error=StreamError("context_length")),
    "eof": Turn((Text("part"), _CALL), ending="eof"),
}

ODD_IDS: dict[str, Turn] = {
    "call without an id": Turn((Call("read_file", "{}", id=""),), FinishReason.TOOL_CALLS),
    "the same id twice": Turn((Call("read_file", '{"path":"a"}', id="call_1"), Call("read_file", "{}", id="call_1"))),
}
"""What no provider should send, and some servers do."""

ALL = {**TURNS, **BROKEN, **ODD_IDS}


def ask(**members: Any) -> Conversation:
    """A request, read; streamed unless said otherwise."""
    body = {"model": "gpt-5.5", "stream": True, "input": [QUESTION], "tools": [READ_FILE, PATCH], **members}
    return WIRE.read(ROUTE, json.dumps(body).encode())


def render(turn: Turn, *, stream: bool = True, seed: str = "case") -> Rendered:
    return WIRE.render(turn, Identity(seed), ask(stream=stream))


def events(rendered: Rendered) -> list[dict[str, Any]]:
    """The data of every frame, after checking that each frame is one event."""
    found = []
    for frame in rendered.frames:
        head, data, *rest = frame.decode().split("\n")
        assert rest == ["", ""]
        assert data.startswith("data: ")
        found.append(json.loads(data.removeprefix("data: ")))
        assert head == f"event: {found[-1]['type']}"
    return found


class Answering(Answers):
    """Answers every request alike: ``chunks``, then ``failure`` if there is one."""

    def __init__(
        self,
        chunks: Iterable[bytes],
        *,
        content_type: str = "text/event-stream",
        status: int = 200,
        headers: dict[str, str] | None = None,
        failure: Exception | None = None,
    ) -> None:
        pieces = list(chunks)
        super().__init__(lambda _: response(pieces, content_type, failure, status=status, headers=headers))


def client(transport: httpx2.AsyncBaseTransport) -> openai.AsyncOpenAI:
    http = httpx2.AsyncClient(transport=transport)
    return openai.AsyncOpenAI(api_key="k", base_url="http://provider.test/v1", http_client=http, max_retries=0)
