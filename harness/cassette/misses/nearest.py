"""Finds the recording that is nearest to a request that none answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

from harness.cassette.interaction import Interaction
from harness.cassette.match_key import MatchableRequest, canonical_text, matchable_of
from harness.cassette.misses.differences import NOTHING, Difference, common_prefix, differences
from harness.wire import history_members

_MOST_READ: Final = 16 * 1024 * 1024
"""The most bytes of recorded requests that are compared."""

_MOST_DIFFERENCES: Final = 200


class Near(NamedTuple):
    """A recording compared with a request. The first ``shared`` entries of both histories are the same."""

    recording: Interaction
    recorded: MatchableRequest
    shared: int

    def differences(self, asked: MatchableRequest) -> list[Difference]:
        """Where the bodies differ, up to 200 places. Bodies that are no JSON are compared as texts."""
        return list(islice(differences(value(self.recorded), value(asked)), _MOST_DIFFERENCES))


def value(recorded: MatchableRequest) -> Any:
    """Return the body as JSON data: a body that is no JSON as text, an empty one as ``NOTHING``."""
    if isinstance(recorded.body, bytes):
        return recorded.body.decode("utf-8", "backslashreplace") or NOTHING
    return recorded.body


def nearest(asked: MatchableRequest, recordings: Sequence[Interaction]) -> Near | None:
    """Return the recording that is most like the request; None if none is of the same kind.

    The same endpoint counts most, then the number of equal entries at the beginning of the history, then the number of
    values that differ.
    """
    history = _history(asked)
    best: list[Near] = []
    furthest = (False, 0)
    for recording in _nearest_in_length(asked, recordings):
        recorded = matchable_of(recording)
        if _kind(recorded) != _kind(asked):
            continue
        shared = common_prefix(history, _history(recorded))
        reached = (recorded.endpoint == asked.endpoint, shared)
        if reached >= furthest:
            best = [*(best if reached == furthest else ()), Near(recording, recorded, shared)]
            furthest = reached
    return best[0] if len(best) == 1 else min(best, key=lambda near: _distance(near, asked), default=None)


def _nearest_in_length(asked: MatchableRequest, recordings: Sequence[Interaction]) -> Iterator[Interaction]:
    """Return the recordings whose requests are compared, in the order of the cassette.

    These are all recordings, unless the requests have more than ``_MOST_READ`` bytes together. Then they are those with
    the length nearest to the request's, so that the comparison stays fast.
    """
    lengths = [len(recording.request or b"") for recording in recordings]
    room = _MOST_READ
    chosen: set[int] = set()
    for number in sorted(range(len(lengths)), key=lambda number: abs(lengths[number] - asked.length)):
        room -= lengths[number]
        if room < 0 and chosen:
            break
        chosen.add(number)
    return (recordings[number] for number in sorted(chosen))


def _kind(recorded: MatchableRequest) -> tuple[str, str]:
    """Return what two requests must share to be compared: the method and the wire, or the path without a wire."""
    return recorded.method, recorded.endpoint.wire or recorded.endpoint.path.partition("?")[0]


def _history(recorded: MatchableRequest) -> list[str]:
    """Return each entry of the history as canonical JSON."""
    body = recorded.body if isinstance(recorded.body, dict) else {}
    found: Any = next((body[name] for name in sorted(history_members()) if name in body), [])
    return [canonical_text(entry) for entry in (found if isinstance(found, list) else [found])]


def _distance(near: Near, asked: MatchableRequest) -> int:
    """Return how many single values differ."""
    found = near.differences(asked)
    return sum(max(_leaves(each.recorded), _leaves(each.asked)) for each in found)


def _leaves(value: Any) -> int:
    if isinstance(value, dict | list):
        return 1 + sum(map(_leaves, value.values() if isinstance(value, dict) else value))
    return 1
