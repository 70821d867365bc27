"""What a script does to the frames of an answer: it breaks off, or an event in it is no JSON."""

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

    Where events are messages they are ``whole``: then nothing of the next.
    """
    end: End = "reset" if cut.how == "reset" else "cut"
    kept = frames[: cut.after]
    rest = () if whole else frames[cut.after : cut.after + 1]
    return (*kept, *(each[: len(each) // 2] for each in rest)), end


def garbled(frames: tuple[bytes, ...], after: int) -> tuple[bytes, ...]:
    """The first frames, and the next with half of its data: an event that has ended, and is no JSON."""
    return (*frames[:after], *map(_with_half_its_data, frames[after : after + 1]))


def _with_half_its_data(event: bytes) -> bytes:
    head, data, value = event.rstrip(b"\n").partition(_DATA)
    return head + data + value[: len(value) // 2] + b"\n\n" if data else event[: len(event) // 2]


def whole_parts(
    speaker: Wire, turn: Turn, rendered: Rendered, frames: Sequence[bytes], parts: int | None
) -> int | None:
    """How many frames come before the next part of ``turn`` begins, or before the end is said; None where no part is
    asked for.

    A thought that the provider puts in front of every answer is no part of the turn. A document is one frame, of which
    nothing is whole.
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
