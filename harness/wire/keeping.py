"""What an endpoint keeps of what it has issued: a client fetches it by its id, cancels it, and deletes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from harness.finding import ProviderAnswer
from harness.wire.lenient import Json

__all__ = ["Keeping", "KeptAct", "KeptRequest", "KeptResponse"]

KeptAct = Literal["fetch", "cancel", "delete"]


@dataclass(frozen=True, slots=True)
class KeptRequest:
    """A request about a response that was issued, by its id.

    ``stream``: it is fetched as a stream, of which ``after`` names the last event that has come, ``""`` for none.
    ``with_input``: what it has answered is wanted, too.
    """

    id: str
    act: KeptAct = "fetch"
    stream: bool = False
    after: str = ""
    with_input: bool = False


@dataclass(frozen=True, slots=True)
class KeptResponse:
    """A response as it was rendered: the body of its request, and its frames; one, if it is no stream."""

    asked: Json
    frames: Sequence[bytes]
    stream: bool


@dataclass(frozen=True, slots=True)
class Keeping:
    """How a wire does that.

    ``wanted`` recognises such a request by its method and its path with the query. ``document`` is a response as one
    document, with what it has answered where that is asked for, and ``events`` the frames of it behind an event; None
    where it has no such event. ``cancelled`` is the document of an unfinished response once it is cancelled, and
    ``deleted`` what is answered to a request that deletes one. ``unknown``, ``finished`` and ``no_event`` are the
    answers about an id that is not kept, to a request that cancels what is done, and about an event that was not sent.
    """

    wanted: Callable[[str, str], KeptRequest | None]
    document: Callable[[KeptResponse, bool], Json]
    events: Callable[[KeptResponse, str], Sequence[bytes] | None]
    cancelled: Callable[[Json], Json]
    deleted: Any
    unknown: ProviderAnswer
    finished: ProviderAnswer
    no_event: ProviderAnswer
