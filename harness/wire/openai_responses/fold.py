"""The fold of a response: its items from the events of a stream, or from the whole response.

An item counts as its ``output_item.done`` has it, because only there ``encrypted_content`` is final; otherwise as the
last response object has it; otherwise it is put together from its pieces. ``output_index`` is the place of an item in
the output of that object, which may be empty. Servers differ: some send no index and name items by their ids, some
give every item the same index, and some leave gaps between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any, Final

from harness.wire.arrival import STRING
from harness.wire.base import Json, Reply
from harness.wire.characters import joined
from harness.wire.fold import MALFORMED, ArrivingPart, Growth, Kind, arrivals_of
from harness.wire.lenient import members, string
from harness.wire.openai_responses.failure import failure_of
from harness.wire.openai_responses.items import ARGUMENTS, PIECES, assembled, item_id_of, kind_of, pieces_of, turn_of
from harness.wire.turn import StreamError

_ENDS: Final = ("response.completed", "response.incomplete", "response.failed")
_FINISHED: Final = ("completed", "incomplete", "failed")
_ITEMS: Final = ("response.output_item.added", "response.output_item.done")
_MESSAGE: Final[Json] = {"type": "message", "role": "assistant"}
"""The item of a text whose item was never named: it can only be the model's message."""

_SPOKEN: Final = ("response.output_text", "response.refusal")
_KINDS: Final[dict[str, Kind]] = {
    "response.output_text": "text",
    "response.reasoning_text": "thinking",
    "response.reasoning_summary_text": "thinking",
    "response.function_call_arguments": "call",
    "response.custom_tool_call_input": "call",
}
_SHOWN: Final = 200
"""Characters of what cannot be read that a message shows."""

_PLACES: Final = {"content": "content_index", "summary": "summary_index", "": ""}
_TEXTS: Final = {
    f"{stem}.{moment}": (stem, _PLACES[collection], member)
    for stem, (collection, whole, _) in PIECES.items()
    for moment, member in (("delta", "delta"), ("done", whole))
}
"""The events with text: the kind of text, the member with its place in the item, and the one with a piece or all."""


class _ItemText:
    """A text of an item, and its pieces. After its end it takes no more."""

    __slots__ = ("_ended", "_lead", "_part", "_pieces")

    def __init__(self, part: ArrivingPart, place: int) -> None:
        self._part = part
        self._pieces: list[str] = []
        self._ended = False
        # The parts of one summary are paragraphs of one text.
        self._lead = "\n\n" if place and part.kind == "thinking" else ""

    @property
    def text(self) -> str:
        return joined("".join(self._pieces))

    def add(self, piece: Any) -> Sequence[Growth]:
        if self._ended:
            return ()
        if not isinstance(piece, str):
            raise TypeError(f"a piece is no text: {piece!r:.40}")
        self._pieces.append(piece)
        return ((self._part, self._with_lead(piece) if self._lead else piece),)

    def end(self, whole: str) -> Sequence[Growth]:
        """Take the whole text. Its last piece is what no piece before had."""
        rest = _rest(whole, "".join(self._pieces))
        self._pieces, self._ended = [whole], True
        return ((self._part, self._with_lead(rest)), (self._part, None))

    def _with_lead(self, piece: str) -> str:
        lead, self._lead = self._lead, ""
        return lead + piece


def _rest(whole: str, come: str) -> str:
    """The rest of a text; empty if something else has come. Half a character may have come."""
    if whole.startswith(come):
        return whole[len(come) :]
    units, begun = (text.encode("utf-16-le", "surrogatepass") for text in (whole, come))
    return units.removeprefix(begun).decode("utf-16-le", "surrogatepass") if units.startswith(begun) else ""


class _OutputItem:
    """An item in its latest form, and its texts. It is ``finished`` when it has come whole."""

    __slots__ = ("_numbers", "_texts", "call", "finished", "native", "place")

    def __init__(self, place: int, numbers: count[int]) -> None:
        self.native: Json = {}
        self.place = place
        self.finished = False
        self.call = ArrivingPart("")
        self._numbers = numbers
        self._texts: dict[tuple[str, int], _ItemText] = {}

    def is_one(self, native: Json) -> bool:
        """Whether ``native`` is surely another form of this item."""
        is_named = bool(native.get("id")) and native["id"] == self.native.get("id")
        return kind_of(native) == kind_of(self.native) and (is_named or self.native is _MESSAGE)

    @property
    def is_open(self) -> bool:
        """Whether it waits for its whole form, in whatever form it may come."""
        return not self.finished and self.native is not _MESSAGE

    def begin(self, native: Json) -> Sequence[Growth]:
        """Take the item at its beginning. A call may begin with a part of its arguments."""
        if self.finished:
            return ()
        self.native = native
        begun = pieces_of(native) if kind_of(native) in ARGUMENTS and not self._texts else ()
        return [growth for stem, place, text in begun for growth in self.text(stem, place).add(text)]

    def finish(self, native: Json) -> list[Growth]:
        """Take the whole item."""
        self.native, self.finished = native, True
        if self.call.name != (name := string(native.get("name"))):
            self.call.name, self.call.make_delta = name, None
        return [growth for stem, place, text in pieces_of(native) for growth in self.text(stem, place).end(text)]

    def text(self, stem: str, place: int) -> _ItemText:
        text = self._texts.get((stem, place))
        if text is None:
            text = self._texts[stem, place] = _ItemText(self._part(stem), place)
        return text

    def _part(self, stem: str) -> ArrivingPart:
        kind = _KINDS.get(stem, "")
        if kind != "call":
            return ArrivingPart(kind)
        if ARGUMENTS.get(kind_of(self.native)) != PIECES[stem][1]:  # a call that the provider runs
            return ArrivingPart("")
        name = string(self.native.get("name"))
        self.call = ArrivingPart("call", next(self._numbers), self.native.get("call_id"), name)
        return self.call

    @property
    def form(self) -> Json:
        """The whole item, or the part of it that has come."""
        if self.finished:
            return self.native
        return assembled(self.native, {place: text.text for place, text in self._texts.items()})


class ResponseFold:
    """The content of a response's events so far (``Fold``). It ignores what follows the end."""

    def __init__(self) -> None:
        self.problem = ""
        self.unfinished = "The stream ended without response.completed."
        self.error: StreamError | None = None
        self.response: Json = {}
        """The last response object. Its status is that of its event."""
        self.ended = False
        """Whether the last event of the stream has come."""
        self._items: list[_OutputItem] = []
        self._at: dict[Any, _OutputItem] = {}
        self._numbers = count()

    def feed(self, event: Json) -> Sequence[Growth]:
        """``Fold.feed``."""
        if self.ended or not isinstance(event, dict):
            return ()
        try:
            kind = str(event.get("type"))
            text = _TEXTS.get(kind)  # nearly all events are these
            return self._take_text(event, *text) if text else self._take(kind, event)
        except MALFORMED:
            self.problem = f"The event cannot be read: {str(event)[:_SHOWN]}"
            return ()

    def feed_whole(self, document: Json) -> Sequence[Growth]:
        """``Fold.feed_whole``."""
        if document.get("output") is None:
            self.problem = "The answer is no response."
        try:
            return self._end(document.get("status") or "completed", document)
        except MALFORMED:
            self.problem = f"The response cannot be read: {str(document)[:_SHOWN]}"
            return ()

    def reply(self) -> Reply:
        """``Fold.reply``."""
        items = tuple(item.form for item in self._in_order())
        names = string(self.response.get("id")), string(self.response.get("model"))
        turn = turn_of(items, self.response, self.error, complete=self.ended)
        return Reply("openai-responses", *names, items, turn, self.ended)

    def calls(self) -> list[ArrivingPart]:
        """The calls in the order of the reply."""
        return [item.call for item in self._in_order() if kind_of(item.native) in ARGUMENTS]

    def _in_order(self) -> list[_OutputItem]:
        return sorted(self._items, key=lambda item: item.place)

    def _take(self, kind: str, event: Json) -> Sequence[Growth]:
        if kind in _ENDS:
            return self._end(kind.removeprefix("response."), members(event.get("response")))
        if isinstance(event.get("response"), dict):
            self.response = event["response"]
        elif kind == "error":
            self._fail(event.get("error") or event, "The provider reported an error.")
        elif kind in _ITEMS and (native := event.get("item")):
            return self._take_item(event, native, is_whole=kind.endswith(".done"))
        return ()

    def _end(self, status: str, response: Json) -> Sequence[Growth]:
        self.response, self.ended = {**(response or self.response), "status": status}, status in _FINISHED
        if response.get("error") or status == "failed":
            self._fail(response.get("error"), f"The response is {status}.")
        elif not self.ended:
            self.unfinished = f"The response is {status}."
        return list(self._output(response.get("output") or ()))

    def _fail(self, error: Any, otherwise: str) -> None:
        self.error = self.error or failure_of(members(error))
        words = [members(error).get(name) for name in ("code", "message")]
        self.problem = ": ".join(str(word) for word in words if word) or otherwise

    # --- items ------------------------------------------------------------------------------------------------

    def _item_of(self, event: Json) -> _OutputItem | None:
        """The item that an event is about."""
        index = event.get("output_index")
        return self._at.get(index) if index is not None else self._at.get(item_id_of(event)) or self._at.get(None)

    def _begin(self, event: Json) -> _OutputItem:
        index = event.get("output_index")
        item = _OutputItem(index if isinstance(index, int) else len(self._items), self._numbers)
        self._at[index] = item
        if item_id := item_id_of(event):
            self._at[item_id] = item
        self._items.append(item)
        return item

    def _take_item(self, event: Json, native: Json, *, is_whole: bool) -> Sequence[Growth]:
        item = self._item_of(event)
        if item is None or not (item.is_one(native) or (is_whole and item.is_open)):
            item = self._begin(event)
        return item.finish(native) if is_whole else item.begin(native)

    def _take_text(self, event: Json, stem: str, place: str, member: str) -> Sequence[Growth]:
        item, value = self._item_of(event), event.get(member)
        if item is None:
            if stem not in _SPOKEN or not value:
                return ()
            item = self._begin(event)
            item.begin(_MESSAGE)
        if item.finished:
            return ()
        text = item.text(stem, event.get(place) or 0)
        return text.add(value or "") if member == "delta" else text.end(text.text if value is None else value)

    def _output(self, output: Sequence[Json]) -> Iterator[Growth]:
        """Take the items of the last response object: new ones, the rest of old ones, and the places of all."""
        waiting = list(self._items)
        ids = [native.get("id") for native in output]
        for place, native in enumerate(output):
            alike = [item for item in waiting if kind_of(item.native) == kind_of(native)]
            same = [item for item in alike if item.native.get("id") == native.get("id")]
            item = next(iter([*same, *(item for item in alike if item.native.get("id") not in ids)]), None)
            if item is None:
                item = self._begin({})
            else:
                waiting.remove(item)
            item.place = place
            if not item.finished:
                yield from item.finish(native)
        for item in self._items:
            if not item.finished:
                yield from item.finish(item.form)


arrivals = arrivals_of(
    ResponseFold, re.compile(rb'"response\.function_call_arguments\.delta"[^\n]*?"delta":\s*' + STRING)
)
"""``Wire.arrivals``."""
