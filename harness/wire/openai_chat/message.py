"""The one assistant message of a Chat turn, put together from deltas as any compatible server sends them.

The fold is used for streamed deltas and for whole messages. It keeps the order in which text, thinking and calls came,
which the message itself cannot express.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from harness.wire.base import Json
from harness.wire.characters import joined
from harness.wire.fold import ArrivingPart
from harness.wire.json_text import compact
from harness.wire.lenient import string
from harness.wire.turn import Call, FinishReason, Part, Refusal, Text, ThinkingPart, Usage

REASONING = ("reasoning_content", "reasoning")
"""Members with thinking: DeepSeek, Kimi, GLM and Qwen use the first; OpenRouter, Groq and vLLM the second."""

Kind = Literal["text", "thinking", "refusal"]

_PART: dict[Kind, type[Text | ThinkingPart | Refusal]] = {"text": Text, "thinking": ThinkingPart, "refusal": Refusal}

_STOPS = {
    "tool_calls": FinishReason.TOOL_CALLS,
    "function_call": FinishReason.TOOL_CALLS,
    "length": FinishReason.MAX_TOKENS,
    "content_filter": FinishReason.CONTENT_FILTER,
}


def stop_of(finish_reason: str | None, parts: Sequence[Part]) -> FinishReason:
    """The meaning of a finish reason for a turn with these parts.

    ``stop`` (or ``eos``, ``end_turn``, ``""`` on other servers) also ends a turn that calls a forced tool, and a
    refusal. None, as after an unfinished stream, is ``FinishReason.END``.
    """
    if finish_reason is None:
        return FinishReason.END
    stop = _STOPS.get(finish_reason, FinishReason.END)
    if stop is not FinishReason.END:
        return stop
    if any(isinstance(part, Call) for part in parts):
        return FinishReason.TOOL_CALLS
    return FinishReason.REFUSAL if any(isinstance(part, Refusal) for part in parts) else FinishReason.END


def read_usage(usage: Json | None) -> Usage:
    """The tokens of a ``usage`` object; all zero if the server sent none."""
    counts = usage or {}
    output_details = counts.get("completion_tokens_details") or {}
    input_details = counts.get("prompt_tokens_details") or {}
    return Usage(
        input=counts.get("prompt_tokens") or 0,
        output=counts.get("completion_tokens") or 0,
        reasoning=output_details.get("reasoning_tokens") or 0,
        cached=input_details.get("cached_tokens") or 0,
    )


def arguments_text(value: Any) -> str:
    """The text of (a piece of) the arguments of a call. Some servers send the JSON object itself, some null."""
    if isinstance(value, dict):
        return compact(value)
    return value or ""


EXTRA = ("extra_content",)
"""Members of a call that servers want back: Gemini behind this format signs its calls there."""


@dataclass(slots=True)
class CallDraft:
    """A call while its fragments arrive. ``id`` is ``""`` until the server sends one.

    ``extra`` are members beside its function that must go back with it: Gemini's signature.
    """

    position: int
    form: Literal["function", "custom", "function_call"] = "function"
    id: str = ""
    name: str = ""
    fragments: list[str] = field(default_factory=list)
    extra: Json = field(default_factory=dict)
    part: ArrivingPart = field(init=False)

    def __post_init__(self) -> None:
        self.part = ArrivingPart("call", self.position)

    @property
    def arguments(self) -> str:
        """All fragments of the arguments, joined."""
        return joined("".join(self.fragments))

    def native(self, call_id: str) -> Json:
        """The call as a member of ``tool_calls``; an empty id is left out."""
        identified = {"id": call_id} if call_id else {}
        if self.form == "custom":
            return {
                **identified,
                "type": "custom",
                "custom": {"name": self.name, "input": self.arguments},
                **self.extra,
            }
        function = {"name": self.name, "arguments": self.arguments}
        return {**identified, "type": "function", "function": function, **self.extra}

    def add(self, native: Json) -> None:
        """Take the members of (a fragment of) the native call beside its function."""
        for name in EXTRA:
            if native.get(name):
                self.extra[name] = native[name]


@dataclass(slots=True)
class _PieceRun:
    kind: Kind
    pieces: list[str]


class MessageFold:
    """Deltas in, the message out. It loses nothing from servers whose ids or indices are missing, late or repeated."""

    def __init__(self) -> None:
        self.calls: list[CallDraft] = []
        self._by_index: dict[int, CallDraft] = {}
        self._misplaced: CallDraft | None = None
        """The call that began under another call's index: some servers continue it under its own."""
        self._runs: list[_PieceRun | CallDraft] = []
        self._reasoning: dict[str, list[str]] = {}
        self._details: list[Json] = []
        self._content_came = False
        self._content_is_list = False

    def content(self, value: Any) -> Iterator[tuple[Literal["text", "thinking"], str]]:
        """Take ``content``: text, or Mistral's list of text and thinking parts. Yields the pieces in order."""
        if isinstance(value, str):
            self._content_came = True
            if value:
                yield "text", self._say("text", value)
        elif isinstance(value, list):
            self._content_is_list = True
            for part in value:
                yield from self._content_part(part)

    def _content_part(self, part: Any) -> Iterator[tuple[Literal["text", "thinking"], str]]:
        if not isinstance(part, dict):
            return
        if part.get("type") == "thinking":
            for piece in part.get("thinking") or ():
                yield "thinking", self._say("thinking", piece.get("text") or "")
        elif part.get("text"):
            yield "text", self._say("text", part["text"])

    def reasoning(self, fields: Json) -> str:
        """Take the reasoning members of a delta; returns the thinking in it.

        If a server sends the same under several names, it counts once. Snowflake sends it only in the details.
        """
        thought = ""
        for name in REASONING:
            piece = fields.get(name)
            if isinstance(piece, str):
                self._reasoning.setdefault(name, []).append(piece)
                thought = thought or piece
        if details := fields.get("reasoning_details"):
            self._details += details
            thought = thought or "".join(detail.get("text") or detail.get("summary") or "" for detail in details)
        return self._say("thinking", thought) if thought else ""

    def refusal(self, text: str) -> None:
        """Take a piece of the refusal."""
        self._say("refusal", text)

    def fragment(self, index: int | None, call_id: str, name: str, arguments: str) -> CallDraft:
        """Take a fragment of a streamed call; returns the call that it belongs to."""
        draft = self._by_index.get(index) if index is not None else (self.calls[-1] if self.calls else None)
        if draft is None and index is not None and not (call_id or name) and self._misplaced:
            draft = self._by_index[index] = self._misplaced
        if draft is None or _begins_another(draft, index, call_id, name):
            is_taken = draft is not None
            draft = self._begin()
            self._misplaced = draft if is_taken else None
            if index is not None:
                self._by_index[index] = draft
        draft.id = draft.id or call_id
        if name != draft.name:
            draft.name += name
        if arguments:
            draft.fragments.append(arguments)
        return draft

    def whole_call(self, call: Json) -> CallDraft:
        """Take a call of a response that was not streamed."""
        # Snowflake sends an empty custom call beside every function call.
        draft = self._begin("function" if call.get("function") else "custom")
        body = call.get("function") or call.get("custom") or {}
        draft.add(call)
        draft.id = string(call.get("id"))
        draft.name = body.get("name") or ""
        draft.fragments.append(arguments_text(body.get("arguments") or body.get("input")))
        return draft

    def function_call(self, call: Json) -> CallDraft | None:
        """Take (a fragment of) the deprecated ``function_call``. It has no id and is the only call of its turn.

        Returns None for an empty one, which some servers send in every message.
        """
        if not (call.get("name") or call.get("arguments")):
            return None
        draft = next((draft for draft in self.calls if draft.form == "function_call"), None)
        draft = draft or self._begin("function_call")
        draft.name = draft.name or call.get("name") or ""
        draft.fragments.append(call.get("arguments") or "")
        return draft

    def parts(self) -> tuple[Part, ...]:
        """The parts, in the order in which they came."""
        return tuple(
            Call(run.name, run.arguments, run.id)
            if isinstance(run, CallDraft)
            else _PART[run.kind](joined("".join(run.pieces)))
            for run in self._runs
        )

    def message(self, ids: Sequence[str] | None = None) -> Json:
        """The message as it goes back. ``ids``: one per call, instead of the server's ids."""
        refusal = self._joined_text("refusal")
        message: Json = {"role": "assistant", "content": self._content()}
        message |= {name: joined("".join(pieces)) for name, pieces in self._reasoning.items() if any(pieces)}
        if self._details:
            message["reasoning_details"] = _merged_details(self._details)
        if refusal:
            message["refusal"] = refusal
        calls = [call for call in self.calls if ids is not None or call.form != "function_call"]
        if calls:
            message["tool_calls"] = [call.native(ids[call.position] if ids else call.id) for call in calls]
        elif self.calls:
            message["function_call"] = {"name": self.calls[0].name, "arguments": self.calls[0].arguments}
        return message

    @property
    def is_empty(self) -> bool:
        """Whether nothing came, not even an empty content."""
        return not (self._runs or self._content_came or self._content_is_list)

    def _begin(self, form: Literal["function", "custom", "function_call"] = "function") -> CallDraft:
        draft = CallDraft(len(self.calls), form)
        self.calls.append(draft)
        self._runs.append(draft)
        return draft

    def _say(self, kind: Kind, text: str) -> str:
        last = self._runs[-1] if self._runs else None
        if isinstance(last, _PieceRun) and last.kind == kind:
            last.pieces.append(text)
        else:
            self._runs.append(_PieceRun(kind, [text]))
        return text

    def _joined_text(self, kind: Kind) -> str:
        runs = (run for run in self._runs if isinstance(run, _PieceRun) and run.kind == kind)
        return joined("".join("".join(run.pieces) for run in runs))

    def _content(self) -> str | list[Json] | None:
        if self._content_is_list:
            return [_content_part(run) for run in self._runs if isinstance(run, _PieceRun) and run.kind != "refusal"]
        text = self._joined_text("text")
        return text if text or self._content_came else None


def _begins_another(draft: CallDraft, index: int | None, call_id: str, name: str) -> bool:
    if call_id and draft.id:
        # Some servers repeat the id in every fragment, some have another one in all but the first, which has the name,
        # and some give all their calls index 0.
        return call_id != draft.id and (bool(name) or index is None or not draft.name)
    if not name:
        return False
    return index is None or (bool(draft.fragments) and name != draft.name)


def _content_part(run: _PieceRun) -> Json:
    text = joined("".join(run.pieces))
    if run.kind == "thinking":
        return {"type": "thinking", "thinking": [{"type": "text", "text": text}]}
    return {"type": "text", "text": text}


def _merged_details(fragments: Sequence[Json]) -> list[Json]:
    """OpenRouter's ``reasoning_details``: fragments of one block join, later members (a signature) complete it."""
    blocks: list[Json] = []
    for fragment in fragments:
        last = blocks[-1] if blocks else {}
        if last and all(last.get(key) == fragment.get(key) for key in ("type", "index")):
            for key, value in fragment.items():
                if key in ("text", "summary") and isinstance(value, str):
                    last[key] = (last.get(key) or "") + value
                elif value is not None:
                    last[key] = value
        else:
            blocks.append(dict(fragment))
    return blocks
