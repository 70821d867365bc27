"""A span as every reader returns it: what was recorded, in plain values, and nothing that was concluded from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class SpanPlace:
    """Where a span stands in its file: the line, from 1, and the bytes from ``offset`` on, ``length`` of them."""

    line: int
    offset: int
    length: int


NOWHERE: Final = SpanPlace(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Scope:
    """What wrote the span: the name of the instrumentation and its version, both empty where the file has none."""

    name: str = ""
    version: str = ""


NO_SCOPE: Final = Scope()


@dataclass(frozen=True, slots=True)
class TraceSpan:
    """One span, or what a log record says about one (``is_log``).

    Ids are text that is only compared; ``parent`` is empty for a span without one. ``began`` and ``ended`` are
    nanoseconds, 0 where nobody knows. ``attributes`` have plain values (text, numbers, lists, mappings) under the names
    that the exporter gave them. ``dropped`` is how many attributes the recorder says that it has left out. ``failed``:
    the span has the status of an error.
    """

    trace: str
    id: str
    parent: str
    name: str
    attributes: Mapping[str, Any]
    scope: Scope = NO_SCOPE
    began: int = 0
    ended: int = 0
    failed: bool = False
    dropped: int = 0
    is_log: bool = False
    events: tuple[Mapping[str, Any], ...] = field(default=())
    place: SpanPlace = NOWHERE
