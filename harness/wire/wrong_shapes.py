"""JSON of a wrong shape where a provider's response is expected: a file may contain any JSON."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from harness.wire.base import Reply

_Parse = Callable[[str, bytes], Reply]


def refusing_wrong_shapes(parse: _Parse) -> _Parse:
    """``Wire.parse`` that raises ``ValueError`` for a member of another type than any provider sends.

    Checks of each member would be a second parser. Recorded traffic shows that ``parse`` reads what providers send;
    with anything else, it fails at an access to a member that is not there.
    """

    @wraps(parse)
    def checked(content_type: str, body: bytes) -> Reply:
        try:
            return parse(content_type, body)
        except (AttributeError, LookupError, TypeError) as error:
            raise ValueError(f"not the JSON of a response: {error}") from error

    return checked
