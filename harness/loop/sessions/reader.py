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
    """

    unnamed = ""

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
            make = part.make_delta
            if make is None:
                make = part.make_delta = self._begin(part)
            if part.ended or self._halves or not text.isascii():
                text = self._whole_characters(part, text)
            if text and make:
                deltas.append(make(text))
        return deltas

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

    def _whole_characters(self, part: ArrivingPart, text: str) -> str:
        """What can be emitted now: a high surrogate at the end waits for its other half, or for the end of the part.

        With its end comes what the part says where nothing of it has come.
        """
        text = self._halves.pop(part, "") + text
        if part.ended:
            return sendable(text) or part.default
        if text and "\ud800" <= text[-1] <= "\udbff":
            self._halves[part] = text[-1]
            text = text[:-1]
        return sendable(text)
