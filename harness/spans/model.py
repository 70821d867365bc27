"""A span in the form that all readers return: the recorded facts in plain values, without conclusions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class SpanPlace:
    """The place of a span in its file: the line, from 1, and the ``length`` bytes from ``offset`` on."""

    line: int
    offset: int
    length: int


NOWHERE: Final = SpanPlace(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Scope:
    """The writer of the span: the name of the instrumentation and its version, both empty if the file has none."""

    name: str = ""
    version: str = ""


NO_SCOPE: Final = Scope()


@dataclass(frozen=True, slots=True)
class TraceSpan:
    """One span, or a log record about one (``is_log``).

    Ids are texts that are only compared; ``parent`` is empty for a span without one. ``began`` and ``ended`` are
    nanoseconds, 0 if unknown. ``attributes`` have plain values (text, numbers, lists, mappings) under the exporter's
    names. ``dropped`` is the number of attributes that the recorder left out by its own account. ``failed``: the span
    has the status of an error.
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
