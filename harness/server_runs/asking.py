"""Requests of our clients over HTTP, and the answers as they came: bytes, and how the connection broke if it did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import httpx2

from harness.loop.sessions.wire_only import Answered
from harness.server_runs.preset import KEY
from harness.wire import Wire

__all__ = ["LATE", "Asking", "headers_of"]

LATE: Final = "no answer within"
"""How the words begin by which an answer that did not come is known."""

_VERSIONS: Final = {"anthropic-version": "2023-06-01"}
"""What clients of the API that has versions send; the others do not mind."""


def headers_of(wire: Wire, key: str = KEY) -> dict[str, str]:
    """The headers of every request of a client of ``wire``."""
    provider = wire.provider
    return {
        "content-type": "application/json",
        "accept-encoding": "identity",
        **_VERSIONS,
        provider.key_header: provider.key_form.format(key),
    }


@dataclass(frozen=True, slots=True)
class Asking:
    """Posts to the server at ``base``; ``seconds`` are those that a request may take."""

    http: httpx2.AsyncClient
    base: str
    seconds: float

    async def post(self, path: str, headers: Mapping[str, str], body: bytes) -> Answered:
        """The answer, as far as it came."""
        status, received = 0, bytearray()
        heard: dict[str, str] = {}
        try:
            async with self.http.stream("POST", f"{self.base}{path}", headers=headers, content=body) as response:
                status = response.status_code
                heard = dict(response.headers.items())
                async for piece in response.aiter_bytes():
                    received += piece
        except httpx2.TimeoutException:
            return Answered(status, heard, bytes(received), f"{LATE} {self.seconds:g} s")
        except httpx2.HTTPError as error:
            return Answered(status, heard, bytes(received), str(error) or type(error).__name__)
        return Answered(status, heard, bytes(received))
