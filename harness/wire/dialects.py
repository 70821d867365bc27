"""Responses in a dialect of their wire."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from harness.errors import BadInput
from harness.ground.bounded_json import loads
from harness.wire.base import Json, Rendered, Wire
from harness.wire.dialect import Dialect
from harness.wire.sse import SSE, frame, parse_events


def dialect_of(wire: Wire, name: str) -> Dialect:
    """The dialect of a wire with this name. Raises ``BadInput``, which lists the dialects, for an unknown name."""
    found = wire.dialects.get(name)
    if found is None:
        raise BadInput(f"{wire.name} has no dialect {name!r}; expected one of: {', '.join(wire.dialects) or 'none'}")
    return found


def in_dialect(wire: Wire, rendered: Rendered, name: str) -> Rendered:
    """A streamed response in a dialect; a response that is a single document is unchanged.

    ``reply`` is read from the new bytes. Raises ``BadInput`` for an unknown dialect.
    """
    dialect = dialect_of(wire, name)
    if not SSE.is_stream(rendered.content_type):
        return rendered
    frames = tuple(_frames(dialect, rendered.body))
    terminal = rendered.terminal + bool(dialect.behind)
    return replace(
        rendered, frames=frames, terminal=terminal, reply=wire.parse(rendered.content_type, b"".join(frames))
    )


def _frames(dialect: Dialect, body: bytes) -> Iterator[bytes]:
    events = list(parse_events(body))
    documents: list[Json] = [loads(event.data) for event in events if event.data.startswith("{")]
    is_named = any(event.event != "message" for event in events)
    for document in dialect.spoken(documents):
        yield frame(document, document["type"] if is_named else None)
    if dialect.end:
        yield from (frame(event.data) for event in events if not event.data.startswith("{"))
    if dialect.behind:
        yield frame(dialect.behind)
