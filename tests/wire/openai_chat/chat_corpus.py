"""Recorded Chat traffic, and a second reading of it that shares nothing with the harness."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Recorded:
    """One exchange; bodies that are no text are None."""

    file: str
    provider: str
    status: int | None
    request: str | None
    response: str | None

    @property
    def asks_for_chat(self) -> bool:
        return self.request is not None and '"messages"' in self.request

    @property
    def is_stream(self) -> bool:
        return self.response is not None and self.response.lstrip()[:1] not in ("{", "[", "<", "")

    @property
    def chunks(self) -> list[dict[str, Any]]:
        """The JSON of every ``data`` line; each recorded event has just one."""
        lines = (self.response or "").replace("\r", "\n").split("\n")
        data = [line[5:].strip() for line in lines if line.startswith("data:")]
        return [json.loads(text) for text in data if text != "[DONE]"]

    @property
    def is_answer(self) -> bool:
        """A response of the Chat API that came with status 200 (the recordings also hold side requests)."""
        if self.response is None or self.status not in (200, None):
            return False
        return self.is_stream or (self.response.lstrip().startswith("{") and "choices" in json.loads(self.response))


@cache
def recorded(shared: Path) -> tuple[Recorded, ...]:
    with gzip.open(shared / "corpus/exchanges.jsonl.gz", "rt", encoding="utf-8") as lines:
        exchanges = [json.loads(line) for line in lines if '"openai-chat"' in line]
    return tuple(
        Recorded(
            file=exchange["file"],
            provider=exchange["provider"],
            status=exchange["response"]["status"],
            request=((exchange["request"] or {}).get("body") or {}).get("text"),
            response=(exchange["response"]["body"] or {}).get("text"),
        )
        for exchange in exchanges
        if exchange["api"] == "openai-chat"
    )


@dataclass
class Said:
    """What a recorded response says, added up from its raw JSON."""

    text: str = ""
    thinking: str = ""
    refusal: str = ""
    calls: list[list[str]] = field(default_factory=list)
    finish_reason: str | None = None
    total_tokens: tuple[int, int] = (0, 0)
    failed: bool = False

    @property
    def is_whole(self) -> bool:
        """Neither an error inside nor, as in three recordings, no finish_reason at all."""
        return not self.failed and self.finish_reason is not None

    @property
    def named_calls(self) -> list[tuple[str, str]]:
        return [(name, arguments) for _, name, arguments in self.calls]


def said(exchange: Recorded) -> Said:
    """Add up a recorded answer: plainly, call by call in order of their index."""
    total = Said()
    streamed = exchange.is_stream
    by_index: dict[Any, list[str]] = {}
    for document in exchange.chunks if streamed else [json.loads(exchange.response or "")]:
        total.failed = total.failed or bool(document.get("error"))
        usage = document.get("usage") or {}
        if usage:
            total.total_tokens = (usage.get("prompt_tokens") or 0, usage.get("completion_tokens") or 0)
        for choice in document.get("choices") or []:
            if choice.get("index"):
                continue
            message = choice.get("delta" if streamed else "message") or {}
            _add_words(total, message)
            for number, call in enumerate(_calls(message)):
                key = call.get("index", 0) if streamed else number
                entry = by_index.setdefault(key, ["", "", ""])
                if len(by_index) > len(total.calls):
                    total.calls.append(entry)
                function = call.get("function") or call.get("custom") or {}
                entry[0] = entry[0] or call.get("id") or ""
                entry[1] = entry[1] or function.get("name") or ""
                entry[2] += function.get("arguments") or function.get("input") or ""
            if choice.get("finish_reason") is not None:
                total.finish_reason = choice["finish_reason"]
    return total


def _calls(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from message.get("tool_calls") or ()
    if any((message.get("function_call") or {}).values()):
        yield {"function": message["function_call"]}


def _add_words(total: Said, message: dict[str, Any]) -> None:
    details = "".join(
        detail.get("text") or detail.get("summary") or "" for detail in message.get("reasoning_details") or ()
    )
    total.thinking += message.get("reasoning_content") or message.get("reasoning") or details
    total.refusal += message.get("refusal") or ""
    content = message.get("content")
    for part in content if isinstance(content, list) else [{"type": "text", "text": content or ""}]:
        if part["type"] == "thinking":
            total.thinking += "".join(piece["text"] for piece in part["thinking"])
        else:
            total.text += part["text"]
