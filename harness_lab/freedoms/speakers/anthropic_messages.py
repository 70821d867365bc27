"""Anthropic's Messages."""

from __future__ import annotations

import json
import re
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
    joined_halves,
    without,
)

_ENDS: dict[str | None, Ended] = {
    "max_tokens": "cut",
    "model_context_window_exceeded": "cut",
    "refusal": "refused",
    "pause_turn": "paused",
}
_JOINED = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}
_ADAPTIVE = re.compile(r"claude-\w+-(?:4-[6-9](?!\d)|[5-9])")
_CACHED: Json = {"cache_control": {"type": "ephemeral"}}


class Messages(Speaker):
    """Anthropic's Messages."""

    wire = "anthropic-messages"
    models = "/v1/models"
    _container = ""
    _serves = False
    """Whether the last turn has tools of the provider's, behind which nothing but results may stand."""

    @override
    def path(self, *, stream: bool) -> str:
        return "/v1/messages"

    @override
    def headers(self) -> dict[str, str]:
        beta = {"anthropic-beta": "interleaved-thinking-2025-05-14"} if self.style.takes("beta", "said") else {}
        return {"x-api-key": self.case.api_key, "anthropic-version": "2023-06-01", **beta}

    @override
    def body(self, history: Sequence[Json], *, stream: bool) -> Json:
        most = 8_000 if self.style.takes("max-tokens", "said") else 4_096
        body: Json = {"model": self.case.model, "max_tokens": most, "messages": self._marked(history)}
        body |= {"system": self._system()} if self.system else {}
        if self.tools:
            body["tools"] = self._offered()
            body |= {"tool_choice": self._choice()} if self.style.takes("tool-choice", "said") else {}
        thinking = self._thinking()
        body |= {"thinking": thinking} if thinking else {}
        if not thinking and self.style.takes("temperature", "zero"):
            body["temperature"] = 0
        body |= {"metadata": {"user_id": "user-1"}} if self.style.takes("labels", "said") else {}
        body |= {"container": self._container} if self._container else {}
        if self.style.takes("defaults", "said"):
            body |= {"stop_sequences": [], "service_tier": "auto", "stream": False}
        return body | ({"stream": True} if stream else {})

    @override
    def side(self, text: str) -> Json:
        return {"model": self.case.model, "max_tokens": 256, "messages": [{"role": "user", "content": text}]}

    @override
    def counting(self, body: Json) -> tuple[str, Json]:
        uncounted = ("max_tokens", "stream", "temperature", "metadata", "container", "stop_sequences", "service_tier")
        return "/v1/messages/count_tokens", without(body, *uncounted)

    def _thinking(self) -> Json:
        match self.style["thinking"]:
            case "asked" if self.case.reasons:
                adaptive = _ADAPTIVE.search(self.case.model)
                return {"type": "adaptive"} if adaptive else {"type": "enabled", "budget_tokens": 1_024}
            case "budget" if self.case.reasons:
                return {"type": "enabled", "budget_tokens": 1_024}
            case _:
                return {}

    def _choice(self) -> Json:
        several = {"disable_parallel_tool_use": False} if self.style.takes("parallel-calls", "said") else {}
        return {"type": "auto", **several}

    def _system(self) -> str | list[Json]:
        marked = _CACHED if self.style.takes("cache", "fixed", "moves") else {}
        if marked or self.style.takes("system", "blocks"):
            return [{"type": "text", "text": self.system, **marked}]
        return self.system

    def _offered(self) -> list[Json]:
        tools: list[Json] = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.parameters} for tool in self.tools
        ]
        if self.style.takes("cache", "fixed", "moves"):
            tools[-1] = {**tools[-1], **_CACHED}
        return tools

    def _marked(self, history: Sequence[Json]) -> list[Json]:
        """The history, its last block marked for the cache if the style is so. The mark moves from turn to turn."""
        *before, last = history
        if last["role"] != "user" or not self.style.takes("cache", "moves"):
            return list(history)
        content = last["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        return [*before, {**last, "content": [*blocks[:-1], {**blocks[-1], **_CACHED}]}]

    @override
    def user(self, text: str) -> list[Json]:
        parts = self.style.takes("user", "parts")
        return [{"role": "user", "content": [{"type": "text", "text": text}] if parts else text}]

    @override
    def results(self, outputs: Sequence[Output]) -> list[Json]:
        blocks = [self._result(each) for each in outputs]
        if not self._serves and self.style.takes("after-results", "own-words"):
            blocks.append({"type": "text", "text": self.words_after_results})
        return [{"role": "user", "content": blocks}]

    def _result(self, output: Output) -> Json:
        text = self.words_of(output)
        blocks = text and self.style.takes("result-content", "blocks")
        content = [{"type": "text", "text": text}] if blocks else text
        result = {"type": "tool_result", "tool_use_id": output.call.id, "content": content}
        match self.style["error-mark"]:
            case "flag" if output.failed:
                return {**result, "is_error": True}
            case "always":
                return {**result, "is_error": output.failed}
            case _:
                return result

    @override
    def read(self, document: Json) -> Answer:
        if document.get("type") == "error":
            raise Broken(str(document["error"]))
        blocks = [_joined(block) for block in document["content"] if block["type"] != "text" or block["text"].strip()]
        for block in blocks:
            if block["type"] == "tool_use" and isinstance(block["input"], str):
                block["written"] = block["input"]
        calls = [
            Call(block["id"], block["name"], block.pop("written", None) or json.dumps(block["input"]), block)
            for block in blocks
            if block["type"] == "tool_use"
        ]
        for call in calls:
            call.native["input"] = self.object_input(call.arguments)
        text = "".join(block["text"] for block in document["content"] if block["type"] == "text")
        thinking = "".join(block["thinking"] for block in blocks if block["type"] == "thinking")
        if self.style.takes("members", "all"):
            blocks = [{"citations": None, **block} if block["type"] == "text" else block for block in blocks]
        messages = [[block] for block in blocks] if self.style.takes("turn", "split") else [blocks]
        entries: list[Json] = [{"role": "assistant", "content": each} for each in messages if each]
        ended = _ENDS.get(document["stop_reason"], "whole")
        container = (document.get("container") or {}).get("id", "")
        return Answer(entries, calls, joined_halves(text), thinking, ended, container)

    @override
    def joined(self, events: Sequence[Json]) -> Json:
        message: Json = {}
        blocks: dict[int, Json] = {}
        ended = False
        for event in events:
            match event["type"]:
                case "error":
                    raise Broken(str(event["error"]))
                case "message_start":
                    message = dict(event["message"])
                case "content_block_start":
                    blocks[event["index"]] = _begun(event["content_block"])
                case "content_block_delta":
                    _collect(blocks[event["index"]], event["delta"])
                case "message_delta":
                    message |= {name: value for name, value in event["delta"].items() if value is not None}
                case "message_stop":
                    ended = True
        if not ended or not message.get("stop_reason"):
            raise Broken("the stream ended before the turn")
        return {**message, "content": [_whole(blocks[index]) for index in sorted(blocks)]}

    @override
    def piece(self, event: Json) -> tuple[str, str]:
        delta = event.get("delta") or {}
        block = event.get("content_block") or {}
        text = delta.get("text") if delta.get("type") == "text_delta" else block.get("text")
        thinking = delta.get("thinking") if delta.get("type") == "thinking_delta" else block.get("thinking")
        return text or "", thinking or ""

    @override
    def rename(self, call: Call, id: str) -> None:
        call.id = call.native["id"] = id

    @override
    def went_on(self, answer: Answer, history: Sequence[Json]) -> None:
        self._container = answer.name or self._container
        blocks = [block for entry in answer.entries for block in entry["content"]]
        self._serves = any(block["type"] == "server_tool_use" or _is_called_by_code(block) for block in blocks)


def _is_called_by_code(block: Json) -> bool:
    return bool((block.get("caller") or {}).get("type", "direct") != "direct")


def _joined(block: Json) -> Json:
    return {**block, "text": joined_halves(block["text"])} if block["type"] == "text" else dict(block)


def _begun(block: Json) -> Json:
    """A block that begins. Its input comes as text, piece by piece."""
    return {**block, "input": ""} if "input" in block else dict(block)


def _collect(block: Json, delta: Json) -> None:
    match delta["type"]:
        case "input_json_delta":
            block["input"] += delta["partial_json"]
        case "citations_delta":
            block["citations"] = [*(block.get("citations") or ()), delta["citation"]]
        case kind if kind in _JOINED:
            block[_JOINED[kind]] = (block.get(_JOINED[kind]) or "") + delta[_JOINED[kind]]
        case _:
            block |= without(delta, "type")


def _whole(block: Json) -> Json:
    """A block whose input has come; that of a client's call stays a text until it is read."""
    if "input" not in block or block["type"] == "tool_use":
        return block
    return {**block, "input": json.loads(block["input"] or "{}")}


SPEAKER = Messages
