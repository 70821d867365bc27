"""Streams of binary frames that break inside a frame with the right length and checksums."""

from __future__ import annotations

from collections.abc import Sequence

from harness.wire.aws_events import frames, in_frame


def with_broken_payload(pieces: Sequence[bytes], at: int) -> list[bytes]:
    """The frames of a stream; the one at ``at``, or the last one, lacks the last brace of its JSON."""
    broken = list(pieces)
    if broken:
        place = min(at, len(broken) - 1)
        (frame,) = frames(broken[place])
        broken[place] = in_frame(frame.headers, frame.payload.rstrip().removesuffix(b"}"))
    return broken
