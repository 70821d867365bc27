"""What a probe of a server asks for beside the conversation, in the form of each wire."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from harness.wire.lenient import Json


@dataclass(frozen=True, slots=True)
class ProbeMembers:
    """Members of a request's body, and what else a probe must know of a wire.

    ``base`` are the members of every request. ``forced`` makes the model call the tool with this name, ``limit`` ends
    its answer after so many tokens. ``unknown_tools`` declare a tool of a type that no server has, ``unknown_earlier``
    name an earlier response that never existed; each is empty if the wire has no such thing. ``unknown_code`` is the
    code of the provider's error for ``unknown_earlier``. ``back`` are the other forms in which clients send an entry of
    the server's own answer back. ``compacting`` is the path that compacts a history, below the path of requests.
    ``without_user``: the server accepts a history without any word of a user.
    """

    forced: Callable[[str], Json]
    limit: Callable[[int], Json]
    base: Json = field(default_factory=dict)
    unknown_tools: Json = field(default_factory=dict)
    unknown_earlier: Json = field(default_factory=dict)
    unknown_code: str = ""
    back: tuple[Callable[[Json], Json], ...] = ()
    compacting: str = ""
    without_user: bool = False
