"""What a wire reads of a response whose last event cannot be read: what came before it was sent all the same."""

from __future__ import annotations

from harness.wire.base import Reply, Wire

_BLANK = b"\n\n"


def parsed_as_far(wire: Wire, content_type: str, body: bytes) -> Reply:
    """What the body of a response says; of a stream whose last event is none of the wire's, what the others say.

    Raises ``ValueError`` where the rest cannot be read either.
    """
    try:
        return wire.parse(content_type, body)
    except ValueError:
        if not wire.transport.is_stream(content_type) or not body.endswith(_BLANK):
            raise
        before, blank, _ = body.removesuffix(_BLANK).rpartition(_BLANK)
        return wire.parse(content_type, before + blank)
