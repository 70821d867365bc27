"""Chat Completions."""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override

from harness_lab.freedoms.speaker import (
    Answer,
    Broken,
    Call,
    Ended,
    Json,
    Output,
    Speaker,
    Tool,
    joined_halves,
    without,
)

_ENDS: dict[str | None, Ended] = {"length": "cut", "content_filter": "refused"}
_KEPT = ("role", "content", "refusal", "reasoning_content", "tool_calls")


class Chat(Speaker):
    """OpenAI's Chat Completions."""

    wire = "openai-chat"
    models = "/v1/models"
    ids_come_back = True

    @override
    def path(self, *, stream: bool) -> str:
        return "/v1/chat/completions"

    @override
    def headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.case.api_key}"}

    @override
    def body(self, history: Sequence[Json], *, stream: bool) -> Json:
        body: Json = {"model": self.case.model, "messages": [*self._system(), *history]}
        if self.tools:
            body["tools"] = [{"type": "function", "function": self._declared(tool)} for tool in self.tools]
            body |= {"tool_choice": "auto"} if self.style.takes("tool-choice", "said") else {}
            body |= {"parallel_tool_calls": True} if self.style.takes("parallel-calls", "said") else {}
        body |= {"temperature": 0} if self.style.takes("temperature", "zero") else {}
        body |= {"max_completion_tokens": 4096} if self.style.takes("max-tokens", "said") else {}
        body |= {"user": "user-1"} if self.style.takes("labels", "said") else {}
        if self.style.takes("defaults", "said"):
            body |= {"n": 1, "top_p": 1, "presence_penalty": 0, "frequency_penalty": 0, "stop": None, "stream": False}
        if stream:
            body["stream"] = True
            body |= {"stream_options": {"include_usage": True}} if self.style.takes("usage", "asked") else {}
        return body

    @override
    def side(self, text: str) -> Json:
        return {"model": self.case.model, "messages": [{"role": "user", "content": text}]}

    def _system(self) -> list[Json]:
        if not self.system:
            return []
        form = self.style["system"]
        text = [{"type": "text", "text": self.system}] if form == "blocks" else self.system
        return [{"role": "developer" if form == "developer" else "system", "content": text}]

    def _declared(self, tool: Tool) -> Json:
        strict = {"strict": False} if self.style.takes("strict", "false") else {}
        return {"name": tool.name, "description": tool.description, "parameters": tool.parameters, **strict}

    @override
    def user(self, text: str) -> list[Json]:
        parts = self.style.takes("user", "parts")
        return [{"role": "user", "content": [{"type": "text", "text": text}] if parts else text}]

    @override
    def results(self, outputs: Sequence[Output]) -> list[Json]:
        words = self.user(self.words_after_results) if self.style.takes("after-results", "own-words") else []
        return [*map(self._result, outputs), *words]

    def _result(self, output: Output) -> Json:
        text = self.words_of(output)
        parts = self.style.takes("result-content", "blocks")
        content = [{"type": "text", "text": text}] if parts else text
        named = {"name": output.call.name} if self.style.takes("result-name", "said") else {}
        return {"role": "tool", "tool_call_id": output.call.id, "content": content, **named}

    @override
    def read(self, document: Json) -> Answer:
        if "error" in document:
            raise Broken(str(document["error"]))
        choice = document["choices"][0]
        message = {name: choice["message"][name] for name in _KEPT if choice["message"].get(name) is not None}
        if isinstance(text := message.get("content"), str):
            message["content"] = text = joined_halves(text)
        ended: Ended = "refused" if message.get("refusal") else _ENDS.get(choice["finish_reason"], "whole")
        calls = [
            Call(each.get("id"), each["function"]["name"], each["function"].get("arguments") or "", each)
            for each in message.get("tool_calls") or ()
        ]
        thinking = message.get("reasoning_content") or ""
        return Answer([self._message(message)], calls, text or "", thinking, ended)

    def _message(self, message: Json) -> Json:
        """The message as it goes back: without content it may say null, nothing at all, or an empty text."""
        if self.style.takes("members", "all"):
            message = {"refusal": None, "annotations": [], "audio": None, "function_call": None, **message}
        if message.get("content"):
            parts = self.style.takes("assistant", "parts")
            return {
                **message,
                "content": [{"type": "text", "text": message["content"]}] if parts else message["content"],
            }
        if not message.get("tool_calls"):
            return {**message, "content": ""}
        match self.style["no-text"]:
            case "null":
                return {**message, "content": None}
            case "empty":
                return {**message, "content": ""}
            case _:
                return without(message, "content")

    @override
    def joined(self, events: Sequence[Json]) -> Json:
        message: Json = {"role": "assistant", "content": None}
        calls: dict[int, Json] = {}
        ended = None
        for event in events:
            if "error" in event:
                raise Broken(str(event["error"]))
            for choice in event["choices"]:
                delta = choice.get("delta") or {}
                for name in ("content", "refusal", "reasoning_content"):
                    if delta.get(name):
                        message[name] = (message.get(name) or "") + delta[name]
                for part in delta.get("tool_calls") or ():
                    _collect(calls.setdefault(part["index"], {"type": "function", "function": {}}), part)
                ended = choice.get("finish_reason") or ended
        if ended is None:
            raise Broken("the stream ended before the turn")
        if calls:
            message["tool_calls"] = [calls[index] for index in sorted(calls)]
        return {"choices": [{"message": message, "finish_reason": ended}]}

    @override
    def piece(self, event: Json) -> tuple[str, str]:
        deltas = [choice.get("delta") or {} for choice in event.get("choices") or ()]
        text, thinking = (
            "".join(delta.get(name) or "" for delta in deltas) for name in ("content", "reasoning_content")
        )
        return text, thinking

    @override
    def rename(self, call: Call, id: str) -> None:
        call.id = call.native["id"] = id


def _collect(call: Json, part: Json) -> None:
    if part.get("id"):
        call["id"] = part["id"]
    for name, value in (part.get("function") or {}).items():
        call["function"][name] = call["function"].get(name, "") + (value or "")


SPEAKER = Chat
