"""Responses that are made in the background: the client asks for one and fetches it until it is done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from harness.wire.lenient import Json


@dataclass(frozen=True, slots=True)
class Background:
    """How a wire makes responses in the background.

    ``asked``: whether the body of a request asks for it. ``path`` is the path of a response by its id. ``unfinished``
    makes the document of an unfinished response from the number of times that it was fetched. ``is_unfinished``:
    whether a document is an unfinished one.
    """

    asked: Callable[[Json], bool]
    path: Callable[[str], str]
    unfinished: Callable[[Json, int], Json]
    is_unfinished: Callable[[Json], bool]
