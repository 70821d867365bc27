"""Small agents on the official SDKs, one per provider API. Each keeps its history in the provider's own entries.

An agent is asked step by step, so that two of them can be interleaved in any order; and what it has written into its
history can be changed before the next step, which is how a test makes one of them break a rule.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

import httpx2

from harness.wire import WireName

TOOLS = {
    "get_weather": {"city": "string"},
    "get_time": {"city": "string"},
}
ABOUT = {"get_weather": "The weather.", "get_time": "The time."}


def _http() -> httpx2.AsyncClient:
    """Reading the certificates of the whole world would take longer than a case, which is asked without TLS."""
    return httpx2.AsyncClient(verify=False, trust_env=False)


def _schema(parameters: dict[str, str]) -> dict[str, Any]:
    properties = {name: {"type": kind} for name, kind in parameters.items()}
    return {"type": "object", "properties": properties, "required": list(parameters)}


@dataclass
class Made:
    """A call that the model has made, and the native object that says so."""

    id: str | None
    name: str
    arguments: str
    native: dict[str, Any]


@dataclass
class Agent(ABC):
    """``history`` are the entries that go into the next request; ``turn`` those of the model's last turn."""

    base_url: str
    system: str
    prompt: str
    stream: bool
    model: str = ""
    tools: list[str] = field(default_factory=lambda: list(TOOLS))
    history: list[dict[str, Any]] = field(default_factory=list)
    turn: list[dict[str, Any]] = field(default_factory=list)
    results: list[dict[str, Any]] = field(default_factory=list)
    calls: list[Made] = field(default_factory=list)
    text: str = ""

    def __post_init__(self) -> None:
        self.history = self.opening()

    async def step(self) -> bool:
        """Ask for a turn, and write the results of its calls into the history. False when the model is done."""
        self.turn, self.results = [], []
        await self.ask()
        self.history += self.turn
        if not self.calls:
            return False
        self.answer([f"{call.name} says fine" for call in self.calls])
        return True

    async def run(self) -> None:
        while await self.step():
            pass

    @abstractmethod
    def opening(self) -> list[dict[str, Any]]: ...

    @abstractmethod
    async def ask(self) -> None:
        """Set ``turn``, ``calls`` and ``text``."""

    @abstractmethod
    def answer(self, outputs: list[str]) -> None:
        """Add the results to the history, and set ``results``."""

    def remove(self, native: dict[str, Any]) -> None:
        """Take a native object out of the history, and an entry that has nothing left with it."""
        inside = ("content", "parts", "tool_calls")
        for entry in list(self.history):
            for key in inside:
                if isinstance(entry.get(key), list) and any(each is native for each in entry[key]):
                    entry[key] = [each for each in entry[key] if each is not native]
                    if not entry[key]:
                        del entry[key]
        self.history = [
            entry for entry in self.history if entry is not native and (set(entry) - {"role"} or "role" not in entry)
        ]

    def double(self, native: dict[str, Any]) -> None:
        """Put a native object into the history once more, behind itself."""
        for entry in [{"all": self.history}, *self.history]:
            for key in ("all", "content", "parts"):
                held = entry.get(key)
                if isinstance(held, list) and any(each is native for each in held):
                    held.insert(
                        next(at for at, each in enumerate(held) if each is native) + 1, json.loads(_dumped(native))
                    )
                    return

    # --- what a mutant needs to know of the provider's entries --------------------------------------------------

    @abstractmethod
    def rename(self, result: dict[str, Any], id: str) -> None:
        """Let a result name another call."""

    @abstractmethod
    def rewrite(self, call: dict[str, Any], arguments: dict[str, Any]) -> None:
        """Let a call have other arguments."""

    @abstractmethod
    def reword(self, text: str) -> None:
        """Let the model have said something else in its last turn."""

    @abstractmethod
    def reprompt(self, text: str) -> None:
        """Let the user have asked something else."""


def _dumped(value: Any) -> str:
    return json.dumps(value)


class Chat(Agent):
    def opening(self) -> list[dict[str, Any]]:
        return [{"role": "system", "content": self.system}, {"role": "user", "content": self.prompt}]

    async def ask(self) -> None:
        from openai import AsyncOpenAI

        offered: list[Any] = [
            {
                "type": "function",
                "function": {"name": name, "description": ABOUT[name], "parameters": _schema(TOOLS[name])},
            }
            for name in self.tools
        ]
        asked: Any = {"model": self.model, "messages": self.history, **({"tools": offered} if offered else {})}
        async with AsyncOpenAI(
            base_url=f"{self.base_url}/v1", api_key="k", max_retries=0, http_client=_http()
        ) as client:
            if self.stream:
                message = await _streamed_message(await client.chat.completions.create(**asked, stream=True))
            else:
                answer = await client.chat.completions.create(**asked)
                message = answer.choices[0].message.to_dict()
        self.text = message.get("content") or ""
        self.turn = [{key: value for key, value in message.items() if value}]
        self.calls = [
            Made(each["id"], each["function"]["name"], each["function"]["arguments"], each)
            for each in self.turn[0].get("tool_calls", [])
        ]

    def answer(self, outputs: list[str]) -> None:
        for call, output in zip(self.calls, outputs, strict=True):
            self.results.append({"role": "tool", "tool_call_id": call.id, "content": output})
        self.history += self.results

    def rename(self, result: dict[str, Any], id: str) -> None:
        result["tool_call_id"] = id

    def rewrite(self, call: dict[str, Any], arguments: dict[str, Any]) -> None:
        call["function"]["arguments"] = json.dumps(arguments)

    def reword(self, text: str) -> None:
        self.turn[0]["content"] = text

    def reprompt(self, text: str) -> None:
        self.history[1]["content"] = text


async def _streamed_message(stream: Any) -> dict[str, Any]:
    text, calls = "", {}
    async for chunk in stream:
        for choice in chunk.choices:
            text += choice.delta.content or ""
            for piece in choice.delta.tool_calls or []:
                call = calls.setdefault(
                    piece.index, {"id": piece.id, "type": "function", "function": {"name": "", "arguments": ""}}
                )
                call["function"]["name"] += piece.function.name or ""
                call["function"]["arguments"] += piece.function.arguments or ""
    return {"role": "assistant", "content": text, "tool_calls": [calls[at] for at in sorted(calls)]}


class Responses(Agent):
    def opening(self) -> list[dict[str, Any]]:
        return [{"role": "user", "content": self.prompt}]

    async def ask(self) -> None:
        from openai import AsyncOpenAI

        offered: list[Any] = [
            {
                "type": "function",
                "name": name,
                "description": ABOUT[name],
                "parameters": _schema(TOOLS[name]),
                "strict": False,
            }
            for name in self.tools
        ]
        asked: Any = {
            "model": self.model,
            "instructions": self.system,
            "input": self.history,
            "tools": offered,
            "store": False,
        }
        async with AsyncOpenAI(
            base_url=f"{self.base_url}/v1", api_key="k", max_retries=0, http_client=_http()
        ) as client:
            if self.stream:
                async for event in await client.responses.create(**asked, stream=True):
                    if event.type == "response.completed":
                        answer = event.response
            else:
                answer = await client.responses.create(**asked)
        self.turn = [item.to_dict() for item in answer.output]
        self.text = answer.output_text
        self.calls = [
            Made(item["call_id"], item["name"], item["arguments"], item)
            for item in self.turn
            if item["type"] == "function_call"
        ]

    def answer(self, outputs: list[str]) -> None:
        for call, output in zip(self.calls, outputs, strict=True):
            self.results.append({"type": "function_call_output", "call_id": call.id, "output": output})
        self.history += self.results

    def rename(self, result: dict[str, Any], id: str) -> None:
        result["call_id"] = id

    def rewrite(self, call: dict[str, Any], arguments: dict[str, Any]) -> None:
        call["arguments"] = json.dumps(arguments)

    def reword(self, text: str) -> None:
        next(item for item in self.turn if item["type"] == "message")["content"][0]["text"] = text

    def reprompt(self, text: str) -> None:
        self.history[0]["content"] = text


class Messages(Agent):
    def opening(self) -> list[dict[str, Any]]:
        return [{"role": "user", "content": self.prompt}]

    async def ask(self) -> None:
        from anthropic import AsyncAnthropic

        offered: list[Any] = [
            {"name": name, "description": ABOUT[name], "input_schema": _schema(TOOLS[name])} for name in self.tools
        ]
        asked: Any = {
            "model": self.model,
            "max_tokens": 1000,
            "system": self.system,
            "messages": self.history,
            **({"tools": offered} if offered else {}),
        }
        async with AsyncAnthropic(base_url=self.base_url, api_key="k", max_retries=0, http_client=_http()) as client:
            if self.stream:
                async with client.messages.stream(**asked) as stream:
                    message = await stream.get_final_message()
            else:
                message = await client.messages.create(**asked)
        blocks = [_plain_block(block.to_dict()) for block in message.content]
        self.turn = [{"role": "assistant", "content": blocks}] if blocks else []
        self.text = "".join(block["text"] for block in blocks if block["type"] == "text")
        self.calls = [
            Made(block["id"], block["name"], json.dumps(block["input"]), block)
            for block in blocks
            if block["type"] == "tool_use"
        ]

    def answer(self, outputs: list[str]) -> None:
        for call, output in zip(self.calls, outputs, strict=True):
            self.results.append({"type": "tool_result", "tool_use_id": call.id, "content": output})
        self.history.append({"role": "user", "content": list(self.results)})

    def rename(self, result: dict[str, Any], id: str) -> None:
        result["tool_use_id"] = id

    def rewrite(self, call: dict[str, Any], arguments: dict[str, Any]) -> None:
        call["input"] = arguments

    def reword(self, text: str) -> None:
        next(block for block in self.turn[0]["content"] if block["type"] == "text")["text"] = text

    def reprompt(self, text: str) -> None:
        self.history[0]["content"] = text


def _plain_block(block: dict[str, Any]) -> dict[str, Any]:
    known = {"text": ("type", "text"), "tool_use": ("type", "id", "name", "input")}[block["type"]]
    return {key: block[key] for key in known}


class Gemini(Agent):
    def opening(self) -> list[dict[str, Any]]:
        return [{"role": "user", "parts": [{"text": self.prompt}]}]

    async def ask(self) -> None:
        from google.genai import Client
        from google.genai.types import HttpOptions

        offered = [
            {"name": name, "description": ABOUT[name], "parameters_json_schema": _schema(TOOLS[name])}
            for name in self.tools
        ]
        config: Any = {
            "system_instruction": self.system,
            "automatic_function_calling": {"disable": True},
            **({"tools": [{"function_declarations": offered}]} if offered else {}),
        }
        http = _http()
        options = HttpOptions(base_url=self.base_url, httpx_async_client=http)
        owner = Client(api_key="k", http_options=options)
        client = owner.aio
        asked: Any = {"model": self.model, "contents": self.history, "config": config}
        parts: list[Any] = []
        try:
            if self.stream:
                async for chunk in await client.models.generate_content_stream(**asked):
                    content = chunk.candidates[0].content
                    parts += (content.parts if content else None) or []
            else:
                answer = await client.models.generate_content(**asked)
                parts = answer.candidates[0].content.parts
        finally:
            await http.aclose()
            owner.close()
        natives = [part.model_dump(exclude_none=True) for part in parts]
        self.turn = [{"role": "model", "parts": natives}] if natives else []
        self.text = "".join(part.get("text", "") for part in natives)
        self.calls = [
            Made(each["function_call"].get("id"), each["function_call"]["name"], "", each)
            for each in natives
            if "function_call" in each
        ]

    def answer(self, outputs: list[str]) -> None:
        for call, output in zip(self.calls, outputs, strict=True):
            answer = {"id": call.id, "name": call.name, "response": {"output": output}}
            self.results.append({"function_response": {key: value for key, value in answer.items() if value}})
        self.history.append({"role": "user", "parts": list(self.results)})

    def rename(self, result: dict[str, Any], id: str) -> None:
        result["function_response"]["id"] = id
        result["function_response"]["name"] = "get_nothing"

    def rewrite(self, call: dict[str, Any], arguments: dict[str, Any]) -> None:
        call["function_call"]["args"] = arguments

    def reword(self, text: str) -> None:
        next(part for part in self.turn[0]["parts"] if "text" in part)["text"] = text

    def reprompt(self, text: str) -> None:
        self.history[0]["parts"][0]["text"] = text


AGENTS: dict[WireName, type[Agent]] = {
    "openai-responses": Responses,
    "openai-chat": Chat,
    "anthropic-messages": Messages,
    "gemini-generate": Gemini,
}
