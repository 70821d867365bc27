"""A cassette file, read: our own, and those of vcrpy (YAML and JSON), go-vcr and Ruby's VCR.

The recorders agree on what an interaction is and differ in names: what vcrpy calls ``uri`` go-vcr calls ``url``, and
a body is text, ``string``, ``base64_string``, or JSON in ``parsed_body``. All names are read in all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness.cassette.document import CassetteDocument, read_document
from harness.cassette.interaction import Cassette, Headers, Interaction, Provenance
from harness.cassette.members import Unexpected, body_of, headers_of, http_status, member, shown, text_of
from harness.cassette.own import KEY, delivery_of, provenance_of
from harness.errors import BadInput
from harness.ground.encoding import UndecodableBody, decoded

_LISTS = ("interactions", "http_interactions")
_NEWEST = 2
"""The newest version of a format that is known: vcrpy and old go-vcr write 1, go-vcr writes 2."""

_SUPPORTED = "a cassette of vcrpy, go-vcr or Ruby's VCR, which has a list 'interactions' or 'http_interactions'"


def read_cassette(path: Path, content: bytes | None = None) -> Cassette:
    """A cassette, its interactions in the order of the file; ``content`` are its bytes where they have been read.

    Raises ``BadInput`` when the file cannot be read, is no cassette of a known recorder, or holds a broken
    interaction; each of these is reported with its line.
    """
    document = read_document(path, content)
    interactions: list[Interaction] = []
    problems: list[str] = []
    provenance = _provenance(path, document)
    for number, (line, value) in enumerate(_entries(path, document), 1):
        try:
            interactions.append(interaction_of(value, line))
            _check_end(document, value)
        except (Unexpected, UndecodableBody) as error:
            problems.append(f"{path}:{line}: interaction {number}: {error}")
    if problems:
        raise BadInput(*problems)
    return Cassette(path, tuple(interactions), provenance)


def _provenance(path: Path, document: CassetteDocument) -> Provenance | None:
    """What the top of the file says of it."""
    top = document.value
    if not isinstance(top, dict):
        return None  # reported with what the file is instead
    version = top.get("version")
    if isinstance(version, int) and version > _NEWEST:
        raise BadInput(
            f"{path}:{document.line('version')}: version: expected at most {_NEWEST}, got {version}; a newer recorder "
            "wrote this cassette: update the harness, or record anew"
        )
    try:
        return provenance_of(top[KEY]) if KEY in top else None
    except Unexpected as error:
        raise BadInput(f"{path}:{document.line(KEY)}: {error}") from error


def _check_end(document: CassetteDocument, interaction: dict[Any, Any]) -> None:
    """YAML that was cut off may still be YAML; but in a cassette of ours each interaction ends with our key."""
    if KEY in document.value and KEY not in interaction:
        raise Unexpected(f"expected '{KEY}' at its end; the file was cut off, or '{KEY}: {{}}' is to be added by hand")


def _entries(path: Path, document: CassetteDocument) -> Iterator[tuple[int, Any]]:
    """The interactions as they stand there, each with its line."""
    top = document.value
    if not isinstance(top, dict):
        raise BadInput(f"{path}:1: expected {_SUPPORTED}; got {shown(top)}")
    name = next((name for name in _LISTS if name in top), None)
    if name is None:
        members = ", ".join(map(str, list(top)[:6])) or "nothing"
        raise BadInput(f"{path}:1: expected {_SUPPORTED}; this has {_other_kind(top) or members}")
    if not isinstance(top[name], list):
        raise BadInput(f"{path}:1: {name}: expected a list of interactions, got {shown(top[name])}")
    yield from zip(document.lines(name), top[name], strict=True)


def _other_kind(top: dict[Any, Any]) -> str:
    """What the file is known to be instead; ``""`` when it is nothing known."""
    if "when" in top and "then" in top:
        return "'when' and 'then': a recording of httpmock"
    if isinstance(top.get("log"), dict) and "entries" in top["log"]:
        return "'log.entries': an HTTP archive (HAR)"
    if "request" in top and "response" in top:
        return "one 'request' and its 'response' at the top"
    if "messages" in top or "contents" in top or "input" in top:
        return "a request's history at the top; 'harness lint-request' judges a single request"
    return ""


def interaction_of(value: Any, line: int) -> Interaction:
    """A request with its response, in the names of any of these recorders.

    Raises ``Unexpected`` and ``UndecodableBody``.
    """
    if not isinstance(value, dict):
        raise Unexpected(f"expected 'request' and 'response', got {shown(value)}")
    request, response = member(value, "request", dict), member(value, "response", dict)
    request_headers, response_headers = headers_of(request, "request"), headers_of(response, "response")
    body, answer = body_of(request, "request"), body_of(response, "response") or b""
    ours = KEY in value
    if not ours:
        body = None if body is None else plain(body, request_headers)
        answer = plain(answer, response_headers)
    return Interaction(
        method=text_of(request, ("method",), "request").upper(),
        url=text_of(request, ("uri", "url"), "request"),
        request_headers=request_headers,
        request=body,
        status=_status(response),
        response_headers=response_headers,
        response=answer,
        line=line,
        delivery=delivery_of(value[KEY], len(answer)) if ours else None,
    )


def _status(response: dict[Any, Any]) -> int:
    """``status`` is an object with ``code``, a number, or (go-vcr) the whole status line beside ``code``."""
    status = response.get("status")
    found = (
        status.get("code") if isinstance(status, dict) else response.get("code", response.get("status_code", status))
    )
    return http_status(found, "response: status")


def plain(body: bytes, headers: Headers) -> bytes:
    """A body without its compression. Raises ``UndecodableBody``."""
    return decoded(body, ", ".join(headers.get("content-encoding", ())))
