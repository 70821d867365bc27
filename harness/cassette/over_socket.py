"""What a cassette contains for an exchange over a WebSocket, in addition to the members of any exchange.

A request over a WebSocket is recorded as the POST with the same meaning. The messages of its answer are recorded as the
events of a stream, one for each piece of the response. The opening is a separate interaction before the exchanges.
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
"""The code that clients report for a close frame without a code, or for a missing close frame."""

_FIRST_CODE: Final = 1000
_LAST_CODE: Final = 4999


@dataclass(frozen=True, slots=True)
class OverSocket:
    """Where an exchange over a WebSocket was: the number of the ``connection``, from 1, and the lane on it.

    ``code`` is the code with which the server closed the connection in the middle of the response; 0: it did not.
    """

    connection: int
    lane: str = ""
    code: int = 0

    def __str__(self) -> str:
        return f"WebSocket {self.connection}" + (f", stream {self.lane}" if self.lane else "")

    @property
    def members(self) -> dict[str, Any]:
        """The members for a file: those that have a value, and always the connection."""
        return {name: value for name, value in asdict(self).items() if value}

    @property
    def cut(self) -> Cut:
        """How the connection broke in the middle of the response, if it did."""
        return closed_with(self.code)


def closed_with(code: int) -> Cut:
    """The break of a WebSocket that was closed with this code; 0: it ended without a close frame."""
    from harness.scenario import Cut  # who reads cassettes only needs no scenarios

    return Cut() if code in (0, _LOST) else Cut(how="close", code=_NORMAL if code == _NO_CODE else code)


def over_socket(place: str, value: Any) -> OverSocket | None:
    """Read the members of a file; None without any. Raises ``Unexpected``, which names ``place``."""
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
