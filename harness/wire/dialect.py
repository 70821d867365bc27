"""A dialect: how servers say the same in another way than the wire's own provider.

A dialect changes how a turn is streamed and not what it says: the same text, thinking and calls arrive. So a loop may
refuse such a stream with a clear error, but it must not merge calls, lose one, run one twice or on other arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from harness.wire.lenient import Json

Spoken = Callable[[list[Json]], Iterable[Json]]
"""Makes the events of a stream, which are JSON objects, into those of a dialect. It may change them in place."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """A dialect of a wire's streams.

    ``summary`` says in one sentence what is otherwise. ``evidence`` are public reports of servers that speak so.
    ``end``: whether what is no JSON is sent, too (the ``[DONE]`` behind the chunks of Chat). ``behind`` is what comes
    behind all events, empty for nothing. ``other_ids``: a loop may
    know a call under another id than the one that the endpoint remembers, since that comes late, or not alone.
    ``wrong_stop``: a turn that calls tools says that it is the last one.
    """

    name: str
    summary: str
    evidence: tuple[str, ...]
    spoken: Spoken
    end: bool = True
    behind: str = ""
    other_ids: bool = False
    wrong_stop: bool = False


def named(*dialects: Dialect) -> Mapping[str, Dialect]:
    """Dialects by their names, as ``Wire.dialects`` has them."""
    return {each.name: each for each in dialects}


def changing(change: Callable[[Json], Any]) -> Spoken:
    """Changes each event by itself, in place."""

    def spoken(events: list[Json]) -> Iterable[Json]:
        for event in events:
            change(event)
        return events

    return spoken
