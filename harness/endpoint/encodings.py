"""Request bodies as clients compress them: ``Content-Encoding`` gzip, deflate, br and zstd, one after another."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from importlib import import_module
from typing import Any, Final

LARGEST_BODY: Final = 64 * 1024 * 1024
"""Most bytes of a request body, both before and after decoding."""

_PIECE: Final = 1024 * 1024
_PART: Final = 16 * 1024
_MOST_MEMBERS: Final = 10_000
"""Most members of a gzip file, or frames of zstd: even an empty one costs time."""

_INSTALL: Final = "pip install 'agent-loop-harness[compression]'"


class Undecodable(ValueError):
    """A body that cannot be read. ``status`` is what a server answers: 400, 413 or 415."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


def decoded(body: bytes, encodings: str, largest: int = LARGEST_BODY) -> bytes:
    """Decode ``body``. ``encodings`` is the header ``Content-Encoding``: the encoding named last was applied last.

    Raises ``Undecodable`` for an encoding that is unknown or not installed (415), for a body that does not have the
    encoding (400), and for a body of more than ``largest`` bytes (413).
    """
    if not body:
        return body
    for name in reversed([each.strip().lower() for each in encodings.split(",")]):
        if name not in ("", "identity"):
            body = _decoded_body(body, name, largest)
    return body


def _decoded_body(body: bytes, name: str, largest: int) -> bytes:
    decoder = _DECODERS.get(name)
    if decoder is None:
        known = ", ".join(each for each in _DECODERS if not each.startswith("x-"))
        raise Undecodable(415, f"Content-Encoding {name!r} is not supported; send one of: {known}")
    pieces: list[bytes] = []
    size = 0
    for piece in decoder(body):
        size += len(piece)
        if size > largest:
            raise Undecodable(413, f"the request body is larger than {largest:,} bytes when it is decoded ({name})")
        pieces.append(piece)
    return b"".join(pieces)


def _gzip(body: bytes) -> Iterator[bytes]:
    """The decoded members of the file (RFC 1952)."""
    member, count = _gzip_member(), 1
    for part in _parts(body):
        while part:
            if member.eof:
                member, count = _gzip_member(), _one_more(count, "gzip")
            yield from _inflating(member, part, "gzip")
            part = member.unused_data
    yield from _rest_of_stream(member, "gzip")


def _gzip_member() -> Any:
    return zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)


def _parts(body: bytes) -> Iterator[bytes]:
    """The body in parts. Whenever a member ends, the rest of the part is copied, so parts must be small."""
    for at in range(0, len(body), _PART):
        yield body[at : at + _PART]


def _deflate(body: bytes) -> Iterator[bytes]:
    """Decode the zlib format (RFC 9110), or raw deflate without the zlib frame, as many clients send it."""
    framed = len(body) >= 2 and body[0] & 0x0F == 8 and int.from_bytes(body[:2], "big") % 31 == 0
    stream = zlib.decompressobj(wbits=zlib.MAX_WBITS if framed else -zlib.MAX_WBITS)
    yield from _inflated_pieces(stream, body, "deflate")
    if stream.unused_data:
        raise _broken("deflate", "bytes follow its end")


def _inflated_pieces(stream: Any, body: bytes, name: str) -> Iterator[bytes]:
    for part in _parts(body):
        if stream.eof:
            raise _broken(name, "bytes follow its end")
        yield from _inflating(stream, part, name)
    yield from _rest_of_stream(stream, name)


def _inflating(stream: Any, part: bytes, name: str) -> Iterator[bytes]:
    try:
        while part and not stream.eof:
            yield stream.decompress(part, _PIECE)
            part = stream.unconsumed_tail
    except zlib.error as error:
        raise _broken(name, error) from None


def _rest_of_stream(stream: Any, name: str) -> Iterator[bytes]:
    """The rest of a stream that must have ended."""
    try:
        yield stream.flush()
    except zlib.error as error:
        raise _broken(name, error) from None
    if not stream.eof:
        raise _broken(name, "it ends too early")


def _brotli(body: bytes) -> Iterator[bytes]:
    brotli = _module("br", "brotli")
    stream = brotli.Decompressor()
    try:
        piece = stream.process(body, output_buffer_limit=_PIECE)
        while piece:
            yield piece
            piece = b"" if stream.is_finished() else stream.process(b"", output_buffer_limit=_PIECE)
    except brotli.error as error:
        raise _broken("br", error) from None
    if not stream.is_finished():
        raise _broken("br", "it ends too early")


def _zstd(body: bytes) -> Iterator[bytes]:
    """The decoded frames (RFC 8878)."""
    zstd = _module("zstd", "compression.zstd", "backports.zstd")
    frame, count = zstd.ZstdDecompressor(), 1
    try:
        for part in _parts(body):
            while part:
                if frame.eof:
                    frame, count = zstd.ZstdDecompressor(), _one_more(count, "zstd")
                yield from _unfolding(frame, part)
                part = frame.unused_data
    except zstd.ZstdError as error:
        raise _broken("zstd", error) from None
    if not frame.eof:
        raise _broken("zstd", "it ends too early")


def _unfolding(frame: Any, part: bytes) -> Iterator[bytes]:
    yield frame.decompress(part, max_length=_PIECE)
    while not frame.eof and not frame.needs_input:
        yield frame.decompress(b"", max_length=_PIECE)


def _one_more(count: int, name: str) -> int:
    if count == _MOST_MEMBERS:
        raise _broken(name, f"it has more than {_MOST_MEMBERS:,} members")
    return count + 1


_DECODERS: Final[Mapping[str, Callable[[bytes], Iterator[bytes]]]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}


def _module(encoding: str, *names: str) -> Any:
    """The first of these modules that is installed. It is imported only when needed: few clients send such a body."""
    for name in names:
        with suppress(ImportError):
            return import_module(name)
    raise Undecodable(415, f"Content-Encoding {encoding!r} cannot be read without another package: {_INSTALL}")


def _broken(name: str, why: object) -> Undecodable:
    return Undecodable(400, f"the request body is not what its Content-Encoding says ({name}): {why}")
