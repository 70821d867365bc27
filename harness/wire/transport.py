"""How the events of a streamed response are framed in bytes: one small value per framing, independent of wires.

A wire names its framing (``Wire.transport``), renders such frames, and reads them in ``parse`` and ``arrivals``. The
endpoint delivers bytes, and rules judge what the wire reads, so neither depends on the framing: server-sent events
(``harness.wire.sse.SSE``), an array of JSON values, binary frames.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """One event of a stream. ``event`` is its name, or ``"message"`` if the frame has none."""

    data: str
    event: str = "message"


class FrameReader(Protocol):
    """Reads the frames of one response. It keeps an incomplete frame until the rest comes."""

    def feed(self, chunk: bytes) -> Sequence[StreamEvent]:
        """The events that ``chunk`` completes."""


@dataclass(frozen=True, slots=True)
class Transport:
    """A framing. A stream is the concatenated bytes of its frames.

    ``content_type`` is the media type of a streamed response; a response of any other type is one document. ``reader``
    makes the reader of one response. ``find_ends`` finds where the frames of a body end, for speed: without it the
    reader is fed byte by byte. ``write`` frames an event by its name and its JSON, for frames with names; other
    framings have their own writers.
    """

    name: str
    content_type: str
    reader: Callable[[], FrameReader]
    find_ends: Callable[[bytes], Iterable[int]] | None = None
    write: Callable[[str, dict[str, Any]], bytes] | None = None

    def is_stream(self, content_type: str) -> bool:
        """Whether a response with this content type is a stream of this framing."""
        return self.content_type in content_type

    def events(self, body: bytes) -> Iterator[StreamEvent]:
        """The events of a whole body, without an incomplete frame."""
        yield from self.reader().feed(body)

    def ends(self, body: bytes) -> list[int]:
        """The offsets at which the frames of a body end, without an incomplete frame."""
        if self.find_ends is not None:
            return list(self.find_ends(body))
        reader = self.reader()
        return [at for at in range(1, len(body) + 1) if reader.feed(body[at - 1 : at])]
