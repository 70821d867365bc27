"""What a cassette has of a WebSocket, beside what it has of any exchange.

What was asked over one is the POST with the same meaning, and its messages are the data of the events of a stream: each
piece of the response is one of them. That it was opened is an interaction of its own, before those on it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from harness.cassette.members import Unexpected, shown

if TYPE_CHECKING:
    from harness.scenario import Cut

_NORMAL: Final = 1000
_NO_CODE: Final = 1005
_LOST: Final = 1006
"""What clients call a close frame without a code, and a connection that ends without one."""

_FIRST_CODE: Final = 1000
_LAST_CODE: Final = 4999


@dataclass(frozen=True, slots=True)
class OverSocket:
    """Where an exchange over a WebSocket was: on which ``connection``, numbered from 1, and on which of its lanes.

    ``code`` is the one with which the server closed the connection in the middle of the response; 0: it did not.
    """

    connection: int
    lane: str = ""
    code: int = 0

    def __str__(self) -> str:
        return f"WebSocket {self.connection}" + (f", stream {self.lane}" if self.lane else "")

    @property
    def members(self) -> dict[str, Any]:
        """What a file has of it: what has a value; a connection always has its number."""
        return {name: value for name, value in asdict(self).items() if value}

    @property
    def cut(self) -> Cut:
        """How the connection broke in the middle of the response, where it did."""
        return closed_with(self.code)


def closed_with(code: int) -> Cut:
    """How a WebSocket breaks that was closed with this code; where there is none (0), without a close frame."""
    from harness.scenario import Cut  # who reads cassettes only needs no scenarios

    return Cut() if code in (0, _LOST) else Cut(how="close", code=_NORMAL if code == _NO_CODE else code)


def over_socket(place: str, value: Any) -> OverSocket | None:
    """The value of these members in a file; None where there are none. Raises ``Unexpected``, from ``place`` on."""
    if value is None:
        return None
    if not isinstance(value, dict) or not value.keys() <= {"connection", "lane", "code"}:
        raise Unexpected(f"{place}: expected 'connection', 'lane' and 'code', got {shown(value)}")
    connection, lane, code = value.get("connection"), value.get("lane", ""), value.get("code", 0)
    if type(connection) is not int or connection < 1:
        raise Unexpected(f"{place}: connection: expected a number from 1, got {shown(connection)}")
    if not isinstance(lane, str):
        raise Unexpected(f"{place}: lane: expected text, got {shown(lane)}")
    if type(code) is not int or not (code == 0 or _FIRST_CODE <= code <= _LAST_CODE):
        raise Unexpected(f"{place}: code: expected one of a close frame, such as 1011, got {shown(code)}")
    return OverSocket(connection, lane, code)
