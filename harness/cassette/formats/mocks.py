"""What mock servers recorded: httpmock (Rust) and WireMock (Java). What they match with is read as what was asked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from harness.cassette.formats.bodies import exchange, from_base64, pairs
from harness.cassette.formats.content import Content
from harness.cassette.formats.model import Entry, RecordingFormat
from harness.cassette.interaction import Headers, Interaction
from harness.cassette.members import Unexpected, as_json, encoded, headers_of, http_status, member, shown
from harness.ground.encoding import MOST_BYTES

# --- httpmock -----------------------------------------------------------------------------------------------


def _is_httpmock(content: Content) -> bool:
    return all(isinstance(each.value, dict) and {"when", "then"} <= each.value.keys() for each in content.documents)


def _httpmock(content: Content) -> Iterator[Entry]:
    for document in content.documents:
        yield document.first, partial(_when_then, document.value, document.first)


def _when_then(value: dict[str, Any], line: int) -> Interaction:
    when, then = member(value, "when", dict), member(value, "then", dict)
    path, method = when.get("path"), when.get("method")
    if not isinstance(path, str) or not isinstance(method, str):
        raise Unexpected("when: expected 'path' and 'method'; this mock was written by hand, not recorded")
    query = [(each["name"], each.get("value", "")) for each in when.get("query_param") or () if isinstance(each, dict)]
    url = f"{path}?{urlencode(query)}" if query else path
    asked = (method, url, pairs(when.get("header"), "when: header"), _httpmock_body(when, "when"))
    answered = (
        http_status(then.get("status"), "then: status"),
        pairs(then.get("header"), "then: header"),
        _httpmock_body(then, "then") or b"",
    )
    return exchange(line, asked, answered)


def _httpmock_body(holder: dict[str, Any], where: str) -> bytes | None:
    if "body_base64" in holder:
        return from_base64(holder["body_base64"], f"{where}: body_base64")
    if holder.get("json_body") is not None:
        return as_json(holder["json_body"])
    body = holder.get("body")
    if body is None or isinstance(body, bytes):
        return body
    if not isinstance(body, str):
        raise Unexpected(f"{where}: body: expected text, got {shown(body)}")
    return encoded(body)


HTTPMOCK: Final = RecordingFormat(
    "httpmock", "YAML documents with 'when' and 'then' (Rust's httpmock)", _is_httpmock, _httpmock
)

# --- WireMock -----------------------------------------------------------------------------------------------

_URLS: Final = ("url", "urlPath")
_PATTERNS: Final = ("urlPattern", "urlPathPattern", "urlPathTemplate")
_ANSWERS: Final = ("status", "body", "jsonBody", "base64Body", "bodyFileName")
_FILES: Final = "__files"


def _is_wiremock(content: Content) -> bool:
    mappings = content.top.get("mappings")
    return _is_mapping(content.top) or (
        isinstance(mappings, list) and bool(mappings) and all(map(_is_mapping, mappings))
    )


def _is_mapping(value: Any) -> bool:
    """A stub matches a path; a recorded request has a whole address, and a body."""
    if not isinstance(value, dict):
        return False
    request, response = value.get("request"), value.get("response")
    if not isinstance(request, dict) or not isinstance(response, dict) or "body" in request:
        return False
    path = next((request[name] for name in (*_URLS, *_PATTERNS) if name in request), None)
    return isinstance(path, str) and "://" not in path and any(name in response for name in _ANSWERS)


def _wiremock(content: Content) -> Iterator[Entry]:
    (document,) = content.documents
    if "mappings" not in content.top:
        yield 1, partial(_mapping, content.path, content.top, 1)
        return
    for line, value in zip(document.lines("mappings"), content.top["mappings"], strict=True):
        yield line, partial(_mapping, content.path, value, line)


def _mapping(path: Path, value: dict[str, Any], line: int) -> Interaction:
    request, response = value["request"], value["response"]
    url = next((request[name] for name in _URLS if name in request), None)
    if url is None:
        raise Unexpected("request: has a pattern in place of its 'url': a stub written by hand, not recorded")
    if "fault" in response or "proxyBaseUrl" in response:
        raise Unexpected("response: is a fault or a proxy, no recorded answer")
    asked = (str(request.get("method", "ANY")), url, _equal_headers(request.get("headers")), _matched_body(request))
    answered = (
        http_status(response.get("status", 200), "response: status"),
        headers_of(response, "response"),
        _answered_body(path, response),
    )
    return exchange(line, asked, answered)


def _equal_headers(headers: Any) -> Headers:
    """The headers that must be equal: of others the value is not known."""
    if not isinstance(headers, dict):
        return {}
    equal = {name: rule["equalTo"] for name, rule in headers.items() if isinstance(rule, dict) and "equalTo" in rule}
    return {str(name).lower(): (str(value),) for name, value in equal.items()}


def _matched_body(request: dict[str, Any]) -> bytes | None:
    """The body that a recorded stub asks for; None where it asks for none, or for a part of one."""
    for pattern in request.get("bodyPatterns") or ():
        if not isinstance(pattern, dict):
            continue
        wanted = pattern.get("equalToJson")
        if wanted is not None:
            return wanted.encode() if isinstance(wanted, str) else as_json(wanted)
        if isinstance(pattern.get("equalTo"), str):
            return str(pattern["equalTo"]).encode()
        if "binaryEqualTo" in pattern:
            return from_base64(pattern["binaryEqualTo"], "request: bodyPatterns: binaryEqualTo")
    return None


def _answered_body(path: Path, response: dict[str, Any]) -> bytes:
    if "jsonBody" in response:
        return as_json(response["jsonBody"])
    if "base64Body" in response:
        return from_base64(response["base64Body"], "response: base64Body")
    if "bodyFileName" in response:
        return _file(path, response["bodyFileName"])
    body = response.get("body", "")
    if not isinstance(body, str):
        raise Unexpected(f"response: body: expected text, got {shown(body)}")
    return encoded(body)


def _file(path: Path, name: Any) -> bytes:
    """A body in ``__files``, which lies beside the folder of the mappings."""
    folder = next((each / _FILES for each in path.resolve().parents[:3] if (each / _FILES).is_dir()), None)
    if folder is None:
        raise Unexpected(f"response: bodyFileName: there is no folder {_FILES} beside the mappings")
    file = (folder / str(name)).resolve()
    if not file.is_relative_to(folder):
        raise Unexpected(f"response: bodyFileName: expected a file in {_FILES}, got {json.dumps(name):.60}")
    try:
        with file.open("rb") as opened:
            body = opened.read(MOST_BYTES + 1)
    except OSError as error:
        raise Unexpected(f"response: bodyFileName: {name} cannot be read: {error.strerror or error}") from error
    if len(body) > MOST_BYTES:
        raise Unexpected(f"response: bodyFileName: {name} is too long")
    return body


WIREMOCK: Final = RecordingFormat(
    "WireMock",
    "'request' with the path and 'response', alone or in a list 'mappings' (WireMock)",
    _is_wiremock,
    _wiremock,
)
