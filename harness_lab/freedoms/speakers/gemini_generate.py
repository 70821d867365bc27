"""Gemini's generateContent."""

from __future__ import annotations

import json
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

_REFUSED = ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "OTHER")
_ENDS: dict[str | None, Ended] = {"MAX_TOKENS": "cut", **dict.fromkeys(_REFUSED, "refused")}


class Generate(Speaker):
    """Google's generateContent."""

    wire = "gemini-generate"
    ids_come_back = True
    ids_needed = False
    models = "/v1beta/models"

    @override
    def path(self, *, stream: bool) -> str:
        return f"/v1beta/models/{self.case.model}:" + ("streamGenerateContent?alt=sse" if stream else "generateContent")

    @override
    def headers(self) -> dict[str, str]:
        return {"x-goog-api-key": self.case.api_key}

    @override
    def body(self, history: Sequence[Json], *, stream: bool) -> Json:
        body: Json = {"contents": list(history)}
        if self.system:
            body["systemInstruction"] = {"parts": [{"text": self.system}]}
        if self.tools:
            body["tools"] = [{"functionDeclarations": [self._declared(tool) for tool in self.tools]}]
            chooses = self.style.takes("tool-choice", "said")
            body |= {"toolConfig": {"functionCallingConfig": {"mode": "AUTO"}}} if chooses else {}
        settings: Json = {}
        settings |= {"temperature": 0} if self.style.takes("temperature", "zero") else {}
        settings |= {"maxOutputTokens": 4096} if self.style.takes("max-tokens", "said") else {}
        settings |= {"thinkingConfig": {"includeThoughts": True}} if self.style.takes("summaries", "asked") else {}
        settings |= {"candidateCount": 1, "topP": 0.95} if self.style.takes("defaults", "said") else {}
        return {**body, "generationConfig": settings} if settings else body

    @override
    def counting(self, body: Json) -> tuple[str, Json]:
        return f"/v1beta/models/{self.case.model}:countTokens", {"contents": body["contents"]}

    @override
    def side(self, text: str) -> Json:
        return {"contents": [{"role": "user", "parts": [{"text": text}]}]}

    def _declared(self, tool: Tool) -> Json:
        named = {"name": tool.name, "description": tool.description}
        own = _openapi(tool.parameters) if self.style.takes("declared", "openapi") else None
        return {**named, "parametersJsonSchema": tool.parameters} if own is None else {**named, "parameters": own}

    @override
    def user(self, text: str) -> list[Json]:
        return [{"role": "user", "parts": [{"text": text}]}]

    @override
    def results(self, outputs: Sequence[Output]) -> list[Json]:
        role = self.style["result-role"]
        return [{"role": role, "parts": [{"functionResponse": self._result(each)} for each in outputs]}]

    def _result(self, output: Output) -> Json:
        named = {"id": output.call.id} if output.call.id and self.style.takes("call-ids", "kept") else {}
        return {**named, "name": output.call.name, "response": self._response(output)}

    def _response(self, output: Output) -> Json:
        """The response is an object: what failed is under ``error``, a value under ``output``, or as it is."""
        if output.failed:
            return {"error": str(output.value)}
        if isinstance(output.value, dict) and self.style.takes("result", "plain"):
            return output.value
        return {"output": self.words_of(output) if self.style.takes("result", "indented") else output.value}

    @override
    def read(self, document: Json) -> Answer:
        if "error" in document:
            raise Broken(str(document["error"]))
        candidate = (document.get("candidates") or [{"finishReason": "SAFETY"}])[
            0
        ]  # without one: the prompt is blocked
        reason = candidate.get("finishReason")
        parts = [_whole(part) for part in (candidate.get("content") or {}).get("parts") or ()]
        kept = [part for part in parts if part != {"text": ""}]
        calls = [
            Call(each.get("id"), each["name"], json.dumps(each.get("args") or {}), part)
            for part in kept
            if (each := part.get("functionCall"))
        ]
        text, thinking = _words(parts)
        entries = self._entries(kept)
        return Answer(entries, calls, text, thinking, _ENDS.get(reason, "whole"))

    def _entries(self, parts: list[Json]) -> list[Json]:
        """The turn as it goes back."""
        if self.style.takes("summaries-back", "dropped"):
            parts = [part for part in parts if not part.get("thought") or "thoughtSignature" in part]
        if self.style.takes("call-ids", "stripped"):
            parts = [_without_id(part) for part in parts]
        contents = [[part] for part in parts] if self.style.takes("turn", "split") else [parts]
        return [{"role": "model", "parts": each} for each in contents if each]

    @override
    def joined(self, events: Sequence[Json]) -> Json:
        parts: list[Json] = []
        last: Json = {}
        for event in events:
            if "error" in event:
                raise Broken(str(event["error"]))
            for candidate in event.get("candidates") or ():
                for part in (candidate.get("content") or {}).get("parts") or ():
                    _collect(parts, part)
                last |= without(candidate, "content")
            if "promptFeedback" in event and "blockReason" in event["promptFeedback"]:
                last["finishReason"] = "SAFETY"
        if "finishReason" not in last:
            raise Broken("the stream ended before the turn")
        return {"candidates": [{**last, "content": {"role": "model", "parts": parts}}]}

    @override
    def piece(self, event: Json) -> tuple[str, str]:
        candidates = event.get("candidates") or ()
        return _words([part for each in candidates for part in (each.get("content") or {}).get("parts") or ()])

    @override
    def rename(self, call: Call, id: str) -> None:
        call.id = call.native["functionCall"]["id"] = id


_OF_JSON_SCHEMA = ("$ref", "$defs", "anyOf", "oneOf", "allOf", "const", "prefixItems", "patternProperties")


def _openapi(schema: Json) -> Json | None:
    """The schema in Google's own form: types in capital letters. None where that form cannot say it."""
    kind = schema.get("type")
    if not isinstance(kind, str) or any(name in schema for name in _OF_JSON_SCHEMA):
        return None
    own: Json = {**without(schema, "additionalProperties", "$schema"), "type": kind.upper()}
    if isinstance(schema.get("items"), dict):
        own["items"] = _openapi(schema["items"])
    properties = {name: _openapi(each) for name, each in (schema.get("properties") or {}).items()}
    if None in (own.get("items", {}), *properties.values()):
        return None
    return {**own, "properties": properties} if properties else own


def _without_id(part: Json) -> Json:
    return {**part, "functionCall": without(part["functionCall"], "id")} if "functionCall" in part else part


def _words(parts: Sequence[Json]) -> tuple[str, str]:
    """What the parts say, and what was thought."""
    text = "".join(part.get("text", "") for part in parts if not part.get("thought"))
    return text, "".join(part.get("text", "") for part in parts if part.get("thought"))


def _whole(part: Json) -> Json:
    return {**part, "text": joined_halves(part["text"])} if isinstance(part.get("text"), str) else part


def _collect(parts: list[Json], part: Json) -> None:
    """Pieces of one text are one part again; a signature stays on the part with which it came."""
    before = parts[-1] if parts else {}
    same = "text" in part and "text" in before and bool(part.get("thought")) == bool(before.get("thought"))
    if same and "thoughtSignature" not in before and "thoughtSignature" not in part:
        before["text"] += part["text"]
    else:
        parts.append(dict(part))


SPEAKER = Generate
