"""What a probe of a server asks for beside the conversation, in the words of each wire."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from harness.wire.lenient import Json

__all__ = ["ProbeMembers"]


@dataclass(frozen=True, slots=True)
class ProbeMembers:
    """Members of a request's body.

    ``base`` are those of every request. ``forced`` makes the model call the tool with this name, ``limit`` ends its
    answer after so many tokens. ``unknown_tools`` declare a tool of a type that no server has, ``unknown_earlier`` name
    an earlier response that there never was; each is empty where the wire has no such thing.
    """

    forced: Callable[[str], Json]
    limit: Callable[[int], Json]
    base: Json = field(default_factory=dict)
    unknown_tools: Json = field(default_factory=dict)
    unknown_earlier: Json = field(default_factory=dict)
