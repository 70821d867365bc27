"""The responses that an endpoint has issued in one case and keeps, and the changes of them.

This module only stores. The wires decide what clients are answered and what that changes (``Wire.auxiliary``).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

from harness.endpoint.conversations import Conversations
from harness.endpoint.recorder import Recorder
from harness.wire import Conversation, Reply, Wire
from harness.wire.base import Json
from harness.wire.keeping import KeptChange, KeptResponse


@dataclass(frozen=True, slots=True)
class Redone:
    """A change of what a case keeps, among its other records. It is repeated when the records are replayed."""

    change: KeptChange


@dataclass(slots=True)
class _Exchange:
    """A kept response, the part that the client got when it was sent, and the exchange in which it was sent."""

    number: int
    reply: Reply
    response: KeptResponse
    speaker: Wire


class KeptResponses:
    """The responses of one case that clients can ask for by their ids.

    ``replies`` has the reply of each exchange. ``over`` are exchanges whose background responses were completed since
    ``over`` was last emptied.
    """

    def __init__(self, recorder: Recorder, apart: Conversations, replies: dict[int, Reply]) -> None:
        self.over: list[int] = []
        self._recorder = recorder
        self._apart = apart
        self._replies = replies
        self._all: dict[str, _Exchange] = {}
        self._made: set[int] = set()

    def add(
        self,
        exchange: int,
        speaker: Wire,
        asked: Conversation,
        reply: Reply,
        frames: tuple[bytes, ...],
        *,
        is_cut: bool,
    ) -> tuple[bytes, ...]:
        """Keep a response, if its request wants that. Returns its frames, or an answer that it is not complete yet.

        ``is_cut``: its connection breaks, so it is not made in the background.
        """
        keeping, background = speaker.keeping, speaker.background
        if keeping is None or not reply.id or not keeping.keeps(asked.body):
            return frames
        response = KeptResponse(reply.id, asked.body, frames, asked.stream)
        self._all[reply.id] = kept = _Exchange(exchange, reply, response, speaker)
        if is_cut or background is None or not background.asked(asked.body):
            return frames
        kept.response = replace(response, state="made")
        self._made.add(exchange)
        return (json.dumps(background.unfinished(json.loads(frames[0]), 0)).encode(),)

    def is_made(self, exchange: int) -> bool:
        """Whether the response of an exchange is made in the background and is not complete."""
        return exchange in self._made

    def get(self, wire: str, id: str) -> KeptResponse | None:
        """The response of a wire with this id."""
        kept = self._all.get(id)
        if kept is None or kept.speaker.name != wire:
            return None
        response = kept.response
        is_left = response.state == "done" and response.stream and self._replies.get(kept.number) is not kept.reply
        return replace(response, state="left") if is_left else response

    def each(self, wire: str) -> Iterator[KeptResponse]:
        """All responses kept on a wire, in the order in which they were sent."""
        return (each.response for each in self._all.values() if each.speaker.name == wire)

    def change(self, change: KeptChange) -> bool:
        """Change a kept response; False if this changes nothing."""
        kept = self._all.get(change.id)
        if kept is None:
            return False
        match change.did:
            case "poll":
                kept.response = replace(kept.response, times=kept.response.times + 1)
            case "get":
                return self._got(kept)
            case "cancel":
                self._note_cancellation(kept, change.value)
            case "change":
                kept.response = replace(kept.response, changed={**kept.response.changed, **change.value})
            case "delete":
                del self._all[change.id]
                for conversation in self._apart:
                    conversation.issued.forget(change.id)
            case _:
                return False
        return True

    def clear(self) -> None:
        """Drop everything."""
        self._all.clear()
        self._made.clear()

    def _got(self, kept: _Exchange) -> bool:
        """Note that a client got all of a response, even one that broke. Returns whether this is new."""
        if kept.response.state == "made":
            self._done(kept, kept.response.frames[0])
            return True
        broken = self._replies.get(kept.number)
        if broken is None or broken is kept.reply or not kept.response.stream:
            return False
        self._recorder.completed(kept.number, b"".join(kept.response.frames))
        self.correct(kept.number, broken, kept.reply)
        return True

    def _done(self, kept: _Exchange, body: bytes) -> None:
        """Note that a background response ended with this body."""
        kept.response = replace(kept.response, state="done")
        self._made.discard(kept.number)
        self._recorder.replaced(kept.number, body)
        self.over.append(kept.number)

    def _note_cancellation(self, kept: _Exchange, document: Json) -> None:
        body = json.dumps(document).encode()
        got = kept.speaker.parse("application/json", body)
        self.correct(kept.number, self._replies[kept.number], got)
        if kept.response.state == "made":
            self._done(kept, body)
        kept.reply = got
        kept.response = replace(kept.response, frames=(body,), stream=False, state="cancelled")

    def correct(self, exchange: int, reply: Reply, got: Reply) -> None:
        """Correct a reply: the client got ``got``, not what was noted when it was sent."""
        self._replies[exchange] = got
        for conversation in self._apart:
            conversation.issued.correct(reply, got)
