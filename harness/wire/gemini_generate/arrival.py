"""When calls arrive in a stream: each in one piece, unless its arguments are streamed (``partialArgs``, Vertex only).

Streamed arguments come as values, not as text. What each piece adds to the text is known only if the values come in the
order of the text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Any

from harness.wire.arrival import Arrival, Piece, at_once, streamed
from harness.wire.base import Json
from harness.wire.gemini_generate.parts import begins_call, is_streamed_call, normal_part
from harness.wire.gemini_generate.streamed_calls import Step, Steps, values_of
from harness.wire.sse import SSE


def arrivals(content_type: str, body: bytes, arguments: Sequence[str]) -> tuple[Arrival, ...] | None:
    """``Wire.arrivals``."""
    return streamed(body, arguments, _pieces) if SSE.is_stream(content_type) else at_once(body, arguments)


def _pieces(events: Iterable[tuple[int, Json]]) -> Iterator[Piece]:
    number, text = -1, _GrowingText(ended=True)
    for offset, chunk in events:
        for call in _calls(chunk):
            if begins_call(call):
                number, text = number + 1, _GrowingText()
            if not text.ended:
                yield Piece(number, offset, text.add(call), done=text.ended)


def _calls(chunk: Json) -> Iterator[Json]:
    for candidate in chunk.get("candidates") or ():
        if candidate.get("index"):
            continue
        for part in (candidate.get("content") or {}).get("parts") or ():
            call = normal_part(part).get("functionCall")
            if isinstance(call, dict):
                yield call


class _GrowingText:
    """The growing JSON text of one call's arguments; brackets and quotes close when the next value comes."""

    def __init__(self, *, ended: bool = False) -> None:
        self.ended = ended
        self._begun = False
        self._steps: Steps = ()
        self._in_text = False

    def add(self, piece: Json) -> str:
        """The text that a piece adds."""
        self.ended = not piece.get("willContinue")
        opened = "{" if not self._begun and is_streamed_call(piece) else ""
        self._begun = True
        try:
            return opened + "".join([self._written(steps, value) for steps, value in values_of(piece)])
        except ValueError:
            return opened

    def _written(self, steps: Steps, value: Any) -> str:
        is_text = isinstance(value, str)
        written = _json(value)[:-1] if is_text else _json(value)
        if steps == self._steps:  # the text goes on; any other value that came again is in no order
            return written[1:]
        quote = '"' if self._in_text else ""
        between = _between(self._steps, steps)
        self._steps, self._in_text = steps, is_text
        return f"{quote}{between}{written}"


def _between(before: Steps, steps: Steps) -> str:
    """The text between the values in two places; ``before`` is empty for the first value."""
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, steps, strict=False)))
    closed = ["]" if isinstance(step, int) else "}" for step in reversed(before[shared + 1 :])]
    comma = "," if before else ""
    named = map(_named, steps[shared : shared + 1])  # what holds it is open already
    return "".join([*closed, comma, *named, *map(_opened, steps[shared + 1 :])])


def _opened(step: Step) -> str:
    return ("[" if isinstance(step, int) else "{") + _named(step)


def _named(step: Step) -> str:
    return "" if isinstance(step, int) else f"{_json(step)}:"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
