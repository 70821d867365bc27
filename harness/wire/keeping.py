"""What an endpoint keeps of what it has issued, and what clients ask about it by an id.

A wire says what is answered, from what is kept, and what changes by it; whoever keeps it all does no more than that.
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

    ``act`` is what is asked: the response, that it be cancelled, deleted or changed, or what it has answered
    (``input``). ``stream``: it is fetched as a stream, of which ``after`` names the last event that has come, ``""``
    for none. ``with_input``: what it has answered is wanted, too. ``query`` has the last value of each name.
    """

    id: str
    act: Literal["fetch", "cancel", "delete", "change", "input"] = "fetch"
    stream: bool = False
    after: str = ""
    with_input: bool = False
    query: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class KeptResponse:
    """A response as it was rendered: the body of its request, and its frames; one, if it is no stream.

    ``state``: it is ``made`` in the background, and was asked for ``times`` times since; a stream that the client has
    ``left`` before its end; it was ``cancelled``; or it is ``done``. ``changed`` are members that a client has set.
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
    """A history that is stored under an id of its own: ``document`` describes it.

    ``entries`` and ``removed`` are as in ``StoredHistory``.
    """

    id: str
    document: Json
    entries: Sequence[Json | str] = ()
    removed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class KeptChange:
    """What changes in what is kept, as ``did`` says.

    Of the response ``id``: a client has asked for it once more and it is not done (``poll``), a client has got it whole
    (``get``), it is ``cancel``led, and ``value`` is its document now, its members ``value`` are set (``change``), it is
    ``delete``d. Of the conversation ``id``: it has begun, or is described by ``value`` now (``store``), the ``items``
    are put behind the others (``append``), the item ``item`` is taken out (``remove``), it is gone (``drop``).
    """

    did: Literal["poll", "get", "cancel", "change", "delete", "store", "append", "remove", "drop"]
    id: str
    value: Json = field(default_factory=dict)
    items: Sequence[Json | str] = ()
    item: str = ""


class Kept(Protocol):
    """What is kept."""

    def response(self, wire: str, id: str, /) -> KeptResponse | None:
        """The response with this id; None where none is kept, or where it was deleted."""

    def responses(self, wire: str, /) -> Iterable[KeptResponse]:
        """All responses that are kept, in their order."""

    def conversation(self, id: str, /) -> StoredConversation | None:
        """The stored conversation with this id."""

    def fresh(self, prefix: str, /) -> str:
        """A fresh id for something that is to be kept."""


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

    ``keeps``: whether the body of a request has its response stored. ``wanted`` recognises such a request by its method
    and its path with the query. ``document`` is a response as one document, with what it has answered where that is
    asked for, and ``events`` the frames of it behind an event; None where it has no such event. ``items`` is the list
    of what it has answered. ``unfinished`` is its document while it is made, by the number of times that it was asked
    for, ``cancelled`` once it is cancelled, and ``deleted`` what is answered about an id that was deleted. ``changed``
    are the members that the body of a request sets. ``refused`` is the answer to a request that cannot be met,
    ``unknown`` that about an id that is not kept, and ``no_event`` that about an event that was not sent.
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
