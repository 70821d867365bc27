"""What the fake renders, taken for recordings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache

from harness.cassette.forms import Response
from harness.wire import NativeWireName
from harness_lab.recorded.drift import (
    ServedShapes,
    Server,
    ServerResponse,
    Shapes,
    of_recordings,
    of_sample,
    sample,
    served_shapes,
)

Change = Callable[[Response], Response]
_MUCH_OF_THE_SAME = re.compile("^scenario |^a long call|, in one piece|[^t], billed in full")


@cache
def sampled(wire: NativeWireName) -> tuple[ServerResponse, ...]:
    """The sample of a wire, rendered once for all tests."""
    return tuple(sample(wire))


@cache
def small(wire: NativeWireName) -> tuple[ServerResponse, ...]:
    """The sample without streams that break off and without what adds many events and little in shape.

    That is scenarios, long arguments, turns said once more in one piece, and most of those with another bill.
    """
    return tuple(each for each in sampled(wire) if each.whole and not _MUCH_OF_THE_SAME.search(each.name))


@cache
def rendered(wire: NativeWireName) -> Mapping[Server, Shapes]:
    """The shapes of the whole sample of a wire, for the tests that need all that is rendered."""
    return of_sample(sampled(wire))


def recorded(responses: Iterable[ServerResponse]) -> list[ServerResponse]:
    """The responses as if their servers had been recorded."""
    return [ServerResponse(f"recording of {each.name}", each.server, each.response) for each in responses]


def against_itself(
    wire: NativeWireName, *, rendering: Change | None = None, recording: Change | None = None
) -> list[ServedShapes]:
    """The small sample against itself, one side changed."""
    ours = of_sample(_changed(wire, rendering)) if rendering else _rendered(wire)
    theirs = of_recordings(recorded(_changed(wire, recording))) if recording else _real(wire)
    return list(served_shapes(wire, ours, theirs))


def _changed(wire: NativeWireName, change: Change) -> list[ServerResponse]:
    return [replace(each, response=change(each.response)) for each in small(wire)]


@cache
def _rendered(wire: NativeWireName) -> Mapping[Server, Shapes]:
    return of_sample(small(wire))


@cache
def _real(wire: NativeWireName) -> Mapping[tuple[NativeWireName, Server], Shapes]:
    return of_recordings(recorded(small(wire)))
