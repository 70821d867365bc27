"""Small recorded loops, written by hand: two calls at once on each wire, in the files of a recorder."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from harness.wire import NativeWireName

_SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
_NAME, _WORDS = "get_weather", "Get the weather for a city"
_PARIS, _ROME = '{"city":"Paris"}', '{"city":"Rome"}'


@dataclass(frozen=True)
class Exchange:
    """A request and its response as a recorder has them; a body that is text is written as it is."""

    url: str
    request: dict[str, Any] | None
    response: dict[str, Any] | str
    status: int = 200

    def asking(self, change: Any) -> Exchange:
        """The same with a request that ``change`` has changed in place."""
        request = copy.deepcopy(self.request)
        change(request)
        return replace(self, request=request)


def loop(wire: NativeWireName, prompt: str = "Paris or Rome?") -> list[Exchange]:
    """A loop of two requests: two calls, and an answer. What is sent back is as the official SDKs would write it."""
    return {
        "openai-chat": _chat,
        "openai-responses": _responses,
        "anthropic-messages": _anthropic,
        "gemini-generate": _gemini,
    }[wire](prompt)


def question(wire: NativeWireName, prompt: str = "Nothing else?") -> Exchange:
    """A question by itself."""
    first, last = loop(wire, prompt)
    return replace(first, response=last.response)


def write_vcr(path: Path, *exchanges: Exchange) -> Path:
    """The file that vcrpy would have written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    interactions = [_interaction(each) for each in exchanges]
    path.write_text(yaml.safe_dump({"interactions": interactions, "version": 1}), encoding="utf-8")
    return path


def _interaction(exchange: Exchange) -> dict[str, Any]:
    streamed = isinstance(exchange.response, str)
    kind = "text/event-stream" if streamed else "application/json"
    body = exchange.response if streamed else json.dumps(exchange.response)
    request = None if exchange.request is None else json.dumps(exchange.request)
    return {
        "request": {"method": "POST", "uri": exchange.url, "headers": {}, "body": request},
        "response": {
            "status": {"code": exchange.status, "message": "-"},
            "headers": {"Content-Type": [kind]},
            "body": {"string": body},
        },
    }


# --- the wires ------------------------------------------------------------------------------------------------


def _chat(prompt: str) -> list[Exchange]:
    url = "https://api.openai.com/v1/chat/completions"
    tool = {"type": "function", "function": {"name": _NAME, "description": _WORDS, "parameters": _SCHEMA}}
    calls = [
        {"id": f"call_{city}", "type": "function", "function": {"name": _NAME, "arguments": arguments}}
        for city, arguments in (("p", _PARIS), ("r", _ROME))
    ]
    turn = {"role": "assistant", "content": "Let me look.", "tool_calls": calls}
    asked = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": prompt}]
    results = [
        {"role": "tool", "tool_call_id": "call_p", "content": '{"degrees": 18}'},
        {"role": "tool", "tool_call_id": "call_r", "content": '{"degrees": 25}'},
    ]
    first = {"model": "gpt-4.1", "messages": asked, "tools": [tool]}

    def answer(message: dict[str, Any], reason: str) -> dict[str, Any]:
        choices = [{"index": 0, "message": message, "finish_reason": reason}]
        return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "gpt-4.1", "choices": choices}

    return [
        Exchange(url, first, answer(turn, "tool_calls")),
        Exchange(
            url,
            {**first, "messages": [*asked, turn, *results]},
            answer({"role": "assistant", "content": "Rome."}, "stop"),
        ),
    ]


def _responses(prompt: str) -> list[Exchange]:
    url = "https://api.openai.com/v1/responses"
    tool = {"type": "function", "name": _NAME, "description": _WORDS, "parameters": _SCHEMA, "strict": False}
    items: list[dict[str, Any]] = [
        {
            "type": "reasoning",
            "id": "rs_1",
            "summary": [{"type": "summary_text", "text": "Two cities."}],
            "encrypted_content": "gAAAAsealed",
        },
        {"type": "function_call", "id": "fc_p", "call_id": "call_p", "name": _NAME, "arguments": _PARIS},
        {"type": "function_call", "id": "fc_r", "call_id": "call_r", "name": _NAME, "arguments": _ROME},
    ]
    results = [
        {"type": "function_call_output", "call_id": "call_p", "output": '{"degrees": 18}'},
        {"type": "function_call_output", "call_id": "call_r", "output": '{"degrees": 25}'},
    ]
    said = {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": "Rome.", "annotations": []}],
    }
    asked = [{"role": "user", "content": prompt}]
    first = {
        "model": "gpt-5.5",
        "input": asked,
        "tools": [tool],
        "store": False,
        "include": ["reasoning.encrypted_content"],
    }

    def answer(number: int, output: list[dict[str, Any]]) -> dict[str, Any]:
        id_ = f"resp_{number}"
        return {"id": id_, "object": "response", "status": "completed", "model": "gpt-5.5", "output": output}

    return [
        Exchange(url, first, answer(1, items)),
        Exchange(url, {**first, "input": [*asked, *items, *results]}, answer(2, [said])),
    ]


def _anthropic(prompt: str) -> list[Exchange]:
    url = "https://api.anthropic.com/v1/messages"
    blocks = [
        {"type": "thinking", "thinking": "Two cities.", "signature": "c2VhbGVk"},
        {"type": "text", "text": "Let me look."},
        {"type": "tool_use", "id": "toolu_p", "name": _NAME, "input": {"city": "Paris"}},
        {"type": "tool_use", "id": "toolu_r", "name": _NAME, "input": {"city": "Rome"}},
    ]
    results = [
        {"type": "tool_result", "tool_use_id": "toolu_p", "content": '{"degrees": 18}'},
        {"type": "tool_result", "tool_use_id": "toolu_r", "content": '{"degrees": 25}'},
    ]
    asked = [{"role": "user", "content": prompt}]
    first = {
        "model": "claude-sonnet-4-6",
        "max_tokens": 2000,
        "thinking": {"type": "adaptive"},
        "system": "Be brief.",
        "messages": asked,
        "tools": [{"name": _NAME, "description": _WORDS, "input_schema": _SCHEMA}],
    }

    def answer(content: list[dict[str, Any]], reason: str) -> dict[str, Any]:
        usage = {"input_tokens": 1, "output_tokens": 1}
        head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-6"}
        return {**head, "content": content, "stop_reason": reason, "stop_sequence": None, "usage": usage}

    turn = {"role": "assistant", "content": blocks}
    return [
        Exchange(url, first, answer(blocks, "tool_use")),
        Exchange(
            url,
            {**first, "messages": [*asked, turn, {"role": "user", "content": results}]},
            answer([{"type": "text", "text": "Rome."}], "end_turn"),
        ),
    ]


def _gemini(prompt: str) -> list[Exchange]:
    url = "https://generativelanguage.googleapis.com/v1beta/models/gemini-3.6-flash:generateContent"
    parts = [
        {"functionCall": {"name": _NAME, "args": {"city": "Paris"}}, "thoughtSignature": "c2VhbGVk"},
        {"functionCall": {"name": _NAME, "args": {"city": "Rome"}}},
    ]
    results = [
        {"functionResponse": {"name": _NAME, "response": {"output": {"degrees": degrees}}}} for degrees in (18, 25)
    ]
    asked = [{"role": "user", "parts": [{"text": prompt}]}]
    declared = {"name": _NAME, "description": _WORDS, "parametersJsonSchema": _SCHEMA}
    first = {"contents": asked, "tools": [{"functionDeclarations": [declared]}]}

    def answer(content: list[dict[str, Any]]) -> dict[str, Any]:
        candidate = {"content": {"role": "model", "parts": content}, "finishReason": "STOP", "index": 0}
        return {"candidates": [candidate], "modelVersion": "gemini-3.6-flash"}

    turn = {"role": "model", "parts": parts}
    return [
        Exchange(url, first, answer(parts)),
        Exchange(
            url, {**first, "contents": [*asked, turn, {"role": "user", "parts": results}]}, answer([{"text": "Rome."}])
        ),
    ]
