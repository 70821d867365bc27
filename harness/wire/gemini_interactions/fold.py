"""The fold of an interaction: its steps from the events of a stream, or from the whole interaction.

The end of a stream has no steps: they are put together from the deltas, which include the signature of a thought.
Unknown events, steps and deltas are ignored. After a continuation by the SDK the indices restart, so an index
identifies a step only until it stops.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import count
from typing import Any, Final

from harness.wire.arrival import STRING
from harness.wire.base import Reply
from harness.wire.characters import joined
from harness.wire.content_blocks import call_input
from harness.wire.fold import ArrivingPart, Growth, Kind, arrivals_of
from harness.wire.gemini_interactions.ends import ended, error_of, usage_of
from harness.wire.gemini_interactions.steps import (
    CALL,
    OUTPUT,
    THOUGHT,
    done_calls,
    kind_of,
    parts_of_steps,
    summary_of,
)
from harness.wire.gemini_interactions.words import GOES_ON, NAME
from harness.wire.json_text import compact
from harness.wire.lenient import Json, entries, members, objects, string
from harness.wire.turn import StreamError, Turn

_KINDS: Final[dict[str, Kind]] = {CALL: "call", OUTPUT: "text", THOUGHT: "thinking"}


class _StepPieces:
    """A step that is arriving: its native form, and the pieces of its texts."""

    def __init__(self, native: Json, numbers: count[int]) -> None:
        kind = _KINDS.get(kind_of(native), "")
        number = next(numbers) if kind == "call" else -1
        self.native = native
        self.part = ArrivingPart(kind, number, native.get("id"), string(native.get("name")))
        self._arguments: list[str] = []
        self._summary: list[str] = []
        self._content: list[tuple[Json, list[str]]] = []

    def begin(self) -> Sequence[Growth]:
        """The text at the beginning of the step; the arguments of a call are not emitted before it ends."""
        return ((self.part, "" if self.part.kind == "call" else summary_of(self.native) or _text_of(self.native)),)

    def whole(self) -> Sequence[Growth]:
        """All of a step that comes in one piece."""
        growths = self.begin()
        if self.part.kind == "call":
            begun = self.native.get("arguments")
            growths = ((self.part, begun if isinstance(begun, str) else compact(begun or {})),)
        return [*growths, *self.end()]

    def add(self, delta: Json) -> Sequence[Growth]:
        kind = kind_of(delta)
        if kind == "arguments_delta":
            return self._grow(self._arguments, delta.get("arguments"))
        if kind == "text":
            return self._grow(self._text(), delta.get("text"))
        if kind == "thought_summary":
            return self._grow(self._summary, members(delta.get("content")).get("text"))
        if kind == "text_annotation_delta":
            self._text()
            self._content[-1][0].setdefault("annotations", []).extend(entries(delta.get("annotations")))
        elif kind == "thought_signature":
            self.native["signature"] = delta.get("signature")
        elif kind_of(self.native) == OUTPUT:
            self._content.append((dict(delta), []))
        else:  # the arguments or the result of a server tool
            self.native.update({name: value for name, value in delta.items() if name != "type"})
        return ()

    def _grow(self, pieces: list[str], piece: Any) -> Sequence[Growth]:
        text = string(piece)
        pieces.append(text)
        return ((self.part, text),)

    def _text(self) -> list[str]:
        """The pieces of the text that is arriving."""
        if not self._content or kind_of(self._content[-1][0]) != "text":
            self._content.append(({"type": "text"}, []))
        return self._content[-1][1]

    def end(self) -> Sequence[Growth]:
        """All has come."""
        return ((self.part, None),)

    def finished(self) -> tuple[Json, str | None]:
        """The whole step, and a call's arguments text as it was streamed."""
        kind = kind_of(self.native)
        if kind == CALL:
            begun = self.native.get("arguments")
            text = joined("".join(self._arguments)) or (compact(begun) if begun else "")
            return {**self.native, "arguments": call_input(text)}, text
        if kind == THOUGHT and self._summary:
            return {**self.native, "summary": [{"text": joined("".join(self._summary)), "type": "text"}]}, None
        if kind == OUTPUT:
            return {**self.native, "content": self._contents()}, None
        return self.native, None

    def _contents(self) -> list[Json]:
        """The contents at the beginning of the step, and then the contents from deltas."""
        begun = objects(self.native.get("content"))
        return [
            *begun,
            *({**native, "text": joined("".join(texts))} if kind_of(native) == "text" else native
              for native, texts in self._content),
        ]  # fmt: skip


def _text_of(native: Json) -> str:
    return "".join(string(each.get("text")) for each in objects(native.get("content")) if kind_of(each) == "text")


class InteractionFold:
    """The content of an interaction's events so far (``Fold``)."""

    unfinished = "the answer ended before its end was said"

    def __init__(self) -> None:
        self.problem = ""
        self.error: StreamError | None = None
        self.interaction: Json = {}
        self.ended = False
        """Whether the last event of the stream has come."""
        self._steps: list[_StepPieces] = []
        self._whole: list[Json] | None = None
        self._open: dict[Any, _StepPieces] = {}
        self._numbers = count()

    def feed(self, event: Json) -> Sequence[Growth]:
        """``Fold.feed``."""
        kind, index = event.get("event_type"), event.get("index")
        if kind == "step.delta":  # nearly all events are these
            return self._open[index].add(members(event.get("delta"))) if index in self._open else ()
        if kind == "step.start":
            stopped = self._stop(index)
            step = self._open[index] = _StepPieces(dict(members(event.get("step"))), self._numbers)
            self._steps.append(step)
            return [*stopped, *step.begin()]
        if kind == "step.stop":
            return self._stop(index)
        if kind in ("interaction.created", "interaction.completed"):
            self.interaction = {**self.interaction, **members(event.get("interaction"))}
            self.ended = kind == "interaction.completed"
            return [growth for step in self._open.values() for growth in step.end()]  # some servers stop no step
        if kind == "error":
            self.error = self.error or error_of(event.get("error"))
            self.problem = f"{self.error.kind}: {self.error.message}"
        return ()

    def feed_whole(self, document: Json) -> Sequence[Growth]:
        """``Fold.feed_whole``."""
        self.interaction, self.ended = document, True
        self._whole = objects(document.get("steps"))
        return [growth for native in self._whole for growth in _StepPieces(native, self._numbers).whole()]

    def reply(self) -> Reply:
        """``Fold.reply``."""
        finished = [(step, None) for step in self._whole] if self._whole is not None else self._finished_steps()
        steps = [step for step, _ in finished]
        results = done_calls(steps)
        has_calls = any(kind_of(step) == CALL and step.get("id") not in results for step in steps)
        stop, failed, done = ended(self.interaction, has_calls=has_calls)
        error = self.error or failed
        complete = done and error is None
        turn = Turn(
            parts=parts_of_steps(steps, [text for _, text in finished]),
            stop=stop,
            usage=usage_of(self.interaction.get("usage")),
            error=error,
            ending="complete" if complete or error else "eof",
        )
        names = string(self.interaction.get("id")), string(self.interaction.get("model"))
        goes_on = string(self.interaction.get(GOES_ON))
        return Reply(NAME, *names, tuple(steps), turn, complete, continuation=goes_on, done_calls=results)

    def _finished_steps(self) -> list[tuple[Json, str | None]]:
        return [step.finished() for step in self._steps]

    def _stop(self, index: Any) -> Sequence[Growth]:
        step = self._open.pop(index, None)
        return () if step is None else step.end()


arrivals = arrivals_of(InteractionFold, re.compile(rb'"delta":\{"arguments":' + STRING + rb',"type":"arguments_delta"'))
"""``Wire.arrivals``."""
