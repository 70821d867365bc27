"""Responses: all input in each request, or only what is new behind a response that is stored."""

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

_ENDS: dict[str | None, Ended] = {"max_output_tokens": "cut", "content_filter": "refused"}


class Responses(Speaker):
    """OpenAI's Responses."""

    wire = "openai-responses"
    models = "/v1/models"
    _last = ""
    _known = 0
    """How many entries of the history the response ``_last`` stands for."""

    @override
    def path(self, *, stream: bool) -> str:
        return "/v1/responses"

    @override
    def headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.case.api_key}"}

    @override
    def body(self, history: Sequence[Json], *, stream: bool) -> Json:
        body: Json = {"model": self.case.model, **self._kept(history)}
        body |= {"instructions": self.system} if self.system and self.style.takes("system", "text") else {}
        if self.tools:
            body["tools"] = [self._declared(tool) for tool in self.tools]
            body |= {"tool_choice": "auto"} if self.style.takes("tool-choice", "said") else {}
            body |= {"parallel_tool_calls": True} if self.style.takes("parallel-calls", "said") else {}
        body |= {"max_output_tokens": 4_096} if self.style.takes("max-tokens", "said") else {}
        body |= {"safety_identifier": "user-1"} if self.style.takes("labels", "said") else {}
        if self.style.takes("reasoning", "asked"):
            body["reasoning"] = {"effort": "medium", "summary": "auto"}
        if self.style.takes("defaults", "said"):
            body |= {"truncation": "disabled", "service_tier": "auto", "background": False, "stream": False}
        return body | ({"stream": True} if stream else {})

    def _kept(self, history: Sequence[Json]) -> Json:
        """The input, and what is kept of it at the provider."""
        match self.style["store"]:
            case "previous" if self._last:
                return {"store": True, "previous_response_id": self._last, "input": list(history[self._known :])}
            case "stateless":
                encrypted = ["reasoning.encrypted_content"]
                return {"store": False, "include": encrypted, "input": [*self._system(), *history]}
            case _:
                return {"store": True, "input": [*self._system(), *history]}

    def _system(self) -> list[Json]:
        form = self.style["system"]
        if not self.system or form == "text":
            return []
        text = [{"type": "input_text", "text": self.system}] if form == "blocks" else self.system
        return [{"role": "developer" if form == "developer" else "system", "content": text}]

    @override
    def side(self, text: str) -> Json:
        return {"model": self.case.model, "store": False, "input": text}

    def _declared(self, tool: Tool) -> Json:
        strict = {"strict": False} if self.style.takes("strict", "false") else {}
        described = {"description": tool.description, "parameters": tool.parameters}
        return {"type": "function", "name": tool.name, **described, **strict}

    @override
    def user(self, text: str) -> list[Json]:
        parts = self.style.takes("user", "parts")
        return [{"role": "user", "content": [{"type": "input_text", "text": text}] if parts else text}]

    @override
    def results(self, outputs: Sequence[Output]) -> list[Json]:
        words = self.user(self.words_after_results) if self.style.takes("after-results", "own-words") else []
        return [*map(self._result, outputs), *words]

    def _result(self, output: Output) -> Json:
        text = self.words_of(output)
        parts = self.style.takes("result-content", "blocks")
        content = [{"type": "input_text", "text": text}] if parts else text
        return {"type": "function_call_output", "call_id": output.call.id, "output": content}

    @override
    def read(self, document: Json) -> Answer:
        if document.get("status") == "failed" or document.get("error"):
            raise Broken(str(document.get("error")))
        dropped = () if self.style.takes("items", "with-status") else ("status",)
        items = [without(item, *dropped) for item in document["output"]]
        calls = [
            Call(item.get("call_id"), item["name"], item["arguments"], item)
            for item in items
            if item["type"] == "function_call"
        ]
        parts = [part for item in items if item["type"] == "message" for part in item["content"]]
        text = joined_halves("".join(part["text"] for part in parts if part["type"] == "output_text"))
        thinking = "".join(
            part["text"] for item in items if item["type"] == "reasoning" for part in item.get("summary") or ()
        )
        ended = _ENDS.get((document.get("incomplete_details") or {}).get("reason"), "whole")
        ended = "refused" if any(part["type"] == "refusal" for part in parts) else ended
        return Answer(self._items(items), calls, text, thinking, ended, document["id"])

    def _items(self, items: list[Json]) -> list[Json]:
        """The items as they go back. Behind reasoning they keep their ids."""
        match self.style["items"]:
            case "references":
                return [{"type": "item_reference", "id": item["id"]} for item in items]
            case "without-ids" if all(item["type"] in ("message", "function_call") for item in items):
                for item in items:
                    item.pop("id", None)
                return items
            case _:
                return items

    @override
    def joined(self, events: Sequence[Json]) -> Json:
        items: dict[int, Json] = {}
        for event in events:
            match event["type"]:
                case "error" | "response.failed":
                    raise Broken(str(event))
                case "response.output_item.done":
                    items[event["output_index"]] = event["item"]
                case "response.completed" | "response.incomplete":
                    return {**event["response"], "output": [items[index] for index in sorted(items)]}
        raise Broken("the stream ended before the turn")

    @override
    def piece(self, event: Json) -> tuple[str, str]:
        match event["type"]:
            case "response.output_text.delta":
                return event["delta"], ""
            case "response.reasoning_summary_text.delta":
                return "", event["delta"]
            case _:
                return "", ""

    @override
    def rename(self, call: Call, id: str) -> None:
        call.id = call.native["call_id"] = id

    @override
    def went_on(self, answer: Answer, history: Sequence[Json]) -> None:
        self._last, self._known = answer.name, len(history)


SPEAKER = Responses
