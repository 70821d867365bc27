"""Combines the events of the four wires into a turn, for the readers of the gallery."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final


def _with_pairs_joined(text: str) -> str:
    """Halves that meet are a character."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _same(text: str) -> str:
    return text


class Fold:
    """Builds a turn. Raises ``ValueError`` for broken JSON, and ``RuntimeError`` for an error inside.

    ``piece`` is applied to every piece of text, ``whole`` to the complete text; with ``raises`` False errors are
    ignored.
    """

    WIRES: Final = ("openai-responses", "openai-chat", "anthropic-messages", "gemini-generate")

    def __init__(
        self,
        piece: Callable[[str], str] = _same,
        whole: Callable[[str], str] = _with_pairs_joined,
        *,
        raises: bool = True,
    ) -> None:
        self._piece = piece
        self._with_pairs_joined = whole
        self._raises = raises
        self._text = ""
        self._calls: dict[Any, dict[str, str]] = {}
        self._stop: str | None = None
        self._complete = False

    @staticmethod
    def is_readable(data: str) -> bool:
        """Whether the data of an event is JSON, or the mark of the end."""
        try:
            return data == "[DONE]" or isinstance(json.loads(data), dict)
        except ValueError:
            return False

    def read(self, wire: str, events: Iterable[tuple[str, str]]) -> Mapping[str, Any]:
        """The answer of a reader."""
        take = {
            "openai-responses": self._response,
            "openai-chat": self._chat,
            "anthropic-messages": self._message,
            "gemini-generate": self._generated,
        }[wire]
        for name, data in events:
            if data == "[DONE]":
                break
            event = json.loads(data)
            if self._raises and (event.get("error") or event.get("type") == "error"):
                raise RuntimeError(str(event))
            take(name, event)
        calls = [
            {name: self._with_pairs_joined(value) for name, value in call.items()} for call in self._calls.values()
        ]
        return {
            "text": self._with_pairs_joined(self._text),
            "calls": calls,
            "stop": self._stop,
            "complete": self._complete,
        }

    def _add_text(self, text: str | None) -> None:
        if text:
            self._text += self._piece(text)

    def _call(self, key: Any) -> dict[str, str]:
        return self._calls.setdefault(key, {"id": "", "name": "", "arguments": ""})

    def _chat(self, _: str, chunk: Any) -> None:
        for choice in chunk.get("choices", ()):
            delta = choice["delta"]
            self._add_text(delta.get("content"))
            for piece in delta.get("tool_calls", ()):
                call = self._call(piece["index"])
                call["id"] += piece.get("id", "")
                call["name"] += piece["function"].get("name", "")
                call["arguments"] += piece["function"].get("arguments", "")
            if choice["finish_reason"]:
                self._stop, self._complete = choice["finish_reason"], True

    def _message(self, name: str, event: Any) -> None:
        """By the names of the events, as the SDK of this provider reads them."""
        if name == "content_block_start" and event["content_block"]["type"] == "tool_use":
            self._call(event["index"]).update(id=event["content_block"]["id"], name=event["content_block"]["name"])
        elif name == "content_block_delta":
            self._add_text(event["delta"].get("text"))
            if "partial_json" in event["delta"] and event["index"] in self._calls:  # else a tool of the server's
                self._call(event["index"])["arguments"] += event["delta"]["partial_json"]
        elif name == "message_delta":
            self._stop = event["delta"]["stop_reason"]
        elif name == "message_stop":
            self._complete = True

    def _response(self, _: str, event: Any) -> None:
        kind = event["type"]
        if kind == "response.output_text.delta":
            self._add_text(event["delta"])
        elif kind == "response.output_item.added" and event["item"]["type"] == "function_call":
            self._call(event["output_index"]).update(id=event["item"]["call_id"], name=event["item"]["name"])
        elif kind == "response.function_call_arguments.delta":
            self._call(event["output_index"])["arguments"] += event["delta"]
        elif kind in ("response.completed", "response.incomplete"):
            self._stop, self._complete = event["response"]["status"], True

    def _generated(self, _: str, chunk: Any) -> None:
        for candidate in chunk.get("candidates", ()):
            for part in candidate.get("content", {}).get("parts", ()):
                if "functionCall" in part:
                    called = part["functionCall"]
                    arguments = json.dumps(called.get("args", {}))
                    self._call(len(self._calls)).update(
                        id=called.get("id", ""), name=called["name"], arguments=arguments
                    )
                elif not part.get("thought"):
                    self._add_text(part.get("text"))
            if "finishReason" in candidate:
                self._stop, self._complete = candidate["finishReason"], True
