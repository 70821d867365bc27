"""Turns of every kind that the wire has, and a conversation to answer."""

from __future__ import annotations

import json
from typing import Any

from harness.wire import (
    Call,
    Conversation,
    FinishReason,
    Refusal,
    StreamError,
    Text,
    ThinkingPart,
    Turn,
    Usage,
)
from harness.wire.gemini_generate import WIRE

MODEL = "gemini-3.6-flash"
STREAM_PATH = f"/v1/models/{MODEL}:streamGenerateContent?alt=sse"
WHOLE_PATH = f"/v1/models/{MODEL}:generateContent"

CALL = Call("read_file", '{"path":"src/app.py"}')
PAGE = Call("create_file", json.dumps({"path": "index.html", "content": '<p class="a">Grüße 😀 & \\ \n</p>'}))

TURNS: dict[str, Turn] = {
    "text": Turn((Text("The capital is Paris."),)),
    "text-whole": Turn((Text("Grüße <b>😀</b>"),), deltas="whole"),
    "text-characters": Turn((Text("a😀b"),), deltas="character"),
    "text-utf16": Turn((Text("a😀b\n“q”"),), deltas="utf16"),
    "thinking": Turn((ThinkingPart("Consider 😀 it."), Text("Paris.")), usage=Usage(29, 81, 69, 5)),
    "thinking-hidden": Turn((ThinkingPart("", "redacted"), ThinkingPart("", "omitted"), Text("Paris."))),
    "call": Turn((CALL,), stop=FinishReason.TOOL_CALLS),
    "call-no-arguments": Turn((Call("list_files", ""),), stop=FinishReason.TOOL_CALLS),
    "call-without-id": Turn((Call("read_file", "{}", id=""),), stop=FinishReason.TOOL_CALLS),
    "call-foreign-id": Turn((Call("read_file", "{}", id="call_1"), Call("read_file", "{}", id="call_1"))),
    "parallel": Turn((CALL, PAGE), stop=FinishReason.TOOL_CALLS),
    "parallel-whole": Turn((CALL, PAGE, Text("so"), CALL), stop=FinishReason.TOOL_CALLS, deltas="whole"),
    "mixed": Turn((ThinkingPart("Hm."), Text("First."), CALL, Text("Then."), PAGE), stop=FinishReason.TOOL_CALLS),
    "refusal": Turn((Refusal("I can't help with that."),), stop=FinishReason.REFUSAL),
    "content-filter": Turn((Text("Half a"),), stop=FinishReason.CONTENT_FILTER),
    "content-filter-empty": Turn(stop=FinishReason.CONTENT_FILTER),
    "max-tokens": Turn((Text("Once upon a"),), stop=FinishReason.MAX_TOKENS),
    "max-tokens-empty": Turn(stop=FinishReason.MAX_TOKENS),
    "max-tokens-in-call": Turn((Text("So:"), Call("read_file", '{"path": "src')), stop=FinishReason.MAX_TOKENS),
    "malformed-call": Turn((Text("So:"), Call("read_file", '{"path": "src'), CALL), stop=FinishReason.TOOL_CALLS),
    "arguments-no-object": Turn((Call("read_file", "[1, 2]"),), stop=FinishReason.TOOL_CALLS),
    "empty": Turn(),
    "pause": Turn((Text("Wait."),), stop=FinishReason.PAUSE),
    "signed-by-script": Turn((Text("Paris.", "c2lnbmVk"), Call("read_file", "{}", signature="bW9yZQ=="))),
    "overloaded": Turn((Text("The"),), error=StreamError()),
    "rate-limit": Turn((Text("The"), CALL), error=StreamError("rate_limit", "Slow down.")),
    "server-error-at-once": Turn(error=StreamError("server_error")),
    "context-length": Turn((ThinkingPart("Hm."),), error=StreamError("context_length")),
    "eof": Turn((Text("The cap"),), ending="eof"),
    "eof-in-calls": Turn((CALL, PAGE), ending="eof"),
    "eof-at-once": Turn(ending="eof"),
}

BROKEN = {"malformed-call", "arguments-no-object"}
"""Turns whose arguments this wire cannot say."""


def request(contents: list[Any], **members: Any) -> bytes:
    return json.dumps({"contents": contents, **members}).encode()


def conversation(contents: list[Any] | None = None, *, path: str = STREAM_PATH, **members: Any) -> Conversation:
    route = WIRE.route("POST", path)
    assert route is not None
    return WIRE.read(route, request(contents or [user("What is in src/app.py?")], **members))


def user(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "parts": [{"text": part} if isinstance(part, str) else part for part in parts]}


def model(*parts: Any) -> dict[str, Any]:
    return {"role": "model", "parts": list(parts)}


def response(name: str, call_id: str = "", **payload: Any) -> dict[str, Any]:
    answer: dict[str, Any] = {"name": name, "response": payload or {"output": "ok"}}
    return {"functionResponse": {**answer, "id": call_id} if call_id else answer}
