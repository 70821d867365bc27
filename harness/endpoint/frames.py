"""Scripted faults in the frames of an answer: it breaks off, or one of its events is no JSON."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from harness.scenario import Cut
from harness.trace import End
from harness.wire import Rendered, ThinkingPart, Turn, Wire

_DATA: Final = b"data: "


def cut_off(frames: tuple[bytes, ...], cut: Cut, *, whole: bool) -> tuple[tuple[bytes, ...], End]:
    """The first ``cut.after`` frames and half of the next, so that the break falls inside an event.

    If events are messages, they are ``whole``: then nothing of the next frame is sent.
    """
    end: End = "reset" if cut.how == "reset" else "cut"
    kept = frames[: cut.after]
    rest = () if whole else frames[cut.after : cut.after + 1]
    return (*kept, *(each[: len(each) // 2] for each in rest)), end


def garbled(frames: tuple[bytes, ...], after: int) -> tuple[bytes, ...]:
    """The first ``after`` frames, and the next with half of its data: a complete event that is no JSON."""
    return (*frames[:after], *map(_with_half_its_data, frames[after : after + 1]))


def _with_half_its_data(event: bytes) -> bytes:
    head, data, value = event.rstrip(b"\n").partition(_DATA)
    return head + data + value[: len(value) // 2] + b"\n\n" if data else event[: len(event) // 2]


def whole_parts(
    speaker: Wire, turn: Turn, rendered: Rendered, frames: Sequence[bytes], parts: int | None
) -> int | None:
    """How many frames precede the part of ``turn`` with the index ``parts``, or precede the end of the answer. None if
    ``parts`` is None.

    A thought that the provider puts before every answer is no part of the turn. A document is a single frame, and no
    part of it is whole.
    """
    if parts is None:
        return None
    if len(frames) == 1:
        return 0
    parts += max(0, _thoughts_in_front(rendered.reply.turn) - _thoughts_in_front(turn))

    def begun(count: int) -> int:
        return len(speaker.parse(rendered.content_type, b"".join(frames[:count])).turn.parts) if count else 0

    before = bisect_right(range(len(frames) + 1), parts, key=begun) - 1
    return min(before, len(frames) - rendered.terminal)


def _thoughts_in_front(turn: Turn) -> int:
    return sum(1 for _ in takewhile(lambda part: isinstance(part, ThinkingPart), turn.parts))
