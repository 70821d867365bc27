"""What a session makes of an answer: deltas while it arrives, and the turn at its end. No I/O.

What the events say, the fold of the wire knows (``harness.wire.fold``), and how the turn goes back its ``returned``.
The reader adds what the loop needs beside it: whole characters in each delta, and a unique id for each call.
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

    ``taken`` are the ids of the run's calls so far, and those of this turn are added. A call whose id is missing, empty
    or taken gets an invented one of the form ``invented``, in the turn that goes back too.

    Everything goes back as it came, but for what the provider itself would refuse; a surrogate without its other half
    is U+FFFD. ``unnamed`` is the name of a call that came without one.
    ``emits_empty``: whether a call is emitted by empty pieces, too, so that one without arguments has a delta.
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

        Raises ``StreamFailed`` for one that lacks what its type promises.
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
        """The calls that the loop is to run, each with its id; those that the provider has run are not in the turn."""
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
        """The text of several parts. Halves of a character do not meet: what was emitted cannot join them."""
        return "".join(map(sendable, pieces))

    def _going_back(self, reply: Reply, ids: Sequence[str]) -> list[Json]:
        """The entries of the history that say the turn."""
        return [sendable_value(entry) for entry in self._wire.entries(self._wire.returned(reply, ids))]

    def _native(self, entries: list[Json]) -> Any:
        """``ProviderTurn.assistant_turn``."""
        return entries

    def _begin(self, part: ArrivingPart) -> Callable[[str], Delta] | Literal[False]:
        """What makes a delta of a piece of this part. A call gets its id when it begins."""
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
        """What is emitted with the end of a part: half a character, or what it says where nothing of it has come."""
        return sendable(self._halves.pop(part, "")) or part.default

    def _whole_characters(self, part: ArrivingPart, text: str) -> str:
        """What can be emitted now: a high surrogate at the end waits for its other half, or for the end of the part."""
        text = self._halves.pop(part, "") + text
        if text and "\ud800" <= text[-1] <= "\udbff":
            self._halves[part] = text[-1]
            text = text[:-1]
        return sendable(text)
