"""Request bodies as clients compress them: ``Content-Encoding`` gzip, deflate, br and zstd, one after another."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from importlib import import_module
from typing import Any, Final

__all__ = ["LARGEST_BODY", "Undecodable", "decoded"]

LARGEST_BODY: Final = 64 * 1024 * 1024
"""Bytes of a request body, as it arrives and when it is decoded."""

_PIECE: Final = 1024 * 1024
_INSTALL: Final = "pip install 'agent-loop-harness[compression]'"


class Undecodable(ValueError):
    """A body that cannot be read. ``status`` is what a server answers: 400, 413 or 415."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


def decoded(body: bytes, encodings: str, largest: int = LARGEST_BODY) -> bytes:
    """``body`` without the encodings that the header ``Content-Encoding`` names, the last of which was applied last.

    Raises ``Undecodable`` for an encoding that is not known or not installed (415), for a body that is not encoded so
    (400), and for one of more than ``largest`` bytes (413).
    """
    if not body:
        return body
    for name in reversed([each.strip().lower() for each in encodings.split(",")]):
        if name not in ("", "identity"):
            body = _decoded(body, name, largest)
    return body


def _decoded(body: bytes, name: str, largest: int) -> bytes:
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
    """Every member of the file, as RFC 1952 has it."""
    while True:
        member = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        yield from _inflated(member, body, "gzip")
        body = member.unused_data
        if not body:
            return


def _deflate(body: bytes) -> Iterator[bytes]:
    """In the zlib format, as RFC 9110 has it, or without its frame, as many clients send it."""
    framed = len(body) >= 2 and body[0] & 0x0F == 8 and int.from_bytes(body[:2], "big") % 31 == 0
    stream = zlib.decompressobj(wbits=zlib.MAX_WBITS if framed else -zlib.MAX_WBITS)
    yield from _inflated(stream, body, "deflate")
    if stream.unused_data:
        raise _broken("deflate", "bytes follow its end")


def _inflated(stream: Any, body: bytes, name: str) -> Iterator[bytes]:
    try:
        while body:
            yield stream.decompress(body, _PIECE)
            body = stream.unconsumed_tail
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
    """Every frame, as RFC 8878 has it."""
    zstd = _module("zstd", "compression.zstd", "backports.zstd")
    while True:
        frame = zstd.ZstdDecompressor()
        try:
            while not frame.eof:
                piece = frame.decompress(body, max_length=_PIECE)
                body = b""
                yield piece
                if not piece and frame.needs_input:
                    raise _broken("zstd", "it ends too early")
        except zstd.ZstdError as error:
            raise _broken("zstd", error) from None
        body = frame.unused_data
        if not body:
            return


_DECODERS: Final[Mapping[str, Callable[[bytes], Iterator[bytes]]]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}


def _module(encoding: str, *names: str) -> Any:
    """The first of these modules that is installed. Imported when the first such body arrives: few clients send one."""
    for name in names:
        with suppress(ImportError):
            return import_module(name)
    raise Undecodable(415, f"Content-Encoding {encoding!r} cannot be read without another package: {_INSTALL}")


def _broken(name: str, why: object) -> Undecodable:
    return Undecodable(400, f"the request body is not what its Content-Encoding says ({name}): {why}")
