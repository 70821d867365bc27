"""Translates an exception of a loop into an ``error`` event.

The shape of the exception decides, because there are many loops and their exceptions are alike: an HTTP status, a
broken connection, an exceeded limit. An exception without such a shape is of kind ``raised``.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.trace import RAISED, Failure
from harness.wire.channels import CHANNELS

_BROKEN = (
    "APIConnectionError",
    "APITimeoutError",
    "RemoteProtocolError",
    "ReadError",
    "ConnectError",
    "ConnectionError",
    # aiohttp's; what they were raised from has a code that no server has sent
    "ClientConnectionError",
    "ClientPayloadError",
    *(name for each in CHANNELS.values() for name in each.broken),
    # botocore's, and what its streams raise, which are urllib3's
    "HTTPClientError",
    "EventStreamError",
    "IncompleteRead",
)
_LONGEST = 2_000


def failure_of(error: BaseException) -> Failure:
    """Return the event for ``error``: of kind ``http`` (a status of 400 or more), ``stream`` or ``raised``."""
    message = f"{type(error).__name__}: {error}"[:_LONGEST]
    for each in _causes(error):
        if _is_named(each, _BROKEN):
            return Failure("stream", message)
        if (status := _status(each)) is not None:
            return Failure("http" if status >= 400 else "stream", message)
        if isinstance(each, OSError):  # behind the status: what some clients raise for one is an OSError
            return Failure("stream", message)
    return Failure(RAISED, message)


def _status(error: BaseException) -> int | None:
    """The status of the provider's answer. Exceptions of requests and httpx have it only on the response.

    ``status`` comes before ``code``, which aiohttp has deprecated.
    """
    response = getattr(error, "response", None)
    places = (
        (error, "status_code"),
        (error, "status"),
        (error, "code"),
        (response, "status_code"),
    )
    found = (getattr(owner, name, None) for owner, name in places)
    return next((each for each in found if isinstance(each, int) and each >= 100), _in_dictionary(response))


def _in_dictionary(response: object) -> int | None:
    """The status in the response of an exception of botocore, which is a dictionary."""
    metadata = response.get("ResponseMetadata") if isinstance(response, dict) else None
    status = metadata.get("HTTPStatusCode") if isinstance(metadata, dict) else None
    return status if isinstance(status, int) else None


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The exception and what it was raised from, the outermost first; each once."""
    seen: set[int] = set()
    each: BaseException | None = error
    while each is not None and id(each) not in seen:
        seen.add(id(each))
        yield each
        each = each.__cause__ or (None if each.__suppress_context__ else each.__context__)


def _is_named(error: BaseException, names: tuple[str, ...]) -> bool:
    return any(kind.__name__ in names for kind in type(error).__mro__)
