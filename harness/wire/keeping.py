"""The issued responses that an endpoint keeps, and clients' requests about them by an id.

From what is kept, a wire makes the answer and the changes. The code that keeps the responses only applies the changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

from harness.finding import ProviderAnswer
from harness.wire.lenient import Json


@dataclass(frozen=True, slots=True)
class KeptRequest:
    """A request about a response that was issued, by its id.

    ``act`` is what the client wants: get, cancel, delete or change the response, or get what it has answered
    (``input``). ``stream``: the client fetches it as a stream; ``after`` names the last event that has come, ``""`` for
    none. ``with_input``: the client wants the input that it has answered, too. ``query`` has the last value of each
    name.
    """

    id: str
    act: Literal["fetch", "cancel", "delete", "change", "input"] = "fetch"
    stream: bool = False
    after: str = ""
    with_input: bool = False
    query: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class KeptResponse:
    """A rendered response: the body of its request, and its frames (one frame if it is no stream).

    ``state``: ``made`` means that it is being made in the background and was asked for ``times`` times since; ``left``,
    that the client left the stream before its end; the others are ``cancelled`` and ``done``. ``changed`` are members
    that a client has set.
    """

    id: str
    asked: Json
    frames: Sequence[bytes]
    stream: bool
    state: Literal["made", "left", "cancelled", "done"] = "done"
    times: int = 0
    changed: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StoredConversation:
    """A history that is stored under its own id. ``document`` describes it.

    ``entries`` and ``removed`` are as in ``StoredHistory``.
    """

    id: str
    document: Json
    entries: Sequence[Json | str] = ()
    removed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class KeptChange:
    """A change to what is kept. ``did`` is the kind of change.

    For the response ``id``: ``poll``, a client has asked for it once more and it is not done; ``get``, a client has got
    all of it; ``cancel``, it is cancelled and ``value`` is its document now; ``change``, its members ``value`` are set;
    ``delete``, it is deleted. For the conversation ``id``: ``store``, it is new or has the description ``value`` now;
    ``append``, the ``items`` are added at the end; ``remove``, the item ``item`` is taken out; ``drop``, it is gone.
    """

    did: Literal["poll", "get", "cancel", "change", "delete", "store", "append", "remove", "drop"]
    id: str
    value: Json = field(default_factory=dict)
    items: Sequence[Json | str] = ()
    item: str = ""


class Kept(Protocol):
    """What is kept."""

    def response(self, wire: str, id: str, /) -> KeptResponse | None:
        """The response with this id; None if it is not kept or was deleted."""

    def responses(self, wire: str, /) -> Iterable[KeptResponse]:
        """All responses that are kept, in order."""

    def conversation(self, id: str, /) -> StoredConversation | None:
        """The stored conversation with this id."""

    def fresh(self, prefix: str, /) -> str:
        """A fresh id for something new to keep."""


class _NothingKept:
    """Nothing is kept."""

    def response(self, wire: str, id: str, /) -> None:
        pass

    def responses(self, wire: str, /) -> Iterable[KeptResponse]:  # noqa: ARG002
        return ()

    def conversation(self, id: str, /) -> None:
        pass

    def fresh(self, prefix: str, /) -> str:
        return prefix


NOTHING_KEPT: Final[Kept] = _NothingKept()


@dataclass(frozen=True, slots=True)
class Keeping:
    """How a wire answers requests about a response that was issued.

    ``keeps``: whether the body of a request has its response stored. ``wanted`` recognises a request about a kept
    response by its method and its path with the query. ``document`` is a response as one document, with its input if
    the client wants it. ``events`` are the frames of a response after an event, or None if it has no such event.
    ``items`` is the list of the input that it has answered. ``unfinished`` is its document while it is being made, by
    the number of times that a client has asked for it; ``cancelled`` is the document of a cancelled response, and
    ``deleted`` the answer about a deleted id. ``changed`` are the members that the body of a request sets. ``refused``
    is the answer to a request that cannot be met, ``unknown`` the answer about an id that is not kept, and ``no_event``
    the answer about an event that was not sent.
    """

    wire: str
    keeps: Callable[[Json], bool]
    wanted: Callable[[str, str], KeptRequest | None]
    document: Callable[[KeptResponse, bool], Json]
    events: Callable[[KeptResponse, KeptRequest], Sequence[bytes] | None]
    unfinished: Callable[[Json, int], Json]
    cancelled: Callable[[Json], Json]
    deleted: Callable[[str], Any]
    refused: Callable[[KeptRequest, KeptResponse], ProviderAnswer | None]
    unknown: Callable[[str], ProviderAnswer]
    no_event: ProviderAnswer
    items: Callable[[KeptRequest, KeptResponse, Kept], Json | ProviderAnswer] | None = None
    changed: Callable[[bytes], Json | ProviderAnswer] | None = None
