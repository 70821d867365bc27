"""Counts the requests to a served endpoint, so that it can end by itself."""

from __future__ import annotations

import asyncio
from collections import Counter

from harness.endpoint import CaseEndpoint, LiveResponse, ReceivedRequest, ResponsePlan
from harness.endpoint.recognition import TAG
from harness.trace import End


class Activity:
    """Counts the answered requests. ``over`` is set when serving is to end, for the reason ``why``.

    It ends after ``requests`` answers (then ``enough`` is true), or after ``idle`` seconds without a request, but not
    before the first request. None: never. ``tags`` counts the tags of the automatic model's texts. Create and use it
    in a running event loop.
    """

    def __init__(self, requests: int | None = None, idle: float | None = None) -> None:
        self.over = asyncio.Event()
        self.why = ""
        self.answered = 0
        self.enough = False
        self.tags: Counter[str] = Counter()
        self._requests = requests
        self._idle = idle
        self._open = 0
        self._timer: asyncio.TimerHandle | None = None

    def began(self) -> None:
        """Note that a request has arrived."""
        self._open += 1
        if self._timer is not None:
            self._timer.cancel()

    def ended(self) -> None:
        """Note that either side has ended a response."""
        self._open -= 1
        self.answered += 1
        if self._requests is not None and self.answered >= self._requests:
            self.enough = True
            self.end(f"{self.answered} requests have been answered (--requests)")
        if self._idle is not None and self._open == 0:
            why = f"there was no request for {self._idle:g} s (--idle)"
            self._timer = asyncio.get_running_loop().call_later(self._idle, self.end, why)

    def end(self, why: str) -> None:
        """End serving now."""
        self.why = self.why or why
        self.over.set()


class WatchedEndpoint(CaseEndpoint):
    """A case endpoint that reports its requests to ``activity``."""

    activity: Activity

    def answer(self, request: ReceivedRequest) -> tuple[int, ResponsePlan | LiveResponse]:
        """Answer the request like every case endpoint, and count it in ``activity`` as begun."""
        exchange, answer = super().answer(request)
        self.activity.began()
        if (reply := self.replies.get(exchange)) is not None and "[" in reply.turn.text:
            self.activity.tags.update(TAG.findall(reply.turn.text))
        return exchange, answer

    def ended(self, exchange: int, end: End) -> None:
        """Record the end of a response like every case endpoint, and count it in ``activity``."""
        super().ended(exchange, end)
        self.activity.ended()
