"""Places in which a secret may be in an exchange: each plants a text, the way clients, servers and tools write it."""

from __future__ import annotations

import base64
import gzip
import json
import zlib
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import brotli
from backports import zstd

from harness.cassette import Interaction
from tests.secrets.planting import JSON_TYPE, STREAM_TYPE, interaction, stream
from tests.secrets.planting import POSITIONS as OLD

Place = Callable[[str], Interaction]


def _json(value: object) -> bytes:
    return json.dumps(value).encode()


def _text(body: bytes | str, kind: str = "text/plain", **more: str) -> Interaction:
    headers = {"content-type": (kind,), **{name.replace("_", "-"): (value,) for name, value in more.items()}}
    return interaction(response_headers=headers, response=body.encode() if isinstance(body, str) else body)


def _sent(body: bytes | str, kind: str, **more: str) -> Interaction:
    headers = {"content-type": (kind,), **{name.replace("_", "-"): (value,) for name, value in more.items()}}
    return interaction(request_headers=headers, request=body.encode() if isinstance(body, str) else body)


def _b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _in_pieces(text: str, size: int = 3) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def _sse(events: list[object], end: str = "\n") -> Interaction:
    body = "".join(f"data: {json.dumps(event)}{end}{end}" for event in events)
    return interaction(response_headers=STREAM_TYPE, response=body.encode())


def _alternating(text: str) -> Interaction:
    names = ("content", "reasoning_content")
    return _sse(
        [{"choices": [{"index": 0, "delta": {names[i % 2]: piece}}]} for i, piece in enumerate(_in_pieces(text))]
    )


def _eventstream(text: str) -> Interaction:
    payload = _json({"bytes": _b64(json.dumps({"type": "delta", "text": text}))})
    frame = b"\x00\x00\x00\xff\x00\x00\x00\x4b:event-type\x07\x00\x05chunk" + payload + b"\x8f\x1a\x02\x00"
    return _text(frame, "application/vnd.amazon.eventstream")


def _split_messages(text: str) -> Interaction:
    half = len(text) // 2
    said = [{"role": "user", "content": text[:half]}, {"role": "user", "content": text[half:]}]
    return interaction(request=_json({"model": "m", "messages": said}))


def _mime(text: str) -> str:
    return base64.encodebytes(
        f"A note of some length, so that there are lines.\n{text}\nThe end of it.".encode()
    ).decode()


def _multipart(text: str, *, name: bool = False) -> Interaction:
    flat = text.replace("\n", " ")
    part = f'Content-Disposition: form-data; name="file"; filename="{flat if name else "a.txt"}"\r\n\r\n'
    return _sent(f"--b\r\n{part}{'x' if name else text}\r\n--b--\r\n", "multipart/form-data; boundary=b")


PLACES: dict[str, Place] = {
    **{name.removeprefix("in_"): place for name, place in OLD.items()},
    "json value": lambda text: interaction(response=_json({"a": text})),
    "json name": lambda text: interaction(response=_json({text: 1})),
    "json in json in json": lambda text: interaction(request=_json({"a": json.dumps({"b": json.dumps({"c": text})})})),
    "unicode escapes": lambda text: _text(
        '{"a": "' + "".join(f"\\u{ord(each):04x}" for each in text) + '"}', "application/json"
    ),
    "base64 twice": lambda text: interaction(response=_json({"a": _b64(_b64(f"note: {text} (é)"))})),
    "double percent": lambda text: interaction(url="https://a.example/x?u=" + quote(quote(text, safe=""), safe="")),
    "url path": lambda text: interaction(url=f"https://a.example/v1/{quote(text, safe='')}/x"),
    "multipart part": _multipart,
    "multipart filename": lambda text: _multipart(text, name=True),
    "ndjson": lambda text: _text(f"{json.dumps({'a': 1})}\n{json.dumps({'a': text})}\n", "application/x-ndjson"),
    "content-type parameter": lambda text: _text("x", f'text/plain; note="{text.replace(chr(10), " ")}"'),
    "unknown header": lambda text: interaction(response_headers={**JSON_TYPE, "X-Odd": (text.replace("\n", " "),)}),
    "chat stream": lambda text: _sse(
        [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in _in_pieces(text)]
    ),
    "crlf stream": lambda text: _sse(
        [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in _in_pieces(text)], "\r\n"
    ),
    "responses stream": lambda text: _sse(
        [{"type": "response.output_text.delta", "output_index": 0, "delta": piece} for piece in _in_pieces(text)]
    ),
    "gemini stream": lambda text: _sse(
        [{"candidates": [{"content": {"parts": [{"text": piece}]}}]} for piece in _in_pieces(text)]
    ),
    "base64 over events": lambda text: stream(
        [{"type": "delta", "index": 0, "data": piece} for piece in _in_pieces(_b64(f"A note: {text} (é)"), 7)]
    ),
    "comment line": lambda text: _text(f": {text.replace(chr(10), ' ')}\n\ndata: {{}}\n\n", "text/event-stream"),
    "binary event stream": _eventstream,
    "two members in turn": _alternating,
    "split over messages": _split_messages,
    "form body": lambda text: _sent(f"a=1&note={quote_plus(text)}&b=2", "application/x-www-form-urlencoded"),
    "html entities": lambda text: _text(
        "<p>" + text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;") + "</p>", "text/html"
    ),
    "numeric entities": lambda text: _text("<p>" + "".join(f"&#{ord(each)};" for each in text) + "</p>", "text/html"),
    "hex entities": lambda text: _text("<p>" + "".join(f"&#x{ord(each):x};" for each in text) + "</p>", "text/html"),
    "mime lines": lambda text: _text(_mime(text), "message/rfc822"),
    "mime lines in json": lambda text: interaction(response=_json({"mail": _mime(text)})),
    "zero width": lambda text: interaction(response=_json({"a": "\u200b".join(text)})),
    "zero width raw": lambda text: _text("\u2060".join(text)),
    "hex": lambda text: interaction(response=_json({"a": f"note: {text}.".encode().hex()})),
    "upper hex": lambda text: _text(f"note: {text}.".encode().hex().upper()),
    "utf-16": lambda text: _text(f"It is {text} then.".encode("utf-16"), "text/plain; charset=utf-16"),
    "utf-16 be": lambda text: _text(f"It is {text} then.".encode("utf-16-be")),
    "gzip response": lambda text: _text(gzip.compress(_json({"a": text})), "application/json", content_encoding="gzip"),
    "gzip request": lambda text: _sent(gzip.compress(_json({"a": text})), "application/json", content_encoding="gzip"),
    "zstd request": lambda text: _sent(zstd.compress(_json({"a": text})), "application/json", content_encoding="zstd"),
    "deflate response": lambda text: _text(
        zlib.compress(_json({"a": text + "\u00e9" * 40})), "application/json", content_encoding="deflate"
    ),
    "brotli response": lambda text: _text(
        brotli.compress(_json({"a": text + "x" * 400})), "application/json", content_encoding="br"
    ),
    "gzip in base64": lambda text: interaction(
        response=_json({"a": base64.b64encode(gzip.compress(f"A note: {text}".encode(), mtime=0)).decode()})
    ),
    "xml": lambda text: _text(f"<a><b>{text.replace('&', '&amp;').replace('<', '&lt;')}</b></a>", "application/xml"),
    "markdown": lambda text: _text(f"# A title\n\n```sh\n{text}\n```\n", "text/markdown"),
    "terminal output": lambda text: interaction(request=_json({"a": f"\x1b[1mkey\x1b[0m {text}\x1b[0m"})),
}
