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
ASK: Json = {"role": "user", "content": "What is in src/app.py?"}
NEXT: Json = {"role": "user", "content": "Go on."}


class Loop:
    """One turn of the model with two calls, on one wire: the first request, and the pieces to go on with, by name."""

    path: ClassVar[str]
    headers: ClassVar[Mapping[str, str]] = {}
    first: ClassVar[Json]
    history: ClassVar[str] = "messages"
    right: ClassVar[str] = "said, result one, result two"
    """The pieces that go on as the provider wants it."""

    def __init__(self, reply: Json) -> None:
        self.pieces: dict[str, Json]
        raise NotImplementedError

    def sending(self, names: str, *, alone: bool = False) -> Json:
        """A request with these pieces behind the question, or with nothing before them."""
        before = [] if alone else self.first[self.history]
        return {**self.first, self.history: [*before, *(self.pieces[name] for name in names.split(", "))]}


class Chat(Loop):
    path = "/v1/chat/completions"
    first: ClassVar[Json] = {
        "model": "gpt-4.1",
        "messages": [ASK],
        "tools": [{"type": "function", "function": {"name": call.name, "parameters": SCHEMA}} for call in CALLS],
    }

    def __init__(self, reply: Json) -> None:
        said = reply["choices"][0]["message"]
        self.one, self.two = said["tool_calls"]

        def saying(arguments: object) -> Json:
            return {**said, "tool_calls": [{**self.one, "function": {"name": "list_files", "arguments": arguments}}]}

        def result(id: str, content: str = "ok") -> Json:
            return {"role": "tool", "tool_call_id": id, "content": content}

        self.pieces = {
            "next": NEXT,
            "said": said,
            "result one": result(self.one["id"]),
            "result two": result(self.two["id"]),
            "result two again": result(self.two["id"], "again"),
            "result of nobody": result("call_nobody"),
            "said with an object": saying({"path": "src"}),
            "said and cut": saying('{"pa'),
        }


class Responses(Loop):
    path = "/v1/responses"
    history = "input"
    right = "reasoning, one, two, output one, output two"
    first: ClassVar[Json] = {
        "model": "gpt-5.5",
        "input": [ASK],
        "tools": [{"type": "function", "name": call.name, "parameters": SCHEMA, "strict": False} for call in CALLS],
    }

    def __init__(self, reply: Json) -> None:
        self.reasoning, self.one, self.two = reply["output"]

        def output(id: str) -> Json:
            return {"type": "function_call_output", "call_id": id, "output": "ok"}

        self.pieces = {
            "next": NEXT,
            "reasoning": self.reasoning,
            "one": self.one,
            "two": self.two,
            "output one": output(self.one["call_id"]),
            "output two": output(self.two["call_id"]),
            "output of nobody": output("call_nobody"),
        }


class Messages(Loop):
    path = "/v1/messages"
    headers: ClassVar[Mapping[str, str]] = {"anthropic-version": "2023-06-01"}
    right = "said, results"
    first: ClassVar[Json] = {
        "model": "claude-sonnet-4-6",
        "max_tokens": 4096,
        "thinking": {"type": "enabled", "budget_tokens": 1024},
        "messages": [ASK],
        "tools": [{"name": call.name, "input_schema": SCHEMA} for call in CALLS],
    }

    def __init__(self, reply: Json) -> None:
        thinking, self.one, self.two = reply["content"]
        calls = (self.one, self.two)

        def said(*content: Json) -> Json:
            return {"role": "assistant", "content": [*content]}

        def thought(**changed: Any) -> Json:
            return said({**thinking, **changed}, *calls)

        def user(*content: Json) -> Json:
            return {"role": "user", "content": [*content]}

        def result(id: str, content: str = "ok") -> Json:
            return {"type": "tool_result", "tool_use_id": id, "content": content}

        one, two = result(self.one["id"]), result(self.two["id"])
        self.pieces = {
            "next": NEXT,
            "said": said(thinking, *calls),
            "results": user(one, two),
            "result one": user(one),
            "result two": user(two),
            "results and one of nobody": user(one, two, result("toolu_nobody")),
            "results and the second again": user(one, two, result(self.two["id"], "again")),
            "text and results": user({"type": "text", "text": NEXT["content"]}, one, two),
            "yes": said({"type": "text", "text": "Yes."}),
            "calls alone": said(*calls),
            "thinking behind a call": said(self.one, thinking, self.two),
            "unsigned": thought(signature=""),
            "signed otherwise": thought(signature="EqQB" + thinking["signature"][4:][::-1]),
            "edited": thought(thinking="I look at one."),
        }


class Gemini(Loop):
    path = "/v1beta/models/gemini-3-flash-preview:generateContent"
    history = "contents"
    right = "said, responses"
    first: ClassVar[Json] = {
        "contents": [{"role": "user", "parts": [{"text": ASK["content"]}]}],
        "tools": [{"functionDeclarations": [{"name": c.name, "parametersJsonSchema": SCHEMA} for c in CALLS]}],
        "generationConfig": {"thinkingConfig": {"includeThoughts": True}},
    }

    def __init__(self, reply: Json) -> None:
        thought, self.one, self.two = reply["candidates"][0]["content"]["parts"]
        unsigned = {name: value for name, value in self.one.items() if name != "thoughtSignature"}

        def said(*parts: Json) -> Json:
            return {"role": "model", "parts": [*parts]}

        def user(*parts: Json) -> Json:
            return {"role": "user", "parts": [*parts]}

        def response(part: Json, **changed: Any) -> Json:
            call = {name: part["functionCall"][name] for name in ("id", "name")}
            return {"functionResponse": {**call, "response": {"output": "ok"}, **changed}}

        one, two = response(self.one), response(self.two)
        self.pieces = {
            "said": said(thought, self.one, self.two),
            "said unsigned": said(thought, unsigned, self.two),
            "said with the other signed": said(
                thought, unsigned, {**self.two, "thoughtSignature": self.one["thoughtSignature"]}
            ),
            "responses": user(one, two),
            "response one": user(one),
            "responses and the second again": user(one, two, two),
            "responses of another function": user(one, response(self.two, name="delete_file")),
        }


LOOPS: dict[NativeWireName, type[Loop]] = {
    "openai-chat": Chat,
    "openai-responses": Responses,
    "anthropic-messages": Messages,
    "gemini-generate": Gemini,
}
