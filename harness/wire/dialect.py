"""A dialect: how servers stream the same turn in another way than the wire's own provider.

A dialect changes how a turn is streamed, not its content: the same text, thinking and calls arrive. So a loop may
refuse such a stream with a clear error, but it must not merge calls, lose one, run one twice or run one with other
arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from harness.wire.lenient import Json

Spoken = Callable[[list[Json]], Iterable[Json]]
"""Turns the events of a stream (JSON objects) into the events of a dialect. It may change them in place."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """A dialect of a wire's streams.

    ``summary`` says in one sentence what is different. ``evidence`` are public reports of servers that stream so.
    ``end``: whether events that are no JSON are sent, too (the ``[DONE]`` after the chunks of Chat). ``behind`` is what
    comes after all events, or empty. ``other_ids``: a loop may know a call under another id than the endpoint does,
    because the endpoint's id comes late or with others. ``wrong_stop``: the stop reason of a turn that calls tools says
    that the turn is the last one.
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
