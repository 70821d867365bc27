"""One exchange in the form of every format that is read, written here as the format's own library writes it."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path
from typing import Any

URL = "https://api.anthropic.com/v1/messages"
ASKED: dict[str, Any] = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hé?"}]}
ANSWER: dict[str, Any] = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [{"type": "text", "text": "✓"}],
    "stop_reason": "end_turn", "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
}  # fmt: skip
EVENTS: list[dict[str, Any]] = [
    {"type": "message_start", "message": {**ANSWER, "content": [], "stop_reason": None}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "✓"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
    {"type": "message_stop"},
]
STREAM = "".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in EVENTS)

_ASKED, _ANSWER = json.dumps(ASKED), json.dumps(ANSWER)
_JSON = "application/json"


def _base64(text: str | bytes) -> str:
    return base64.b64encode(text.encode() if isinstance(text, str) else text).decode()


def _dumped(value: Any) -> bytes:
    return json.dumps(value, indent=2, ensure_ascii=False).encode()


def chunked(body: bytes) -> bytes:
    """A body in chunks of HTTP/1.1."""
    pieces = [body[at : at + 40] for at in range(0, len(body), 40)]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def _httprr(request: bytes, response: bytes) -> bytes:
    return b"httprr trace v1\n%d %d\n%s%s" % (len(request), len(response), request, response)


def _named(**headers: str) -> list[dict[str, str]]:
    return [{"name": name.replace("_", "-"), "value": value} for name, value in headers.items()]


_PIECES = [gzip.compress(_ANSWER.encode(), mtime=0)[at : at + 30] for at in range(0, 400, 30)]
_HAR_REQUEST = {
    "method": "POST", "url": URL, "headers": _named(Content_Type=_JSON),
    "postData": {"mimeType": _JSON, "text": _ASKED},
}  # fmt: skip


def har(content: dict[str, Any], **headers: str) -> bytes:
    """An archive with one exchange whose answer has this content."""
    answered = {"status": 200, "headers": _named(Content_Type=_JSON, **headers), "content": content}
    log = {"version": "1.2", "creator": {"name": "x", "version": "1"}, "entries": []}
    return _dumped({"log": {**log, "entries": [{"request": _HAR_REQUEST, "response": answered}]}})


_STUB = {
    "id": "7", "request": {"url": "/v1/messages", "method": "POST", "bodyPatterns": [{"equalToJson": _ASKED}]},
    "response": {"status": 200, "body": _ANSWER, "headers": {"Content-Type": _JSON}},
    "uuid": "7", "persistent": True,
}  # fmt: skip
_HTTPMOCK = (Path(__file__).parent / "data" / "samples_httpmock.yaml").read_text(encoding="utf-8")
_TWICE = {"method": "POST", "headers": {"Content-Type": [_JSON]}, "body": _ASKED}
_ANSWERED = {"status": {"code": 200, "message": "OK"}, "headers": {"Content-Type": [_JSON]}}
_KINDS = {
    "callIndex": 0, "id": "1", "matchKey": "POST api.anthropic.com/v1/messages",
    "request": {"body": {"kind": "json", "value": ASKED}, "headers": {}, "method": "POST", "url": URL},
    "response": {"body": {"kind": "json", "value": ANSWER}, "headers": {"content-type": _JSON}, "status": 200},
}  # fmt: skip
_SESSION = {
    "RequestUri": URL, "RequestMethod": "POST", "RequestHeaders": {"Content-Type": _JSON}, "RequestBody": ASKED,
    "StatusCode": 200, "ResponseHeaders": {"Content-Type": _JSON}, "ResponseBody": ANSWER,
}  # fmt: skip
_REQ = {
    "model_spec": "anthropic:m", "provider": "anthropic",
    "request": {
        "body": {"b64": _base64(_ASKED)}, "canonical_json": ASKED,
        "headers": {"x-api-key": "[REDACTED:x-api-key]", "anthropic-version": ["2023-06-01"]},
        "method": "post", "url": URL,
    },
    "response": {"body": ANSWER, "headers": {"content-type": [_JSON]}, "status": 200},
}  # fmt: skip
_EVENTS_SENT = {"headers": {"content-type": "text/event-stream; charset=utf-8"}, "status": 200}

SAMPLES: dict[str, tuple[str, bytes]] = {
    "opencode": (
        "cassette",
        _dumped(
            {
                "version": 1,
                "metadata": {"name": "a", "recordedAt": "2026-05-05T20:08:42.597Z"},
                "interactions": [
                    {
                        "request": {"method": "POST", "url": URL, "headers": {"content-type": _JSON}, "body": _ASKED},
                        "response": {"status": 200, "headers": {"content-type": _JSON}, "body": _ANSWER},
                    }
                ],
            }
        ),
    ),
    "langchain-tests": (
        "langchain-tests",
        gzip.compress(
            _dumped(
                {
                    "requests": [{**_TWICE, "uri": URL}],
                    "responses": [{**_ANSWERED, "body": {"string": _ANSWER}}],
                }
            )
        ),
    ),
    "HAR": ("HAR", har({"mimeType": _JSON, "size": 9, "text": _ANSWER})),
    "HAR in base64": ("HAR", har({"mimeType": _JSON, "encoding": "base64", "text": _base64(_ANSWER)})),
    "HAR of Polly.js": (
        "HAR",
        har({"encoding": "base64", "text": json.dumps([*map(_base64, _PIECES)])}, Content_Encoding="gzip"),
    ),
    "httprr": (
        "httprr",
        _httprr(
            b"POST https://api.anthropic.com/v1/messages HTTP/1.1\r\nHost: api.anthropic.com\r\n\r\n" + _ASKED.encode(),
            b"HTTP/2.0 200 OK\r\nContent-Type: application/json\r\n\r\n" + _ANSWER.encode(),
        ),
    ),
    "httprr, chunked": (
        "httprr",
        _httprr(
            b"POST /v1/messages HTTP/1.1\r\nHost: api.anthropic.com\r\n\r\n" + _ASKED.encode(),
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked(_ANSWER.encode()),
        ),
    ),
    "httpmock": ("httpmock", _HTTPMOCK.format(asked=_ASKED, answer=_ANSWER).encode()),
    "WireMock": ("WireMock", _dumped(_STUB)),
    "WireMock, several": ("WireMock", _dumped({"mappings": [_STUB], "meta": {"total": 1}})),
    "SessionRecords": ("SessionRecords", _dumped({"Entries": [_SESSION], "Variables": {}})),
    "Braintrust": ("Braintrust", _dumped({"entries": [_KINDS], "meta": {"seed": "1"}, "version": 1})),
    "req_llm": ("req_llm", _dumped(_REQ)),
    "DataDog": (
        "one exchange",
        _dumped({"request": {**_TWICE, "url": URL}, "response": {**_ANSWERED, "body": _ANSWER}}),
    ),
    "DataDog, parsed": (
        "one exchange",
        _dumped({"request": {**_TWICE, "url": URL, "body": ASKED}, "response": {**_ANSWERED, "body": ANSWER}}),
    ),
}
"""By a name: the format that it is told to be, and the bytes."""

STREAMS: dict[str, tuple[str, bytes]] = {
    "HAR": ("HAR", har({"mimeType": "text/event-stream", "text": STREAM})),
    "SessionRecords": (
        "SessionRecords",
        _dumped(
            {
                "Entries": [
                    {
                        **_SESSION,
                        "ResponseHeaders": {"Content-Type": "text/event-stream; charset=utf-8"},
                        "ResponseBody": STREAM.splitlines(keepends=True),
                    }
                ]
            }
        ),
    ),
    "Braintrust": (
        "Braintrust",
        _dumped(
            {
                "entries": [
                    {
                        **_KINDS,
                        "response": {**_EVENTS_SENT, "body": {"kind": "sse", "chunks": STREAM.split("\n\n")[:-1]}},
                    }
                ]
            }
        ),
    ),
    "req_llm": (
        "req_llm",
        _dumped(
            {
                **_REQ,
                "chunks": [
                    {"b64": _base64(STREAM[at : at + 99]), "decoded": "..."} for at in range(0, len(STREAM), 99)
                ],
                "response": {**_EVENTS_SENT, "body": None},
            }
        ),
    ),
}
"""The same with a stream for an answer."""
