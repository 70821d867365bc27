"""Responses that a WebSocket client steers while they arrive. No I/O except a wait."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final

from harness.wire.websocket import Steering, SteerRequest

_PATIENCE: Final = 2.0
"""Seconds that a steerable response waits before its end, for a client that steers it; many never do."""


@dataclass(eq=False, slots=True)
class _Arriving:
    lane: str
    steers: list[SteerRequest] = field(default_factory=list)
    heard: asyncio.Event = field(default_factory=asyncio.Event)


class SteeredResponses:
    """The steerable responses of a connection, each from its first event to its last."""

    def __init__(self, steering: Steering) -> None:
        self._steering = steering
        self._arriving: dict[str, _Arriving] = {}
        self._over: set[str] = set()
        self._waiting: defaultdict[str, list[Any]] = defaultdict(list)
        self._count = 0

    def begins(self, response: str, lane: str) -> None:
        """Note that the response with this id can be steered from now on."""
        self._arriving[response] = _Arriving(lane)

    def take(self, steer: SteerRequest) -> tuple[bool, str, str]:
        """Take a steering request. Returns whether it is accepted, its lane, and the frame with the answer."""
        arriving = self._arriving.get(steer.response)
        if arriving is not None:
            self._count += 1
            numbered = replace(steer, number=self._count)
            arriving.steers.append(numbered)
            arriving.heard.set()
            return True, arriving.lane, self._steering.accepted(numbered, arriving.lane)
        if not (self._arriving or self._over):
            code = "steering_not_supported"
        else:
            code = "response_already_completed" if steer.response in self._over else "response_not_found"
        return False, "", self._steering.failed(steer, code, "")

    async def steers_of(self, response: str) -> list[SteerRequest]:
        """The steering requests for a response that is about to end; waits for the client only briefly."""
        arriving = self._arriving[response]
        with suppress(TimeoutError):
            await asyncio.wait_for(arriving.heard.wait(), _PATIENCE)
        self.ends(response)
        return arriving.steers

    def ends(self, response: str) -> None:
        """Note that the response can no longer be steered."""
        if self._arriving.pop(response, None) is not None:
            self._over.add(response)

    def keep(self, response: str, steers: list[SteerRequest]) -> None:
        """Keep the steering requests of a response with calls until a request answers these calls."""
        self._waiting[response] += [each.input for each in steers]

    def waiting_for(self, response: str) -> list[Any]:
        """Take out what was kept for a request that continues the response."""
        return self._waiting.pop(response, [])

    @property
    def has_waiting(self) -> bool:
        """Whether anything is kept."""
        return bool(self._waiting)
