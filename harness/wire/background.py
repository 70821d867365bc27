"""Responses that are made in the background: asked for, and fetched again and again until they are done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from harness.wire.lenient import Json


@dataclass(frozen=True, slots=True)
class Background:
    """How a wire does that.

    ``asked``: whether the body of a request asks for it. ``path`` is the path of a response by its id. ``unfinished``
    is the document of a response while it is made, with the number of times that it was fetched, and
    ``is_unfinished`` whether one is such.
    """

    asked: Callable[[Json], bool]
    path: Callable[[str], str]
    unfinished: Callable[[Json, int], Json]
    is_unfinished: Callable[[Json], bool]
