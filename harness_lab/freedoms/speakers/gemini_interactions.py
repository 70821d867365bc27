"""Gemini's Interactions."""

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
    as_arguments,
    joined_halves,
    without,
)

_ENDS: dict[str | None, Ended] = {"incomplete": "cut", "budget_exceeded": "cut", "requires_continuation": "paused"}
_FAILED = ("failed", "cancelled")
_BLOCKED = ("safety", "prohibited_content", "recitation", "language", "spii", "blocklist", "content_blocked")


class Interactions(Speaker):
    """Google's Interactions."""

    wire = "gemini-interactions"
    models = "/v1beta/models"
    _last = ""
    _known = 0
    """How many entries of the history the interaction ``_last`` stands for."""

    @override
    def path(self, *, stream: bool) -> str:
        return "/v1beta/interactions"

    @override
    def headers(self) -> dict[str, str]:
        return {"x-goog-api-key": self.case.api_key}

    @override
    def body(self, history: Sequence[Json], *, stream: bool) -> Json:
        body: Json = {"model": self.case.model, **self._kept(history)}
        body |= {"system_instruction": self.system} if self.system else {}
        body |= {"tools": [self._declared(tool) for tool in self.tools]} if self.tools else {}
        settings: Json = {}
        settings |= {"tool_choice": "auto"} if self.tools and self.style.takes("tool-choice", "said") else {}
        settings |= {"temperature": 0} if self.style.takes("temperature", "zero") else {}
        settings |= {"max_output_tokens": 4096} if self.style.takes("max-tokens", "said") else {}
        settings |= {"thinking_summaries": "auto"} if self.style.takes("summaries", "asked") else {}
        body |= {"generation_config": settings} if settings else {}
        return {**body, "stream": True} if stream else body

    def _kept(self, history: Sequence[Json]) -> Json:
        """The input, and what is kept of it at the provider."""
        if not self.style.takes("chain", "previous"):
            return {"input": list(history), "store": False}
        previous = {"previous_interaction_id": self._last} if self._last else {}
        return {"input": list(history[self._known :]), "store": True, **previous}

    @override
    def went_on(self, answer: Answer, history: Sequence[Json]) -> None:
        self._last, self._known = answer.name, len(history)

    @override
    def side(self, text: str) -> Json:
        return {"model": self.case.model, "input": text, "store": False}

    def _declared(self, tool: Tool) -> Json:
        named = {"name": tool.name, "description": tool.description}
        return {"type": "function", **named, "parameters": tool.parameters}

    @override
    def user(self, text: str) -> list[Json]:
        return [{"type": "user_input", "content": [{"type": "text", "text": text}]}]

    @override
    def results(self, outputs: Sequence[Output]) -> list[Json]:
        return [self._result(each) for each in outputs]

    def _result(self, output: Output) -> Json:
        marked = {"is_error": True} if output.failed else {}
        named = {"type": "function_result", "call_id": output.call.id, "name": output.call.name}
        return {**named, "result": self.words_of(output), **marked}

    @override
    def read(self, document: Json) -> Answer:
        status, errors = document.get("status"), document.get("errors") or ()
        blocked = any(each.get("code") in _BLOCKED for each in errors)
        if status in _FAILED and not blocked:
            raise Broken(f"{status}: {errors}")
        steps = [_whole(step) for step in document.get("steps") or ()]
        calls = [
            Call(step.get("id"), step["name"], _text(step.get("arguments")), step)
            for step in steps
            if step["type"] == "function_call"
        ]
        for step in steps:
            if step["type"] == "function_call" and isinstance(step.get("arguments"), str):
                step["arguments"] = as_arguments(step["arguments"]) or {}
        texts = [part.get("text", "") for step in steps if step["type"] == "model_output" for part in step["content"]]
        thoughts = [part.get("text", "") for step in steps for part in step.get("summary") or ()]
        ended: Ended = "refused" if blocked else _ENDS.get(status, "whole")
        return Answer(steps, calls, "".join(texts), "".join(thoughts), ended, document.get("id", ""))

    @override
    def joined(self, events: Sequence[Json]) -> Json:
        steps: dict[int, Json] = {}
        for event in events:
            match event.get("event_type"):
                case "error":  # nothing comes behind it
                    return {
                        "status": "failed",
                        "errors": [event["error"]],
                        "steps": [steps[at] for at in sorted(steps)],
                    }
                case "step.start":
                    steps[event["index"]] = dict(event["step"])
                case "step.delta":
                    _collect(steps.setdefault(event["index"], {}), event["delta"])
                case "interaction.completed":
                    return {**event["interaction"], "steps": [steps[index] for index in sorted(steps)]}
        raise Broken("the stream ended before the turn")

    @override
    def piece(self, event: Json) -> tuple[str, str]:
        delta = event.get("delta") or {}
        if delta.get("type") == "thought_summary":
            return "", (delta.get("content") or {}).get("text", "")
        return delta.get("text", "") if delta.get("type") == "text" else "", ""

    @override
    def rename(self, call: Call, id: str) -> None:
        call.id = call.native["id"] = id


def _collect(step: Json, delta: Json) -> None:
    """Add a delta to its step."""
    match delta.get("type"):
        case "text":
            parts = step.setdefault("content", [])
            if not parts or parts[-1].get("type") != "text":
                parts.append({"type": "text", "text": ""})
            parts[-1]["text"] += delta["text"]
        case "thought_summary":
            parts = step.setdefault("summary", [])
            parts.append(dict(delta["content"]))
        case "thought_signature":
            step["signature"] = delta["signature"]
        case "arguments_delta":
            before = step.get("arguments")
            step["arguments"] = (before if isinstance(before, str) else "") + delta["arguments"]
        case _:
            step |= without(delta, "type")


def _whole(step: Json) -> Json:
    if step["type"] != "model_output":
        return dict(step)
    parts = [{**each, "text": joined_halves(each["text"])} if "text" in each else each for each in step["content"]]
    return {**step, "content": parts}


def _text(arguments: object) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments or {})


SPEAKER = Interactions
