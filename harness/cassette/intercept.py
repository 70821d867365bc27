"""The requests of this process, intercepted by vcrpy and answered from a cassette of ours.

vcrpy replaces the sending method of every HTTP library that is there (httpx2, httpx, aiohttp, urllib3 and so requests,
http.client). What those replacements ask of a cassette is answered here with our matching and our writer, so none of
vcrpy's own cassette code runs: it ignores bodies, writes a file only at the end, in place and with every secret, and
overwrites one that it cannot read.

vcrpy reads a whole response before it hands it on, so an interaction of this module has no ``Delivery``.
"""

from __future__ import annotations

import http.client
import importlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, Final, cast
from urllib.parse import urlsplit

from harness.cassette.cassette_writer import CassetteWriter
from harness.cassette.failures import Missed
from harness.cassette.interaction import Headers, Interaction
from harness.cassette.matching import Player
from harness.cassette.misses import Miss
from harness.errors import BadInput, HarnessError
from harness.ground.encoding import UndecodableBody, decoded

_OF_THE_TRANSPORT: Final = frozenset({"connection", "content-encoding", "content-length", "transfer-encoding"})
"""Headers that say how a body travelled. It is kept, and replayed, as it was before that."""


class Reel:
    """A cassette writer with the methods that vcrpy's replacements of the HTTP libraries call.

    A miss, or a response that cannot be kept, is raised where the request was made, and noted: an SDK may report
    nothing of it but "Connection error.". ``failure`` is all that was noted.
    """

    custom_patches: tuple[()] = ()
    skip_patchers: tuple[()] = ()

    def __init__(self, writer: CassetteWriter, player: Player) -> None:
        self._path = "harness"  # vcrpy names classes after it
        self._writer, self._player = writer, player
        self._found: dict[Any, Interaction | Miss] = {}
        self._misses: list[Miss] = []
        self._refusals: list[str] = []
        self._turn = threading.Lock()

    @property
    def failure(self) -> HarnessError | None:
        """What went wrong inside of requests, every problem once; None where nothing did."""
        if self._misses:
            return Missed(*self._misses)
        return BadInput(*dict.fromkeys(self._refusals)) if self._refusals else None

    @property
    def write_protected(self) -> bool:
        """Whether a request without a recording is refused; vcrpy asks before it connects."""
        return not self._writer.records

    def filter_request(self, request: Any) -> Any:
        """Return the request unchanged: secrets are removed when it is written, not here."""
        return request

    def can_play_response_for(self, request: Any) -> bool:
        """Whether a recording answers; it is then the answer to this request and to no other.

        Raises ``Missed``, where vcrpy would raise an error of its own, and ``BadInput``.
        """
        __tracebackhide__ = True  # pytest shows the frames of what is tested
        with self._turn:
            if request not in self._found:  # a connection that connects again asks again
                found = self._found[request] = self._play(request)
                if isinstance(found, Miss) and not self._writer.records:
                    self._misses.append(found)
                    raise Missed(found)
            return isinstance(self._found[request], Interaction)

    def play_response(self, request: Any) -> dict[str, Any]:
        """Only after ``can_play_response_for`` has said yes."""
        return _as_vcrpy_has_it(cast("Interaction", self._found[request]))

    def append(self, request: Any, response: dict[str, Any]) -> None:
        """Record. Raises ``BadInput`` for what cannot be kept."""
        with self._turn, self._noting():
            self._writer.add(_interaction_of(request, response))

    def find_requests_with_most_matches(self, request: Any) -> list[tuple[Any, list[str], list[str]]]:
        """What the replacement of aiohttp's asks when it follows a redirect: which request to play next."""
        return [(request, [], [])]

    def _play(self, request: Any) -> Interaction | Miss:
        with self._noting():
            headers, body = _request(request)
        url = urlsplit(request.uri)
        path = f"{url.path}?{url.query}" if url.query else url.path
        return self._player.play(request.method, path, body, headers)

    @contextmanager
    def _noting(self) -> Iterator[None]:
        try:
            yield
        except BadInput as refusal:
            self._refusals.extend(refusal.problems)
            raise


@contextmanager
def intercepted(reel: Reel) -> Iterator[None]:
    """Every request of this process goes to ``reel`` until the block ends.

    Raises ``BadInput`` where vcrpy is not installed, or a cassette of its own is open: the two would mix.
    """
    try:
        builder = importlib.import_module("vcr.patch").CassettePatcherBuilder
    except ImportError as error:
        raise BadInput(
            f"requests of this process are recorded and replayed by way of vcrpy, which is not to be had: {error}; "
            "install it: pip install 'agent-loop-harness[vcr]'"
        ) from error
    if getattr(http.client.HTTPConnection, "cassette", None) is not None:
        raise BadInput("a cassette of vcrpy's own is open in this process; close it before this one is opened")
    with ExitStack() as patches:
        for patcher in builder(reel).build():
            patches.enter_context(patcher)
        yield


# --- vcrpy's requests and responses as ours, and back -------------------------------------------------------


def _interaction_of(request: Any, response: dict[str, Any]) -> Interaction:
    headers, body = _request(request)
    response_headers = {name.lower(): tuple(values) for name, values in response["headers"].items()}
    return Interaction(
        method=request.method,
        url=request.uri,
        request_headers=headers,
        request=body,
        status=response["status"]["code"],
        response_headers=response_headers,
        response=_plain(response["body"].get("string") or b"", response_headers, request.uri),
    )


def _request(request: Any) -> tuple[Headers, bytes]:
    """Headers and body. HTTP libraries differ in what they say of a request without one; it is an empty one here."""
    headers: dict[str, tuple[str, ...]] = {name.lower(): (_text(value),) for name, value in request.headers.items()}
    body = request.body
    if isinstance(body, Mapping | list | tuple):  # of aiohttp vcrpy sees what was passed, before it is JSON
        headers.setdefault("content-type", ("application/json",))
    return headers, _plain(_bytes(body, request.uri), headers, request.uri)


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _bytes(body: Any, url: str) -> bytes:
    if hasattr(body, "read"):
        body = body.read()
    match body:
        case None:
            return b""
        case bytes() | bytearray() | memoryview():
            return bytes(body)
        case str():
            return body.encode()
        case Iterator():
            return b"".join(_bytes(piece, url) for piece in body)
    try:
        return json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")
    except TypeError as error:
        raise BadInput(f"{url}: expected a body of bytes, text or JSON, got {type(body).__name__}: {error}") from error


def _plain(body: bytes, headers: Headers, url: str) -> bytes:
    try:
        return decoded(body, ", ".join(headers.get("content-encoding", ())))
    except UndecodableBody as error:
        raise BadInput(f"{url}: {error}") from error


def _lasting(headers: Headers) -> Headers:
    return {name: values for name, values in headers.items() if name not in _OF_THE_TRANSPORT}


def _as_vcrpy_has_it(interaction: Interaction) -> dict[str, Any]:
    return {
        "status": {"code": interaction.status, "message": http.client.responses.get(interaction.status, "")},
        "headers": {name: list(values) for name, values in _lasting(interaction.response_headers).items()},
        "body": {"string": interaction.response},
    }
