"""One recorded HTTP exchange, whatever the recorder that wrote it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Headers", "Interaction"]

Headers = Mapping[str, tuple[str, ...]]
"""All values of each header, names in lower case."""


@dataclass(frozen=True, slots=True)
class Interaction:
    """A request and its response.

    Bodies are as the sender had them before compression; that of the request is None where nothing was recorded.
    ``line`` is where the interaction begins in its file, from 1.
    """

    method: str
    url: str
    request_headers: Headers
    request: bytes | None
    status: int
    response_headers: Headers
    response: bytes
    line: int
