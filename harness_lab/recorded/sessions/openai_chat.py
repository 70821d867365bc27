"""Recorded Chat responses, added up from their raw JSON: plainly, call by call in the order of their index."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from harness.cassette.recordings.raw import raw_events
from harness.wire import FinishReason, Usage
from harness.wire.base import Json
from harness_lab.recorded.sessions.recorded_turn import BrokenResponse, RecordedCall, RecordedTurn, call_ids

_FINISH_REASONS = {
    "length": FinishReason.MAX_TOKENS,
    "content_filter": FinishReason.CONTENT_FILTER,
    "tool_calls": FinishReason.TOOL_CALLS,
    "function_call": FinishReason.TOOL_CALLS,
}


def recorded_turn(body: bytes, *, streamed: bool) -> RecordedTurn | BrokenResponse:
    """The first choice of a response. One with an error inside, or without a ``finish_reason``, is broken.

    Snowflake and gpt-audio send no reason, but at the end a chunk with the usage and without choices.
    """
    total = _Sum()
    documents = raw_events(body) if streamed else [json.loads(body)]
    for document in documents:
        if error := document.get("error"):
            return BrokenResponse(str(error.get("message") or "") if isinstance(error, dict) else str(error))
        total.usage = document.get("usage") or total.usage
        if not streamed and not document.get("choices"):
            return BrokenResponse("choices")
        for choice in document.get("choices") or ():
            if not choice.get("index"):
                total.hear_finish(choice.get("finish_reason"))
                total.add(choice.get("delta" if streamed else "message") or {}, streamed=streamed)
        is_last = streamed and document.get("usage") and not document.get("choices")
        if is_last and (total.text or total.thinking or total.calls):
            total.hear_finish(total.finish_reason or "")
    if total.finish_reason is None:
        return BrokenResponse("finish_reason" if documents else "")
    if total.finish_reason == "error":
        return BrokenResponse("error")
    ids = call_ids(call.id for call in total.calls)
    return RecordedTurn(
        text=total.text,
        thinking=total.thinking,
        refusal=total.refusal,
        calls=tuple(
            RecordedCall(call_id, call.name, call.arguments) for call_id, call in zip(ids, total.calls, strict=True)
        ),
        stop=total.stop,
        usage=_usage(total.usage),
        returned=total.returned,
        signed=len(total.proofs),
    )


def returned(message: Json) -> Any:
    """The assistant message that goes back, read as a recorded one is."""
    total = _Sum()
    total.add(message, streamed=False)
    return total.returned


@dataclass
class _Call:
    id: str = ""
    name: str = ""
    arguments: str = ""


class _Sum:
    """A message while it is added up."""

    def __init__(self) -> None:
        self.text = ""
        self.thinking = ""
        self.refusal = ""
        self.calls: list[_Call] = []
        self.finish_reason: str | None = None
        self.usage: Json | None = None
        self.proofs: list[str] = []
        self._at: dict[Any, _Call] = {}

    def add(self, message: Json, *, streamed: bool) -> None:
        self._add_words(message)
        for number, call in enumerate(_calls(message)):
            index = call.get("index", 0) if streamed else number
            self._add_call(index, call)

    def hear_finish(self, reason: str | None) -> None:
        """Handle a finish reason. Null means nothing; an empty reason, which Snowflake sends, is an end."""
        self.finish_reason = self.finish_reason if reason is None else reason

    @property
    def stop(self) -> FinishReason:
        """The stop reason. A forced call ends with ``stop``, too, and so does a refusal."""
        otherwise = (
            FinishReason.TOOL_CALLS if self.calls else FinishReason.REFUSAL if self.refusal else FinishReason.END
        )
        return _FINISH_REASONS.get(self.finish_reason or "", otherwise)

    @property
    def returned(self) -> Any:
        """The message that goes back. Reasoning goes back with calls only. Tests of the session check which id goes
        back."""
        calls = [{"name": call.name or "unknown_tool", "arguments": call.arguments} for call in self.calls]
        return {"text": self.text, "refusal": self.refusal, "calls": calls} | (
            {"thinking": self.thinking, "proofs": self.proofs} if calls else {}
        )

    def _add_words(self, message: Json) -> None:
        details = message.get("reasoning_details") or ()
        self.proofs += [proof for detail in details if (proof := detail.get("signature") or detail.get("data"))]
        self.thinking += (
            message.get("reasoning_content")
            or message.get("reasoning")
            or "".join(detail.get("text") or detail.get("summary") or "" for detail in details)
        )
        self.refusal += message.get("refusal") or ""
        content = message.get("content") or ""
        parts: list[Json] = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for part in parts:
            if part["type"] == "thinking":
                self.thinking += "".join(piece["text"] for piece in part["thinking"])
            else:
                self.text += part["text"]

    def _add_call(self, index: Any, call: Json) -> None:
        """Add a call or a piece of one. A piece with another id begins another call: some servers count from 0."""
        entry = self._at.get(index)
        if entry is None or (entry.id and call.get("id") and call["id"] != entry.id):
            entry = self._at[index] = _Call()
            self.calls.append(entry)
        function = call.get("function") or call.get("custom") or {}
        entry.id = entry.id or call.get("id") or ""
        entry.name = entry.name or function.get("name") or ""
        entry.arguments += function.get("arguments") or function.get("input") or ""


def _calls(message: Json) -> Iterator[Json]:
    yield from message.get("tool_calls") or ()
    if any((message.get("function_call") or {}).values()):
        yield {"function": message["function_call"]}


def _usage(counts: Json | None) -> Usage | None:
    if not counts:
        return None
    return Usage(
        input=counts.get("prompt_tokens") or 0,
        output=counts.get("completion_tokens") or 0,
        reasoning=(counts.get("completion_tokens_details") or {}).get("reasoning_tokens") or 0,
        cached=(counts.get("prompt_tokens_details") or {}).get("cached_tokens") or 0,
    )
