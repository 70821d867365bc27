"""Bodies in AWS's binary frames. A secret that comes in pieces is in several frames, and a frame has checksums.

The payloads are read as the lines of one stream; after redaction they are framed anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.secrets.edits import Edit, moved
from harness.wire.aws_events import AWS_EVENTS, AwsFrame, frames, in_frame


@dataclass(frozen=True, slots=True)
class FramedBody:
    """The whole frames of a body, and the bytes after them, which are a frame that was cut."""

    body: bytes
    frames: tuple[AwsFrame, ...]

    @property
    def rest(self) -> bytes:
        """What follows the last whole frame."""
        return self.body[self.frames[-1].end if self.frames else 0 :]

    @property
    def lines(self) -> list[str]:
        """The payloads, one per line. A line end in JSON becomes a space, which means the same."""
        return [frame.payload.replace(b"\n", b" ").decode("utf-8", "surrogateescape") for frame in self.frames]

    def with_lines(self, lines: Sequence[str], rest: bytes, chunks: Sequence[int]) -> tuple[bytes, tuple[int, ...]]:
        """The body with other payloads and another rest, and the lengths of its chunks. Unchanged frames keep their
        bytes."""
        pieces: list[bytes] = []
        edits: list[Edit] = []
        start = 0
        for frame, old, new in zip(self.frames, self.lines, lines, strict=True):
            piece = self.body[start : frame.end]
            if new != old:
                piece = in_frame(frame.headers, new.encode("utf-8", "surrogateescape"))
                edits.append(_of_bytes(start, frame.end, piece))
            pieces.append(piece)
            start = frame.end
        if rest != self.rest:
            edits.append(_of_bytes(start, len(self.body), rest))
        return b"".join((*pieces, rest)), moved(chunks, "x" * len(self.body), edits)


def _of_bytes(start: int, end: int, new: bytes) -> Edit:
    """An edit of bytes as an edit of a text with as many characters."""
    return Edit(start, end, "x" * len(new))


def framed(body: bytes, content_type: str) -> FramedBody | None:
    """The body as frames; None if it has another type, or is not made of frames."""
    if AWS_EVENTS not in content_type:
        return None
    try:
        return FramedBody(body, tuple(frames(body)))
    except ValueError:
        return None
