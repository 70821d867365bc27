"""Fold the SDK's Responses events, or its whole response, into a ``ProviderTurn``. No I/O.

Each output item has a slot. Deltas are emitted as they come. The finished item counts: whatever no delta has emitted
of it is emitted then, so an item that arrives only whole is not lost.

Ids. A call keeps the provider's ``call_id`` as ``ToolCall.id`` and in what is sent back. If it has none, or one that
was used before in this run, it gets an invented one in both places: the API accepts any unique ``call_id``
and refuses an empty or a repeated one (OAI-08, OAI-12).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from openai.types.responses import ResponseStreamEvent, ResponseUsage

from harness.loop.session import (
    AssistantDelta,
    Delta,
    ProviderTurn,
    StreamFailed,
    ThinkingDelta,
    ToolCall,
    ToolCallDelta,
)
from harness.loop.sessions.shared import answered_by, files_in, unique_id
from harness.wire import Call, Refusal, Text
from harness.wire.base import Json
from harness.wire.characters import Pieces, sendable, sendable_value
from harness.wire.lenient import string
from harness.wire.openai_responses.items import (
    ARGUMENTS,
    PIECES,
    assembled,
    parts_of,
    pieces_of,
    stop_of,
    thinking_text,
    usage_of,
)

_ENDS: Final = ("response.completed", "response.incomplete", "response.failed")
_PLACES: Final = {"content": "content_index", "summary": "summary_index", "": None}
_DELTAS: Final = {f"{stem}.delta": (stem, _PLACES[collection]) for stem, (collection, _, _) in PIECES.items()}
"""The events with a piece of text: the kind of text, and the member with the index of the text in its item."""

_SPOKEN: Final = ("response.output_text", "response.refusal")
_DELTA_TYPES: Final[dict[str, type[AssistantDelta | ThinkingDelta]]] = {
    "response.output_text": AssistantDelta,
    "response.reasoning_summary_text": ThinkingDelta,
    "response.reasoning_text": ThinkingDelta,
}

_ITEMS: Final = ("response.output_item.added", "response.output_item.done")

_UNNAMED: Final = "unknown_tool"
"""The name with which a call without a name goes back: the API refuses an empty name."""


class _Slot:
    """One output item: its emitted pieces, and the item itself once it is known."""

    def __init__(self) -> None:
        self.item: Json = {}
        self.settled = False
        self.call_id = ""
        self.name = ""
        self.pieces_by_place: dict[tuple[str, int], Pieces] = {}

    def hold(self, item: Json) -> None:
        """Take the item in its latest form."""
        self.item = item
        self.name = sendable(string(item.get("name")))

    @property
    def final(self) -> Json:
        """The finished item, or the part of it that arrived, without characters that UTF-8 cannot encode."""
        item = self.item
        if not self.settled:
            # Text whose item was never named can only be the model's message.
            spoken = any(stem in _SPOKEN for stem, _ in self.pieces_by_place)
            item = item or ({"type": "message", "role": "assistant"} if spoken else {})
            item = assembled(item, {place: pieces.text for place, pieces in self.pieces_by_place.items()})
        final: Json = sendable_value(item)
        return final


class ResponsesReader:
    """Feed it every event of one response, then ask for the turn.

    ``taken`` are the ids of the run's calls so far; the ids of this turn are added to it.
    """

    def __init__(self, taken: set[str]) -> None:
        self._ids = taken
        self._slots: list[_Slot] = []
        self._at: dict[int | str | None, _Slot] = {}
        self._status: str | None = None
        self._response: object = None

    @property
    def ended(self) -> bool:
        """Whether the terminal event has come. Feed no more: what follows belongs to no response, or to another."""
        return self._status is not None

    def feed(self, event: ResponseStreamEvent) -> list[Delta]:
        """Take one event. Returns its deltas.

        Raises ``StreamFailed`` for an error event, a failed response, and an event whose members have wrong types:
        the SDK constructs leniently, so any member may be missing or something else, and unknown events come through.
        """
        try:
            kind = getattr(event, "type", "")
            heard = _DELTAS.get(kind)
            return self._hear(event, *heard) if heard else self._take(kind, event)
        except (AttributeError, TypeError) as error:
            raise StreamFailed(f"The event cannot be read: {event!r:.200}") from error

    def _take(self, kind: str, event: ResponseStreamEvent) -> list[Delta]:
        if kind == "error":
            raise StreamFailed(_failure(event))
        if kind in _ENDS:
            return self._end(kind.removeprefix("response."), getattr(event, "response", None))
        if kind not in _ITEMS or not (item := _native(getattr(event, "item", None))):
            return []
        index, item_id = getattr(event, "output_index", None), item.get("id")
        if kind == "response.output_item.added":
            return list(self._open(self._begin(index, item_id), item))
        return list(self._settle(self._slot(index, item_id, begin=True), item))

    def feed_whole(self, response: object) -> list[Delta]:
        """Take a response that was not streamed. Returns all its deltas.

        Raises ``StreamFailed`` like ``feed``, and for an object that is no response.
        """
        status = getattr(response, "status", None) or "completed"
        if getattr(response, "output", None) is None:
            raise StreamFailed(_failure(getattr(response, "error", None), "The answer is no response."))
        try:
            return self._end(status, response)
        except (AttributeError, TypeError) as error:
            raise StreamFailed(f"The response cannot be read: {response!r:.200}") from error

    def finish(self) -> ProviderTurn:
        """The whole turn. Raises ``StreamFailed`` when no terminal event came."""
        if self._status is None:
            raise StreamFailed("The stream ended without response.completed.")
        finals = [(slot, item) for slot in self._slots if (item := slot.final).get("type")]
        items = [item for _, item in finals]
        parts = [part for item in items for part in parts_of(item)]
        details, usage = (getattr(self._response, name, None) for name in ("incomplete_details", "usage"))
        model, created = answered_by(self._response, "model", "created_at")
        return ProviderTurn(
            assistant_text="".join(part.text for part in parts if isinstance(part, Text)),
            tool_calls=tuple(_tool_calls(finals)),
            assistant_turn=[_returned(slot, item) for slot, item in finals],
            stop=stop_of(parts, self._status, getattr(details, "reason", None)),
            thinking_text="".join(thinking_text(item) for item in items if item.get("type") == "reasoning"),
            refusal="".join(part.text for part in parts if isinstance(part, Refusal)),
            usage=usage_of(_native(usage) if isinstance(usage, ResponseUsage) else None),
            files=tuple(files_in(items)),
            model=model,
            created=created,
        )

    # --- slots ---------------------------------------------------------------------------------------------

    def _begin(self, index: int | None, item_id: str | None = None) -> _Slot:
        """A new slot. Some servers give every item the same index, so an index does not name an item for good."""
        slot = _Slot()
        self._slots.append(slot)
        self._at[index] = slot
        if item_id:
            self._at[item_id] = slot
        return slot

    def _slot(self, index: int | None, item_id: str | None, *, begin: bool = False) -> _Slot:
        """The slot at ``index``; a new one if there is none, or if ``begin`` is set and the slot already has its item.

        llama.cpp's server sends no index and finishes all items at the end: there the item's id names the slot.
        """
        named = self._at.get(item_id) if index is None else None
        slot = named or self._at.get(index)
        return self._begin(index, item_id) if slot is None or (begin and slot.settled) else slot

    def _end(self, status: str, response: object) -> list[Delta]:
        """Take the last response object. Its ``output`` may have items that no event contained."""
        if status not in ("completed", "incomplete"):
            raise StreamFailed(_failure(getattr(response, "error", None), f"The response is {status}."))
        self._status, self._response = status, response
        known = {slot.item["id"] for slot in self._slots if slot.settled and slot.item.get("id")}
        deltas: list[Delta] = []
        for place, item_sent in enumerate(getattr(response, "output", None) or ()):
            slot = self._slots[place] if place < len(self._slots) else None
            if slot is not None and slot.settled and slot.item.get("type") == getattr(item_sent, "type", None):
                continue
            item = _native(item_sent)
            if slot is not None and not slot.settled:
                deltas += self._settle(slot, item)
            elif item.get("id") not in known:
                deltas += self._settle(self._begin(None), item)
        return deltas

    # --- telling -------------------------------------------------------------------------------------------

    def _hear(self, event: Any, stem: str, place_member: str | None) -> list[Delta]:
        """Take a delta event. Nearly all events are deltas, so nothing here looks for missing members."""
        slot = self._slot(getattr(event, "output_index", None), getattr(event, "item_id", None))
        place = getattr(event, place_member, None) or 0 if place_member else 0
        delta = self._push(slot, stem, place, getattr(event, "delta", None) or "")
        return [delta] if delta else []

    def _open(self, slot: _Slot, item: Json) -> Iterator[Delta]:
        """Take an item that has begun."""
        slot.hold(item)
        if item.get("type") in ARGUMENTS:
            slot.call_id = self._unique(item.get("call_id"))
            for stem, place, text in pieces_of(item):
                if delta := self._push(slot, stem, place, text):
                    yield delta

    def _settle(self, slot: _Slot, item: Json) -> Iterator[Delta]:
        """Take a finished item, and return deltas for its parts that were not emitted."""
        if item.get("type") in ARGUMENTS and not slot.call_id:
            slot.pieces_by_place.clear()  # nothing of a call is emitted before it is known
            yield from self._open(slot, item)
        slot.hold(item)
        for stem, place, text in pieces_of(item):
            first = (stem, place) not in slot.pieces_by_place
            rest = slot.pieces_by_place.setdefault((stem, place), Pieces()).settle(text)
            if delta := _delta(slot, stem, place, rest, first=first):
                yield delta
        slot.settled = True

    def _push(self, slot: _Slot, stem: str, place: int, piece: str) -> Delta | None:
        pieces = slot.pieces_by_place.get((stem, place))
        first = pieces is None
        if pieces is None:
            pieces = slot.pieces_by_place[stem, place] = Pieces()
        return _delta(slot, stem, place, pieces.push(piece), first=first)

    # --- calls ---------------------------------------------------------------------------------------------

    def _unique(self, call_id: Any) -> str:
        """``call_id``, or an invented one if it is missing or was used before."""
        wanted = unique_id(sendable_value(call_id), self._ids, "call_{:024}")
        self._ids.add(wanted)
        return wanted


def _tool_calls(finals: list[tuple[_Slot, Json]]) -> Iterator[ToolCall]:
    for slot, item in finals:
        for part in parts_of(item):
            if isinstance(part, Call):
                yield ToolCall(slot.call_id, part.name, part.arguments)


def _returned(slot: _Slot, item: Json) -> Json:
    """``item`` in the form that goes back: unchanged, except for what the API refuses."""
    kind = str(item["type"])
    if kind == "reasoning":
        # OAI-05: reasoning has no status in a request. Its empty content says nothing and is left out, too.
        return {name: value for name, value in item.items() if name != "status" and (name, value) != ("content", [])}
    if kind in ARGUMENTS:
        (call,) = (part for part in parts_of(item) if isinstance(part, Call))
        named = {"call_id": slot.call_id, "name": call.name or _UNNAMED, ARGUMENTS[kind]: call.arguments}
        return {**item, **named}
    return item


def _delta(slot: _Slot, stem: str, place: int, text: str, *, first: bool) -> Delta | None:
    """Return the delta for an added ``text``; None if it is empty, or if its call is not known yet."""
    delta_type = _DELTA_TYPES.get(stem)
    if first and place and delta_type is ThinkingDelta:
        text = f"\n\n{text}"  # the parts of one summary are paragraphs of one text
    if not text:
        return None
    if delta_type:
        return delta_type(text)
    return ToolCallDelta(slot.call_id, slot.name, text) if slot.call_id else None


def _native(value: Any) -> Json:
    """The JSON from which an SDK object was made; an empty object for None."""
    native: Json = {} if value is None else value.model_dump(by_alias=True, exclude_unset=True, warnings=False)
    return native


def _failure(error: Any, otherwise: str = "The provider reported an error.") -> str:
    code, message = getattr(error, "code", None), getattr(error, "message", None)
    return ": ".join(str(word) for word in (code, message) if word) or otherwise
