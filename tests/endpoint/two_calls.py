"""A turn with thinking and two calls on each wire, as it came over HTTP, and the pieces that a loop goes on with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from harness.scenario import TurnStep
from harness.wire import Call, FinishReason, NativeWireName, ThinkingPart, Turn
from harness.wire.base import Json
from tests.endpoint.endpoint import DONE

CALLS = (Call("list_files", '{"path":"src"}'), Call("read_file", '{"path":"src/app.py"}'))
SCRIPT = (TurnStep(Turn((ThinkingPart("I look at both."), *CALLS), FinishReason.TOOL_CALLS)), DONE)
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
ASK, NEXT = "What is in src/app.py?", "Go on."


class Loop:
    """One turn of the model with two calls, on one wire: the first request, and the pieces to go on with."""

    path: ClassVar[str]
    headers: ClassVar[Mapping[str, str]] = {}
    first: ClassVar[Json]

    def __init__(self, reply: Json) -> None:
        raise NotImplementedError

    def right(self) -> Json:
        """The request that goes on as the provider wants it."""
        raise NotImplementedError


class Chat(Loop):
    path = "/v1/chat/completions"
    ask: ClassVar[Json] = {"role": "user", "content": ASK}
    next: ClassVar[Json] = {"role": "user", "content": NEXT}
    first: ClassVar[Json] = {
        "model": "gpt-4.1",
        "messages": [ask],
        "tools": [{"type": "function", "function": {"name": call.name, "parameters": SCHEMA}} for call in CALLS],
    }

    def __init__(self, reply: Json) -> None:
        self.said = reply["choices"][0]["message"]
        self.one, self.two = self.said["tool_calls"]

    def right(self) -> Json:
        return self.sending(self.said, self.result(self.one), self.result(self.two))

    def sending(self, *messages: Json) -> Json:
        return {**self.first, "messages": [self.ask, *messages]}

    def saying(self, *calls: Json) -> Json:
        return {**self.said, "tool_calls": [*calls]}

    def result(self, call: Json, **changed: Any) -> Json:
        return {"role": "tool", "tool_call_id": call["id"], "content": "ok", **changed}


class Responses(Loop):
    path = "/v1/responses"
    ask: ClassVar[Json] = {"role": "user", "content": ASK}
    next: ClassVar[Json] = {"role": "user", "content": NEXT}
    first: ClassVar[Json] = {
        "model": "gpt-5.5",
        "input": [ask],
        "tools": [{"type": "function", "name": call.name, "parameters": SCHEMA, "strict": False} for call in CALLS],
    }

    def __init__(self, reply: Json) -> None:
        self.reasoning, self.one, self.two = reply["output"]

    def right(self) -> Json:
        return self.sending(self.reasoning, self.one, self.two, self.output(self.one), self.output(self.two))

    def sending(self, *items: Json) -> Json:
        return {**self.first, "input": [self.ask, *items]}

    def output(self, call: Json, **changed: Any) -> Json:
        return {"type": "function_call_output", "call_id": call["call_id"], "output": "ok", **changed}


class Messages(Loop):
    path = "/v1/messages"
    headers: ClassVar[Mapping[str, str]] = {"anthropic-version": "2023-06-01"}
    ask: ClassVar[Json] = {"role": "user", "content": ASK}
    next: ClassVar[Json] = {"role": "user", "content": NEXT}
    first: ClassVar[Json] = {
        "model": "claude-sonnet-4-6",
        "max_tokens": 4096,
        "thinking": {"type": "enabled", "budget_tokens": 1024},
        "messages": [ask],
        "tools": [{"name": call.name, "input_schema": SCHEMA} for call in CALLS],
    }

    def __init__(self, reply: Json) -> None:
        self.thinking, self.one, self.two = reply["content"]

    def right(self) -> Json:
        return self.sending(self.said(), self.user(self.result(self.one), self.result(self.two)))

    def sending(self, *messages: Json) -> Json:
        return {**self.first, "messages": [self.ask, *messages]}

    def said(self, *content: Json) -> Json:
        return {"role": "assistant", "content": [*(content or (self.thinking, self.one, self.two))]}

    def thought(self, **changed: Any) -> Json:
        """The right request, but for what is ``changed`` in its thinking."""
        return self.thinking_as({**self.thinking, **changed}, self.one, self.two)

    def thinking_as(self, *content: Json) -> Json:
        return self.sending(self.said(*content), self.user(self.result(self.one), self.result(self.two)))

    def user(self, *content: Json) -> Json:
        return {"role": "user", "content": [*content]}

    def result(self, call: Json, **changed: Any) -> Json:
        return {"type": "tool_result", "tool_use_id": call["id"], "content": "ok", **changed}


class Gemini(Loop):
    path = "/v1beta/models/gemini-3-flash-preview:generateContent"
    ask: ClassVar[Json] = {"role": "user", "parts": [{"text": ASK}]}
    next: ClassVar[Json] = {"role": "user", "parts": [{"text": NEXT}]}
    first: ClassVar[Json] = {
        "contents": [ask],
        "tools": [{"functionDeclarations": [{"name": c.name, "parametersJsonSchema": SCHEMA} for c in CALLS]}],
        "generationConfig": {"thinkingConfig": {"includeThoughts": True}},
    }

    def __init__(self, reply: Json) -> None:
        self.thought, self.one, self.two = reply["candidates"][0]["content"]["parts"]

    def right(self) -> Json:
        return self.sending(self.said(), self.user(self.response(self.one), self.response(self.two)))

    def sending(self, *contents: Json) -> Json:
        return {**self.first, "contents": [self.ask, *contents]}

    def said(self, *parts: Json) -> Json:
        return {"role": "model", "parts": [*(parts or (self.thought, self.one, self.two))]}

    def saying(self, *parts: Json) -> Json:
        """The right request, but for the turn of the model."""
        return self.sending(self.said(*parts), self.user(self.response(self.one), self.response(self.two)))

    def unsigned(self, part: Json) -> Json:
        return {name: value for name, value in part.items() if name != "thoughtSignature"}

    def user(self, *parts: Json) -> Json:
        return {"role": "user", "parts": [*parts]}

    def response(self, part: Json, **changed: Any) -> Json:
        call = part["functionCall"]
        return {"functionResponse": {"id": call["id"], "name": call["name"], "response": {"output": "ok"}, **changed}}


LOOPS: dict[NativeWireName, type[Loop]] = {
    "openai-chat": Chat,
    "openai-responses": Responses,
    "anthropic-messages": Messages,
    "gemini-generate": Gemini,
}
