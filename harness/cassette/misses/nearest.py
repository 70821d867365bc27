"""Which recording comes nearest to a request that none answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

from harness.cassette.interaction import Interaction
from harness.cassette.meaning import Meaning, canonical_text, meaning_of
from harness.cassette.misses.differences import NOTHING, Difference, common_prefix, differences
from harness.wire import HISTORY

__all__ = ["Near", "nearest"]

_MOST_READ: Final = 16 * 1024 * 1024
"""Bytes of requests that are compared, those of about the same length first."""

_MOST_DIFFERENCES: Final = 200


class Near(NamedTuple):
    """A recording beside a request. ``shared`` entries at the beginning of both histories are the same."""

    recording: Interaction
    said: Meaning
    shared: int

    def differences(self, asked: Meaning) -> list[Difference]:
        """Where the bodies differ, up to 200 places. Bodies that are no JSON differ as texts."""
        return list(islice(differences(value(self.said), value(asked)), _MOST_DIFFERENCES))


def value(said: Meaning) -> Any:
    """What a body says as JSON: one that is none is a text, and one that is empty is nothing."""
    if isinstance(said.body, bytes):
        return said.body.decode("utf-8", "backslashreplace") or NOTHING
    return said.body


def nearest(asked: Meaning, recordings: Sequence[Interaction]) -> Near | None:
    """Of the recordings of this kind of request: the same endpoint, then most of the history, then least changed."""
    history = _history(asked)
    best: list[Near] = []
    furthest = (False, 0)
    for recording in _of_about_its_length(asked, recordings):
        said = meaning_of(recording)
        if _kind(said) != _kind(asked):
            continue
        shared = common_prefix(history, _history(said))
        reached = (said.endpoint == asked.endpoint, shared)
        if reached >= furthest:
            best = [*(best if reached == furthest else ()), Near(recording, said, shared)]
            furthest = reached
    return best[0] if len(best) == 1 else min(best, key=lambda near: _distance(near, asked), default=None)


def _of_about_its_length(asked: Meaning, recordings: Sequence[Interaction]) -> Iterator[Interaction]:
    """All recordings of a cassette, in order, but for one of more megabytes than anybody waits for."""
    lengths = [len(recording.request or b"") for recording in recordings]
    room = _MOST_READ
    chosen: set[int] = set()
    for number in sorted(range(len(lengths)), key=lambda number: abs(lengths[number] - asked.length)):
        room -= lengths[number]
        if room < 0 and chosen:
            break
        chosen.add(number)
    return (recordings[number] for number in sorted(chosen))


def _kind(said: Meaning) -> tuple[str, str]:
    """Requests of one wire can be compared, whichever model or version the path names."""
    return said.method, said.endpoint.wire or said.endpoint.path.partition("?")[0]


def _history(said: Meaning) -> list[str]:
    """The entries of a history, each as the text that only equal ones have."""
    body = said.body if isinstance(said.body, dict) else {}
    found: Any = next((body[name] for name in HISTORY.values() if name in body), [])
    return [canonical_text(entry) for entry in (found if isinstance(found, list) else [found])]


def _distance(near: Near, asked: Meaning) -> int:
    """How many single values differ."""
    found = near.differences(asked)
    return sum(max(_leaves(each.recorded), _leaves(each.asked)) for each in found)


def _leaves(value: Any) -> int:
    if isinstance(value, dict | list):
        return 1 + sum(map(_leaves, value.values() if isinstance(value, dict) else value))
    return 1
