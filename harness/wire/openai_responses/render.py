"""A turn as the bytes of one response: server-sent events in the provider's order, or one JSON document.

The order of events and the members of each come from recorded traffic. Two habits of the provider matter to loops:
``encrypted_content`` differs between ``output_item.added`` and ``output_item.done`` (only the last is to be sent back),
and every delta carries padding (``obfuscation``) that means nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from json.encoder import encode_basestring
from typing import Final

from harness.wire.base import Conversation, Json, Rendered, Reply
from harness.wire.deltas import split
from harness.wire.identity import Identity
from harness.wire.json_text import compact, encoded
from harness.wire.openai_responses.build import TRUNCATED, ResponseDraft, encrypted
from harness.wire.openai_responses.builtin import as_begun, moments
from harness.wire.openai_responses.failure import CODES, context_length_error, with_message
from harness.wire.openai_responses.items import ARGUMENTS, kind_of, turn_of
from harness.wire.sse import frame
from harness.wire.turn import StreamError, Turn

EVENT_STREAM: Final = "text/event-stream; charset=utf-8"

_ARGUMENT_EVENTS: Final = {
    "function_call": "response.function_call_arguments",
    "custom_tool_call": "response.custom_tool_call_input",
}


def render(turn: Turn, identity: Identity, conversation: Conversation) -> Rendered:
    """``Wire.render``. A document has no end that could be missing, so ``ending`` has no effect on it."""
    if not conversation.stream:
        turn = replace(turn, ending="complete")
    if turn.error:
        turn = Turn(turn.parts, turn.stop, turn.usage, with_message(turn.error), turn.ending, turn.deltas)
    draft = ResponseDraft(turn, identity, conversation)
    status = _status(turn)
    state = draft.state(status, turn)
    complete = status != "in_progress" and not (conversation.stream and _ends_with_error_event(turn))
    reply = Reply(
        "openai-responses",
        draft.id,
        conversation.model,
        tuple(draft.items),
        turn_of(draft.items, state, turn.error, complete=complete),
        complete,
    )
    if not conversation.stream:
        return Rendered("application/json", (draft.text(state).encode(),), reply, terminal=0)
    frames, terminal = _stream(turn, draft, state, identity, conversation)
    return Rendered(EVENT_STREAM, frames, reply, terminal)


def _status(turn: Turn) -> str:
    if turn.error:
        return "failed"
    if turn.ending == "eof":
        return "in_progress"
    return "incomplete" if turn.stop in TRUNCATED else "completed"


def _ends_with_error_event(turn: Turn) -> bool:
    return turn.error is not None and turn.error.kind == "overloaded"


def _stream(
    turn: Turn, draft: ResponseDraft, state: Json, identity: Identity, conversation: Conversation
) -> tuple[tuple[bytes, ...], int]:
    """The frames, and the number of terminal frames at the end."""
    stream = _FrameStream(turn, identity, padded=_wants_padding(conversation.body))
    begun = draft.text(draft.begun())
    stream.response("response.created", begun)
    stream.response("response.in_progress", begun)
    for index, item in enumerate(draft.items):
        stream.item(index, item)
    before = len(stream.frames)
    if turn.error:
        stream.error(turn.error, draft.text(state))
    elif turn.ending == "complete":
        stream.response(f"response.{state['status']}", draft.text(state))
    return tuple(stream.frames), len(stream.frames) - before


def _wants_padding(body: Json) -> bool:
    options = body.get("stream_options")
    return not (isinstance(options, dict) and options.get("include_obfuscation") is False)


class _FrameStream:
    """The frames of one response; counts them, because every event carries its ``sequence_number``."""

    def __init__(self, turn: Turn, identity: Identity, *, padded: bool) -> None:
        self.frames: list[bytes] = []
        self._deltas = turn.deltas
        self._identity = identity
        self._noise = identity.id("", 64) if padded else ""

    def response(self, kind: str, response: str) -> None:
        """A lifecycle event; ``response`` is the JSON text of the response object."""
        self.frames.append(
            frame(f'{{"type":"{kind}","response":{response},"sequence_number":{len(self.frames)}}}', kind)
        )

    def event(self, kind: str, members: Json) -> None:
        data = compact({"type": kind, **members, "sequence_number": len(self.frames)})
        self.frames.append(frame(data, kind))

    def error(self, error: StreamError, failed: str) -> None:
        """One of the provider's three shapes: an ``error`` event, ``response.failed``, or a nested one and then that.

        All three occur (https://github.com/maximhq/bifrost/issues/4413 has the nested one).
        """
        if error.kind == "overloaded":
            self.event("error", {"code": CODES[error.kind], "message": error.message, "param": None})
            return
        if error.kind == "context_length":
            self.event("error", {"error": context_length_error(error.message)})
        self.response("response.failed", failed)

    def item(self, index: int, item: Json) -> None:
        """Everything between an item's ``added`` and its ``done``."""
        kind = kind_of(item)
        if kind == "reasoning":
            proof = {"encrypted_content": encrypted(self._identity)} if "encrypted_content" in item else {}
            self._add_item(index, {**item, **proof, "content": [], "summary": []})
            self._summary(index, item)
            self._reasoning_text(index, item)
        elif kind == "message":
            self._add_item(index, {**item, "status": "in_progress", "content": []})
            self._content(index, item)
        elif kind in ARGUMENTS:
            self._add_item(index, {**item, "status": "in_progress", ARGUMENTS[kind]: ""})
            self._arguments(index, item)
        else:
            self._add_item(index, as_begun(item))
            self._builtin(index, item)
        self.event("response.output_item.done", {"item": item, "output_index": index})

    def _builtin(self, index: int, item: Json) -> None:
        """What a stream sends about an item of a built-in kind before it is done."""
        place = {"item_id": item.get("id"), "output_index": index}
        for moment in moments(item):
            where = {"output_index": index} if moment.unnamed else place
            if moment.text is None:
                self.event(moment.event, {**where, **moment.members})
            else:
                self._delta(moment.event, split(moment.text, self._deltas), moment.members, where)

    def _add_item(self, index: int, item: Json) -> None:
        self.event("response.output_item.added", {"item": item, "output_index": index})

    def _summary(self, index: int, item: Json) -> None:
        for number, part in enumerate(item.get("summary") or ()):
            place = {"item_id": item["id"], "output_index": index}
            last = {"summary_index": number}
            empty = {**part, "text": ""}
            self.event("response.reasoning_summary_part.added", {**place, "part": empty, **last})
            self._delta("response.reasoning_summary_text.delta", split(part["text"], self._deltas), {}, place | last)
            self.event("response.reasoning_summary_text.done", {**place, **last, "text": part["text"]})
            self.event("response.reasoning_summary_part.done", {**place, "part": part, **last})

    def _reasoning_text(self, index: int, item: Json) -> None:
        """The model's raw reasoning, which servers of open models send."""
        for number, part in enumerate(item.get("content") or ()):
            place = {"item_id": item["id"], "output_index": index}
            first = {"content_index": number}
            self.event("response.content_part.added", {**first, **place, "part": {**part, "text": ""}})
            self._delta("response.reasoning_text.delta", split(part["text"], self._deltas), first, place, padded=False)
            self.event("response.reasoning_text.done", {**first, **place, "text": part["text"]})
            self.event("response.content_part.done", {**first, **place, "part": part})

    def _content(self, index: int, item: Json) -> None:
        for number, part in enumerate(item["content"]):
            self._content_part(index, item, number, part)

    def _content_part(self, index: int, item: Json, number: int, part: Json) -> None:
        refused = part["type"] == "refusal"
        kind, member = ("response.refusal", "refusal") if refused else ("response.output_text", "text")
        first = {"content_index": number}
        place = {"item_id": item["id"], "output_index": index}
        chances: Json = {} if refused else {"logprobs": []}
        pieces = split(part[member], self._deltas)
        empty = {member: "", **({"annotations": []} if "annotations" in part else {})}
        self.event("response.content_part.added", {**first, **place, "part": {**part, **empty}})
        self._delta(f"{kind}.delta", pieces, first, place | chances, padded=not refused)
        for at, annotation in enumerate(part.get("annotations") or ()):
            where = {**place, **first, "annotation_index": at, "annotation": annotation}
            self.event("response.output_text.annotation.added", where)
        self.event(f"{kind}.done", {**first, **place, **chances, member: part[member]})
        self.event("response.content_part.done", {**first, **place, "part": part})

    def _arguments(self, index: int, item: Json) -> None:
        kind, member = _ARGUMENT_EVENTS[item["type"]], ARGUMENTS[item["type"]]
        place = {"item_id": item["id"], "output_index": index}
        self._delta(f"{kind}.delta", split(item[member], self._deltas), {}, place)
        self.event(f"{kind}.done", {member: item[member], **place})

    def _delta(self, kind: str, pieces: Sequence[str], before: Json, after: Json, *, padded: bool = True) -> None:
        """One event per piece. Nearly all frames come from here, so only their differences are encoded for each."""
        head = f'event: {kind}\ndata: {compact({"type": kind, **before})[:-1]},"delta":'
        tail = f',{compact(after)[1:-1]},"sequence_number":'
        noise = self._noise if padded else ""
        for number, piece in enumerate(pieces, len(self.frames)):
            pad = f',"obfuscation":"{noise[number % 48 : number % 48 + 16 - len(piece) % 16]}"' if noise else ""
            self.frames.append(encoded(f"{head}{encode_basestring(piece)}{pad}{tail}{number}}}\n\n"))
