"""Amazon Bedrock's Converse and ConverseStream."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from urllib.parse import quote

import httpx2
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

_ENDS: dict[str | None, Ended] = {
    **dict.fromkeys(("max_tokens", "model_context_window_exceeded"), "cut"),
    **dict.fromkeys(("guardrail_intervened", "content_filtered"), "refused"),
}
_CACHED: Json = {"cachePoint": {"type": "default"}}
_PRELUDE, _CHECKSUM = 12, 4
"""Bytes of a frame in front of its headers, and behind its payload."""


class Converse(Speaker):
    """Amazon's Converse."""

    wire = "bedrock-converse"

    @override
    def path(self, *, stream: bool) -> str:
        return f"/model/{quote(self.case.model, safe='')}/" + ("converse-stream" if stream else "converse")

    @override
    def headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.case.api_key}"}

    @override
    def body(self, history: Sequence[Json], *, stream: bool) -> Json:
        marks = [_CACHED] if self.style.takes("cache", "fixed", "moves") else []
        body: Json = {"messages": self._marked(history)}
        body |= {"system": [{"text": self.system}, *marks]} if self.system else {}
        if self.tools:
            choice: Json = {"toolChoice": {"auto": {}}} if self.style.takes("tool-choice", "said") else {}
            body["toolConfig"] = {"tools": [*map(self._declared, self.tools), *marks], **choice}
        thinking = self._thinking()
        body |= {"additionalModelRequestFields": {"thinking": thinking}} if thinking else {}
        settings: Json = {}
        settings |= {"temperature": 0} if not thinking and self.style.takes("temperature", "zero") else {}
        settings |= {"maxTokens": 4096} if self.style.takes("max-tokens", "said") else {}
        return {**body, "inferenceConfig": settings} if settings else body

    def _thinking(self) -> Json:
        if not self.case.reasons or "anthropic." not in self.case.model or self.style.takes("thinking", "never"):
            return {}
        return {"type": "enabled", "budget_tokens": 2_048 if self.style.takes("thinking", "budget") else 1_024}

    def _marked(self, history: Sequence[Json]) -> list[Json]:
        """The history, a mark for the cache at its end if the style is so. The mark moves from turn to turn."""
        *before, last = history
        if last["role"] != "user" or not self.style.takes("cache", "moves"):
            return list(history)
        return [*before, {**last, "content": [*last["content"], _CACHED]}]

    @override
    def side(self, text: str) -> Json:
        return {"messages": [{"role": "user", "content": [{"text": text}]}]}

    def _declared(self, tool: Tool) -> Json:
        named = {"name": tool.name, **({"description": tool.description} if tool.description else {})}
        return {"toolSpec": {**named, "inputSchema": {"json": tool.parameters}}}

    @override
    def user(self, text: str) -> list[Json]:
        return [{"role": "user", "content": [{"text": text}]}]

    @override
    def results(self, outputs: Sequence[Output]) -> list[Json]:
        blocks: list[Json] = [{"toolResult": self._result(each)} for each in outputs]
        words = [{"text": self.words_after_results}] if self.style.takes("after-results", "own-words") else []
        return [{"role": "user", "content": [*blocks, *words]}]

    def _result(self, output: Output) -> Json:
        is_json = not output.failed and isinstance(output.value, dict) and self.style.takes("result-block", "json")
        content = {"json": output.value} if is_json else {"text": self.words_of(output)}
        result = {"toolUseId": output.call.id, "content": [content]}
        match self.style["error-mark"]:
            case "flag" if output.failed:
                return {**result, "status": "error"}
            case "always":
                return {**result, "status": "error" if output.failed else "success"}
            case _:
                return result

    @override
    def read(self, document: Json) -> Answer:
        blocks = [_whole(block) for block in document["output"]["message"]["content"]]
        calls = []
        for block in blocks:
            if (use := block.get("toolUse")) is not None:
                calls.append(Call(use.get("toolUseId"), use["name"], _text(use.get("input")), block))
                use["input"] = (
                    use["input"] if isinstance(use.get("input"), dict) else self.object_input(_text(use.get("input")))
                )
        text = "".join(block.get("text", "") for block in blocks)
        thoughts = (block.get("reasoningContent", {}).get("reasoningText", {}).get("text", "") for block in blocks)
        kept = [block for block in blocks if block.get("text", "-").strip()]
        entries = [{"role": "assistant", "content": kept}] if kept else []
        return Answer(entries, calls, text, "".join(thoughts), _ENDS.get(document.get("stopReason"), "whole"))

    async def events(self, response: httpx2.Response) -> AsyncIterator[Json]:
        """The frames of AWS as they come, each as its payload under the name of its kind."""
        rest = b""
        async for piece in response.aiter_bytes():
            rest += piece
            while len(rest) >= _PRELUDE and len(rest) >= (size := int.from_bytes(rest[:4])):
                yield _event(rest[:size])
                rest = rest[size:]

    @override
    def joined(self, events: Sequence[Json]) -> Json:
        blocks: dict[int, Json] = {}
        reason = None
        for event in events:
            ((kind, payload),) = event.items()
            match kind:
                case "contentBlockStart":
                    use = (payload.get("start") or {}).get("toolUse")
                    blocks[payload["contentBlockIndex"]] = {"toolUse": {**use, "input": ""}} if use else {}
                case "contentBlockDelta":
                    _collect(blocks.setdefault(payload["contentBlockIndex"], {}), payload["delta"])
                case "messageStop":
                    reason = payload["stopReason"]
                case _ if kind.endswith("xception") or kind == "error":
                    raise Broken(f"{kind}: {payload}")
        if reason is None:
            raise Broken("the stream ended before the turn")
        content = [blocks[index] for index in sorted(blocks) if blocks[index]]
        return {"output": {"message": {"role": "assistant", "content": content}}, "stopReason": reason}

    @override
    def piece(self, event: Json) -> tuple[str, str]:
        delta = event.get("contentBlockDelta", {}).get("delta", {})
        return delta.get("text", ""), delta.get("reasoningContent", {}).get("text", "")

    @override
    def rename(self, call: Call, id: str) -> None:
        call.id = call.native["toolUse"]["toolUseId"] = id


def _event(frame: bytes) -> Json:
    """A frame: its length, that of its headers, a checksum; headers, payload, a checksum."""
    end = _PRELUDE + int.from_bytes(frame[4:8])
    headers = _headers(frame[_PRELUDE:end])
    payload = frame[end:-_CHECKSUM]
    if headers.get(":message-type") == "error":
        return {"error": headers}
    kind = headers.get(":event-type") or headers.get(":exception-type", "exception")
    return {kind: without(json.loads(payload), "p")}


def _headers(data: bytes) -> dict[str, str]:
    """Headers of which each is a text: length and name, the type 7, length and value."""
    found: dict[str, str] = {}
    while data:
        name, data = data[1 : 1 + data[0]], data[1 + data[0] :]
        size = int.from_bytes(data[1:3])
        found[name.decode()] = data[3 : 3 + size].decode()
        data = data[3 + size :]
    return found


def _collect(block: Json, delta: Json) -> None:
    """Add a delta to its block."""
    if "text" in delta:
        block["text"] = block.get("text", "") + delta["text"]
    if "toolUse" in delta:
        use = block.setdefault("toolUse", {"input": ""})
        use["input"] += delta["toolUse"]["input"]
    if "reasoningContent" in delta:
        thought = block.setdefault("reasoningContent", {})
        for name, value in delta["reasoningContent"].items():
            if name == "redactedContent":
                thought[name] = value
            else:
                held = thought.setdefault("reasoningText", {"text": ""})
                held[name] = held.get(name, "") + value


def _whole(block: Json) -> Json:
    if "toolUse" in block:
        return {"toolUse": dict(block["toolUse"])}
    return {**block, "text": joined_halves(block["text"])} if isinstance(block.get("text"), str) else block


def _text(arguments: object) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments or {})


SPEAKER = Converse
