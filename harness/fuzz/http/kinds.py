"""The requests of examples: valid ones, refused ones, and malformed bytes.

Each kind has its right statuses, and what becomes of the connection. So an oracle needs no parser of its own.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from harness.fuzz.strategies.choices import Choices

CASE: Final = "a-case"
"""The case that is open at the server."""

DAMAGED: Final = "damaged"
"""The kind of a valid request with changed bytes: any well-formed answer is right."""

TRUNCATED: Final = "truncated"
"""The kind of a valid request that ends too early. Nothing may follow it, because that would complete it."""

Make = Callable[[Choices], bytes]

_ANY: Final = frozenset(range(200, 500)) | {501, 503, 505}


@dataclass(frozen=True, slots=True)
class Kind:
    """``make`` returns the bytes. ``statuses`` are the right ones of its one answer, ``says`` is in its body.

    ``ends``: the connection ends after it. ``asks``: it is a request of the case, which its record must have. ``head``:
    the answer has no body. ``free``: any number of well-formed answers is right.
    """

    make: Make
    statuses: frozenset[int]
    says: bytes = b""
    ends: bool = False
    asks: bool = False
    head: bool = False
    free: bool = False


# --- how requests are written ---------------------------------------------------------------------------------------

_CHAT: Final = "/v1/chat/completions"
_HOSTS: Final = ("127.0.0.1", "localhost:8080", "LocalHost", "[::1]:1", "a.localhost")
_FOREIGN: Final = ("evil.example", "127.0.0.1.evil.example:80", "192.0.2.1", "localhost@evil.example", "")
_ORIGINS: Final = ("https://evil.example", "null", "http://127.0.0.1.evil.example", "http://[", "x")
_ODD: Final = ("", "x-a: ", "X-A:1\r\nx-a:\t2", "accept: */*", f"x-long: {'y' * 3000}", "te: trailers", "x-e: é")
_TEXTS: Final = ("hi", "", "é😀", '"\\\n', "x" * 5000)
_BODIES: Final = (b"", b"{", b"[]", b"null", b"\xff\xfe", b"\x00" * 50, b'{"messages":5}', b"[" * 3000, b'{"a":' * 600)


def _case(path: str) -> str:
    return f"/case/{CASE}{path}"


def _lines(choices: Choices, first: str, *headers: str, host: str | None = "") -> bytes:
    """The head of a request; ``host`` empty for any of this machine's names, None for no header."""
    odd = choices.of(_ODD)
    hosts = [] if host is None else [f"host: {host or choices.of(_HOSTS)}"]
    lines = [first, *hosts, *headers, *([odd] if odd else []), "", ""]
    return "\r\n".join(lines).encode("latin-1")


def _post(choices: Choices, body: bytes, *headers: str, path: str = _CHAT, host: str = "") -> bytes:
    first = f"POST {_case(path)} HTTP/1.1"
    return _lines(choices, first, *headers, f"content-length: {len(body)}", host=host) + body


def _chat(choices: Choices) -> bytes:
    body = {"model": "gpt-4.1", "messages": [{"role": "user", "content": choices.of(_TEXTS) or "a"}]}
    return json.dumps(body | ({"stream": True} if choices.below(2) else {})).encode()


def _chunks(choices: Choices, body: bytes) -> bytes:
    size = choices.of((1000, 1, 7, 300))
    extension = choices.of((b"", b";a=b", b';q="x y"'))
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    chunks = b"".join(b"%X%b\r\n%b\r\n" % (len(part), extension, part) for part in parts)
    trailer = choices.of((b"", b"x-t: 1\r\n", b"host: evil.example\r\n"))
    return chunks + b"0\r\n" + trailer + b"\r\n"


def _get(path: str, *headers: str, method: str = "GET", version: str = "1.1", host: str | None = "") -> Make:
    return lambda choices: _lines(choices, f"{method} {path} HTTP/{version}", *headers, host=host)


def _head_with(*headers: str) -> Make:
    """A head that the server must refuse, and bytes after it."""
    return lambda choices: _lines(choices, f"POST {_case(_CHAT)} HTTP/1.1", *headers) + choices.of((b"", b"abc"))


def _raw(*texts: bytes) -> Make:
    return lambda choices: choices.of(texts)


def _broken_chunks(choices: Choices) -> bytes:
    head = _lines(choices, f"POST {_case(_CHAT)} HTTP/1.1", "transfer-encoding: chunked")
    return head + choices.of(
        (b"zz\r\n", b"-1\r\n", b"3\r\nabcd\r\n", b"\r\n", b"fffffffffffffffff\r\n", b"1 \x00\r\na\r\n")
    )


def _truncated_chat(choices: Choices) -> bytes:
    whole = _post(choices, _chat(choices))
    return whole[: 1 + (choices.below(256) * 256 + choices.below(256)) % (len(whole) - 1)]


def _damaged_request(choices: Choices) -> bytes:
    """A valid request in which up to four bytes, or runs of bytes, are replaced."""
    text = bytearray(choices.of(_VALID)(choices))
    for _ in range(1 + choices.below(4)):
        at = (choices.below(256) * 256 + choices.below(256)) % (len(text) + 1)
        gone = choices.of((1, 0, 1, 4, 30))
        text[at : at + gone] = choices.of(_TOKENS) or bytes([choices.below(256)])
    return bytes(text)


_TOKENS: Final = (
    *(
        b"",
        b"",
        b"",
        b"\r\n",
        b"\n",
        b"\r",
        b"\x00",
        b":",
        b" ",
        b"\t",
        b"\r\n\r\n",
        b"\r\n ",
        b"HTTP/1.1",
        b"0\r\n\r\n",
    ),
    *(b"content-length: 5\r\n", b"transfer-encoding: chunked\r\n", b"host: x\r\n", b"upgrade: h2c\r\n", b"\xff\xfe"),
    *(b"connection: upgrade\r\n", b"connection: close\r\n", b"expect: 100-continue\r\n", b"9999999999", b"-", b"%00"),
)

# --- the kinds --------------------------------------------------------------------------------------------------------


def _answer(make: Make, *, says: bytes = b"", status: int = 200, asks: bool = True, ends: bool = False) -> Kind:
    return Kind(make, frozenset({status}), says, ends=ends, asks=asks)


def _refusal(make: Make, status: int) -> Kind:
    """Bytes that the server must refuse: one answer, and the connection ends."""
    return Kind(make, frozenset({status}), b'"error"', ends=True)


_MODELS: Final = _case("/v1/models")

_SERVED: Final[Mapping[str, Kind]] = {
    "chat": _answer(lambda c: _post(c, _chat(c)), says=b"chat.completion"),
    "chat-in-chunks": _answer(
        lambda c: _lines(c, f"POST {_case(_CHAT)} HTTP/1.1", "transfer-encoding: Chunked") + _chunks(c, _chat(c)),
        says=b"chat.completion",
    ),
    "chat-compressed": _answer(
        lambda c: _post(c, gzip.compress(_chat(c), mtime=0), "content-encoding: gzip"), says=b"chat.completion"
    ),
    "chat-that-waits": _answer(lambda c: _post(c, _chat(c), "expect: 100-continue"), says=b"chat.completion"),
    "chat-of-a-page-here": _answer(
        lambda c: _post(c, _chat(c), "origin: http://localhost:3000", "sec-fetch-site: same-site"),
        says=b"chat.completion",
    ),
    "chat-that-offers-http2": _answer(
        lambda c: _post(c, _chat(c), "connection: Upgrade, HTTP2-Settings", "upgrade: h2c", "http2-settings: AAE"),
        says=b"chat.completion",
    ),
    "absolute-target": _answer(_get(f"http://127.0.0.1:9{_MODELS}"), says=b'"data"', asks=False),
    "models": _answer(_get(_MODELS), says=b'"data"', asks=False),
    "models-behind-blank-lines": _answer(lambda c: b"\r\n\r\n" + _get(_MODELS)(c), says=b'"data"', asks=False),
    "get-with-a-body": _answer(
        lambda c: _lines(c, f"GET {_MODELS} HTTP/1.1", "content-length: 3") + b"abc", says=b'"data"', asks=False
    ),
    "options": Kind(_get("*", method="OPTIONS"), frozenset({204})),
    "head": Kind(_get(_MODELS, method="HEAD"), frozenset({200}), head=True),
    "head-of-nothing": Kind(_get("/nothing", method="HEAD"), frozenset({404}), head=True),
    "nothing": _answer(_get("/nothing?x=1"), status=404, says=b'"error"', asks=False),
    "no-such-path": _answer(_get(_case("/v1/files")), status=404, says=b'"error"', asks=False),
    "websocket": _answer(
        _get(_case("/v1/responses"), "connection: upgrade", "upgrade: websocket"), status=426, asks=False
    ),
    "odd-body": Kind(lambda c: _post(c, c.of(_BODIES)), frozenset({400}), b'"error"', asks=True),
    "odd-body-elsewhere": Kind(
        lambda c: _post(c, c.of(_BODIES), path=c.of(("/v1/messages", "/v1/responses"))),
        frozenset({400, 401}),
        asks=True,
    ),
    "no-gzip": _answer(lambda c: _post(c, b"abc", "content-encoding: gzip"), status=400, asks=False),
    "unknown-encoding": _answer(lambda c: _post(c, b"abc", "content-encoding: rot13"), status=415, asks=False),
    "foreign-host": _answer(
        lambda c: _post(c, _chat(c), host=c.of(_FOREIGN) or "."), status=403, says=b"expected the host", asks=False
    ),
    "foreign-page": _answer(
        lambda c: _post(c, _chat(c), f"origin: {c.of(_ORIGINS)}"),
        status=403,
        says=b"a page of this machine",
        asks=False,
    ),
    "page-without-origin": _answer(
        _get(_MODELS, "sec-fetch-site: cross-site"), status=403, says=b"a page of this machine", asks=False
    ),
    "foreign-target": _answer(
        _get("http://api.example/v1/models"), status=403, says=b"outbound traffic is not allowed", asks=False
    ),
}

_LAST: Final[Mapping[str, Kind]] = {
    "tunnel": _answer(_get("api.example:443", method="CONNECT"), status=403, asks=False, ends=True),
    "old": _answer(_get(_MODELS, version="1.0", host=None), says=b'"data"', asks=False, ends=True),
    "closing": _answer(_get(_MODELS, "connection: close"), says=b'"data"', asks=False, ends=True),
}

_BROKEN: Final[Mapping[str, Kind]] = {
    "two-lengths": _refusal(_head_with("content-length: 3", "content-length: 4"), 400),
    "a-list-of-lengths": _refusal(_head_with("content-length: 3, 3"), 400),
    "negative-length": _refusal(_head_with("content-length: -3"), 400),
    "odd-length": _refusal(_head_with("content-length: 0x3"), 400),
    "endless-length": _refusal(_head_with(f"content-length: {'9' * 30}"), 400),
    "length-and-chunks": _refusal(_head_with("content-length: 3", "transfer-encoding: chunked"), 400),
    "chunks-and-length": _refusal(_head_with("transfer-encoding: chunked", "content-length: 3"), 400),
    "chunks-before-gzip": _refusal(_head_with("transfer-encoding: chunked, gzip"), 400),
    "gzip-below-chunks": _refusal(_head_with("transfer-encoding: gzip, chunked"), 501),
    "chunks-of-old": _refusal(_get("/", "transfer-encoding: chunked", version="1.0"), 400),
    "broken-chunks": _refusal(_broken_chunks, 400),
    "folded-header": _refusal(_head_with("x-f: a\r\n b"), 400),
    "nul-in-a-header": _refusal(_head_with("x-n: a\x00b"), 400),
    "space-in-a-name": _refusal(_head_with("x y: a"), 400),
    "space-behind-a-name": _refusal(_head_with("x-s : a"), 400),
    "no-name": _refusal(_head_with(": a"), 400),
    "no-host": _refusal(_get("/", host=None), 400),
    "two-hosts": _refusal(_get("/", "host: localhost"), 400),
    "raw-path": _refusal(_raw(b"GET /\xff HTTP/1.1\r\nhost: localhost\r\n\r\n", b"GET / a HTTP/1.1\r\n\r\n"), 400),
    "no-path": _refusal(_get("nothing"), 400),
    "lf-only": _refusal(_raw(b"GET / HTTP/1.1\nhost: localhost\n\n"), 400),
    "no-method": _refusal(
        _raw(b"HELLO / HTTP/1.1\r\nhost: localhost\r\n\r\n", b"\x00", b"get / HTTP/1.1\r\n\r\n"), 400
    ),
    "tls": _refusal(_raw(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x55" * 40), 400),
    "http2": _refusal(_raw(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 400),
    "http2-request": _refusal(_get("/", version="2.0"), 505),
    "http-0.9": _refusal(_raw(b"GET /\r\n\r\n"), 505),
    "unmet-expectation": _refusal(_head_with("expect: 200-ok", "content-length: 3"), 417),
    "too-large": _refusal(_head_with("content-length: 70000000"), 413),
    "long-head": _refusal(_head_with(f"x-long: {'y' * 140_000}"), 431),
    TRUNCATED: _refusal(_truncated_chat, 400),
}

_VALID: Final = tuple(kind.make for name, kind in _SERVED.items() if not name.startswith("head"))
"""The requests that are damaged. ``HEAD`` is not among them, because whether an answer has a body depends on the
method."""

KINDS: Final[Mapping[str, Kind]] = {
    **_SERVED,
    **_LAST,
    **_BROKEN,
    DAMAGED: Kind(_damaged_request, _ANY, ends=True, free=True),
}
"""All kinds by name, the simplest first."""
