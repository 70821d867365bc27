"""Reading a response whose last event cannot be read: the events before it count all the same."""

from __future__ import annotations

from harness.wire.base import Reply, Wire

_BLANK = b"\n\n"


def parsed_as_far(wire: Wire, content_type: str, body: bytes) -> Reply:
    """The reply in the body of a response, without the last event of a stream if that is not valid for the wire.

    Raises ``ValueError`` if the rest cannot be read either.
    """
    try:
        return wire.parse(content_type, body)
    except ValueError:
        if not wire.transport.is_stream(content_type) or not body.endswith(_BLANK):
            raise
        before, blank, _ = body.removesuffix(_BLANK).rpartition(_BLANK)
        return wire.parse(content_type, before + blank)
