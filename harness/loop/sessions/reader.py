"""Makes deltas from an answer while it arrives, and the turn at its end. No I/O.

The fold of the wire reads the events (``harness.wire.fold``), and its ``returned`` makes the turn that goes back.
The reader adds what the loop needs: whole characters in each delta, and a unique id for each call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, Literal

from harness.loop.session import (
    AssistantDelta,
    Delta,
    ProviderTurn,
    StreamFailed,
    ThinkingDelta,
    ToolCall,
    ToolCallDelta,
)
from harness.loop.sessions.shared import files_in, unique_id
from harness.wire import Refusal, Reply, StreamError, Text, ThinkingPart, Turn, Wire
from harness.wire.base import Json
from harness.wire.characters import sendable, sendable_value
from harness.wire.fold import ArrivingPart, Fold
from harness.wire.lenient import string

_DELTAS: Final[dict[str, type[AssistantDelta | ThinkingDelta]]] = {"text": AssistantDelta, "thinking": ThinkingDelta}


class TurnReader:
    """Events in, deltas out, and the whole turn at the end.

    ``taken`` are the ids of the run's calls so far; the ids of this turn are added to it. A call whose id is missing,
    empty or taken gets an invented one of the form ``invented``, also in the turn that goes back.

    Everything goes back unchanged, except for what the provider itself would refuse; a surrogate without its other half
    becomes U+FFFD. ``unnamed`` is the name for a call that came without one.
    ``emits_empty``: whether an empty piece of a call makes a delta, too, so that a call without arguments has one.
    """

    unnamed = ""
    emits_empty = False

    def __init__(self, wire: Wire, fold: Fold, taken: set[str], invented: str) -> None:
        self._wire = wire
        self._fold = fold
        self._taken = taken
        self._invented = invented
        self._calls: list[tuple[ArrivingPart, str]] = []
        self._halves: dict[ArrivingPart, str] = {}

    def feed(self, event: Json, *, whole: bool = False) -> list[Delta]:
        """Return the deltas of an event, or of a ``whole`` answer that was not streamed.

        Raises ``StreamFailed`` for an event or answer that lacks what its type promises.
        """
        fold = self._fold
        growths = fold.feed_whole(event) if whole else fold.feed(event)
        if fold.problem:
            raise StreamFailed(fold.problem)
        deltas: list[Delta] = []
        for part, text in growths:
            if text and part.make_delta and not self._halves and text.isascii():  # nearly all pieces are such
                deltas.append(part.make_delta(text))
            else:
                deltas += self._deltas(part, text)
        return deltas

    def _deltas(self, part: ArrivingPart, text: str | None) -> list[Delta]:
        if part.make_delta is None:
            part.make_delta = self._begin(part)
        shown = self._rest(part) if text is None else self._whole_characters(part, text)
        is_emitted = shown or (text is not None and self.emits_empty and part.kind == "call")
        return [part.make_delta(shown)] if part.make_delta and is_emitted else []

    def finish(self) -> ProviderTurn:
        """The whole turn. Raises ``StreamFailed`` for an answer with an error in it, or without an end."""
        reply = self._fold.reply()
        if error := reply.turn.error:
            raise StreamFailed(self._failure(error))
        if not reply.complete:
            raise StreamFailed(self._fold.unfinished)
        return self._turn(reply)

    def _waiting(self, reply: Reply) -> list[tuple[ArrivingPart, str]]:
        """The calls that the loop must run, each with its id. Calls that the provider has run are left out."""
        return [each for each in self._calls if string(each[0].id) not in reply.done_calls]

    def _failure(self, error: StreamError) -> str:
        return error.message or error.kind

    def _turn(self, reply: Reply) -> ProviderTurn:
        turn = reply.turn
        calls = [
            ToolCall(call_id, self._name(part), sendable(call.arguments) or part.default)
            for call, (part, call_id) in zip(turn.calls, self._waiting(reply), strict=True)
        ]
        return ProviderTurn(
            assistant_text=self._text_of(turn, Text),
            tool_calls=tuple(calls),
            assistant_turn=self._native(self._going_back(reply, [call.id for call in calls])),
            stop=turn.stop,
            thinking_text=self._text_of(turn, ThinkingPart),
            refusal=self._text_of(turn, Refusal),
            usage=turn.usage,
            files=tuple(files_in(reply.items)),
            model=sendable(reply.model),
        )

    def _text_of(self, turn: Turn, kind: type[Text | ThinkingPart | Refusal]) -> str:
        return self._text([part.text for part in turn.parts if isinstance(part, kind)])

    def _text(self, pieces: Sequence[str]) -> str:
        """The text of several parts. Halves of a character in different parts are not joined, as in the deltas."""
        return "".join(map(sendable, pieces))

    def _going_back(self, reply: Reply, ids: Sequence[str]) -> list[Json]:
        """The entries of the history for the turn."""
        return [sendable_value(entry) for entry in self._wire.entries(self._wire.returned(reply, ids))]

    def _native(self, entries: list[Json]) -> Any:
        """``ProviderTurn.assistant_turn``."""
        return entries

    def _begin(self, part: ArrivingPart) -> Callable[[str], Delta] | Literal[False]:
        """A function that makes a delta from a piece of this part. A call gets its id when it begins."""
        if part.kind != "call":
            return _DELTAS.get(part.kind, False)
        if part.number == len(self._calls):
            call_id = unique_id(sendable_value(part.id), self._taken, self._invented)
            self._taken.add(call_id)
            self._calls.append((part, call_id))
        return partial(ToolCallDelta, self._calls[part.number][1], self._name(part))

    def _name(self, part: ArrivingPart) -> str:
        return sendable(part.name) or self.unnamed

    def _rest(self, part: ArrivingPart) -> str:
        """The text to emit at the end of a part: half a character, or the whole text if no piece has arrived."""
        return sendable(self._halves.pop(part, "")) or part.default

    def _whole_characters(self, part: ArrivingPart, text: str) -> str:
        """The text to emit now. A high surrogate at the end waits for its other half, or for the end of the part."""
        text = self._halves.pop(part, "") + text
        if text and "\ud800" <= text[-1] <= "\udbff":
            self._halves[part] = text[-1]
            text = text[:-1]
        return sendable(text)
