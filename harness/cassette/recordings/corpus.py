"""Recorded exchanges, read from the one plain form that all recordings were brought into.

A corpus is a folder with ``exchanges.jsonl.gz`` (or ``exchanges.jsonl``), one JSON object per line and HTTP exchange:

    file, index      the recording and the place in it; provider, api, fidelity: what the collector says of it
    group            null, or the name of the loop whose recordings lie in several files
    request          {method, url, headers, body}, or null
    response         {status, headers, body}; status null where only the body was kept
    body             {"text": ...} or {"base64": ...}, content-encoding undone, or null
"""

from __future__ import annotations

import base64
import binascii
import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness.cassette import Cassette, Headers, RecordedFile
from harness.cassette.recordings.recording import ForeignRecording, RecordedExchange
from harness.errors import BadInput

CORPUS_FILES = ("exchanges.jsonl.gz", "exchanges.jsonl")
"""The names of the file that makes a folder a corpus."""
_MOST_PROBLEMS = 10
"""Broken lines that are reported one by one; a file of another kind is broken in every line."""


def exchanges_of(cassette: Cassette | RecordedFile, name: str) -> Iterator[RecordedExchange]:
    """The interactions of a file as exchanges of a recording ``name``; their numbers are their lines."""
    for interaction in cassette.interactions:
        yield RecordedExchange(
            file=name,
            index=interaction.line,
            provider="",
            api=interaction.wire or "",
            fidelity="wire" if interaction.wire is None else "response-only",
            method=interaction.method or "POST",
            url=interaction.url,
            request=interaction.request,
            status=interaction.status,
            headers=_joined_headers(interaction.response_headers),
            response=interaction.response,
            request_headers=_joined_headers(interaction.request_headers),
        )


def _joined_headers(headers: Headers) -> dict[str, str]:
    return {name: ", ".join(values) for name, values in headers.items()}


def read_corpus(folder: Path) -> ForeignRecording:
    """Every exchange of a corpus, in the order of the file.

    Raises ``BadInput`` when the folder or the file is not there or contains something else; each broken line is
    reported with its number.
    """
    path = _file_of(folder)
    exchanges: list[RecordedExchange] = []
    problems: list[str] = []
    for number, line in _lines(path):
        try:
            exchanges.append(_recorded_exchange(json.loads(line)))
        except json.JSONDecodeError as error:
            problems.append(f"{path}:{number}:{error.colno}: expected one JSON object per line: {error.msg}")
        except RecursionError:
            problems.append(f"{path}:{number}: expected an exchange, got JSON that is nested too deeply")
        except _NoExchange as error:
            problems.append(f"{path}:{number}: {error}")
    if problems:
        more = [f"{path}: {len(problems) - _MOST_PROBLEMS} more lines like these"] * (len(problems) > _MOST_PROBLEMS)
        raise BadInput(*problems[:_MOST_PROBLEMS], *more)
    if not exchanges:
        raise BadInput(f"{path}: contains no exchange; expected one JSON object per line")
    return ForeignRecording(path=folder, exchanges=tuple(exchanges))


# --- the file -----------------------------------------------------------------------------------------------


def _file_of(folder: Path) -> Path:
    if not folder.is_dir():
        kind = "is not a folder" if folder.exists() else "does not exist"
        raise BadInput(f"{folder}: {kind}; expected the folder that contains {CORPUS_FILES[0]}")
    for name in CORPUS_FILES:
        if (folder / name).is_file():
            return folder / name
    raise BadInput(f"{folder}: contains no {' and no '.join(CORPUS_FILES)}; expected a folder of recorded exchanges")


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, with their numbers."""
    number = 0
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield number, line.decode().rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}:{number}: expected UTF-8, got byte 0x{error.object[error.start]:02x}") from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise BadInput(f"{path}:{number + 1}: broken gzip data: {error}; copy or unpack the file anew") from error
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror or error}") from error


class _NoExchange(Exception):
    """A line that is JSON and no exchange; the text names the wrong member."""


def _recorded_exchange(line: Any) -> RecordedExchange:
    if not isinstance(line, dict):
        raise _NoExchange(f"expected an object with file, index, request and response, got {_kind(line)}")
    request = _member(line, "request", dict, None) or {}
    response = _member(line, "response", dict)
    status = _member(response, "status", int, None)
    return RecordedExchange(
        file=_member(line, "file", str),
        index=_member(line, "index", int),
        provider=_member(line, "provider", str),
        api=_member(line, "api", str),
        fidelity=_member(line, "fidelity", str, None) or "",
        method=_member(request, "method", str, None) or "POST",
        url=_member(request, "url", str, None) or "",
        request=_body(request),
        status=200 if status is None else status,
        headers=_headers(response),
        response=_body(response),
        request_headers=_headers(request),
        group=_member(line, "group", str, None) or "",
    )


def _member(holder: dict[str, Any], name: str, kind: type, *otherwise: None) -> Any:
    """A member of the wanted type. If ``otherwise`` contains None, it may be null or missing."""
    value = holder.get(name)
    if value is None and otherwise:
        return None
    if not isinstance(value, kind) or isinstance(value, bool):
        raise _NoExchange(f"{name}: expected {_KINDS[kind]}, got {_kind(value)}")
    return value


_KINDS = {dict: "an object", str: "text", int: "a whole number"}


def _kind(value: Any) -> str:
    return "nothing" if value is None else f"{json.dumps(value):.40}"


def _headers(message: dict[str, Any]) -> dict[str, str]:
    """The first value of each header; recorders write one text or a list of them."""
    headers = _member(message, "headers", dict, None) or {}
    firsts = {name.lower(): value[0] if isinstance(value, list) and value else value for name, value in headers.items()}
    return {name: value for name, value in firsts.items() if isinstance(value, str)}


def _body(holder: dict[str, Any]) -> bytes | None:
    body = _member(holder, "body", dict, None)
    if body is None:
        return None
    if isinstance(text := body.get("text"), str):
        return text.encode("utf-8", "surrogatepass")
    try:
        return base64.b64decode(_member(body, "base64", str), validate=True)
    except binascii.Error as error:
        raise _NoExchange(f"body: base64: {error}") from error
