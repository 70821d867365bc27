"""A body without its content encoding.

Recorders differ in whether they keep a body compressed, and many keep the header of one that they have decoded. So a
compressed body is recognised by how it begins, and the header is only believed where that says nothing.
"""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Callable
from typing import Final

MOST_BYTES: Final = 64 * 1024 * 1024
"""The longest body, and the longest cassette, that is read: a few bytes can stand for gigabytes."""

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_ANY_ZLIB_HEADER = zlib.MAX_WBITS | 32
_NO_HEADER = -zlib.MAX_WBITS


class UndecodableBody(Exception):
    """A body that is compressed and cannot be read; the text says why and what to do."""


def decoded(body: bytes, encoding: str) -> bytes:
    """``body`` as it was before compression. ``encoding`` is the content-encoding header, ``""`` for none.

    Raises ``UndecodableBody``.
    """
    if body.startswith(_GZIP):
        return _inflated_body(body, _ANY_ZLIB_HEADER, "gzip")
    if body.startswith(_ZSTD):
        return _zstd(body)
    if _is_text(body):
        return body
    if "deflate" in encoding:
        return _inflated_body(body, _ANY_ZLIB_HEADER if body[:1] == b"\x78" else _NO_HEADER, "deflate")
    return _brotli(body) if "br" in encoding.replace(" ", "").split(",") else body


def _is_text(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def _inflated_body(body: bytes, window: int, name: str) -> bytes:
    inflate = zlib.decompressobj(window)
    try:
        plain = inflate.decompress(body, MOST_BYTES)
    except zlib.error as error:
        raise UndecodableBody(f"the body is broken {name} data: {error}") from error
    if inflate.unconsumed_tail:
        raise UndecodableBody(f"the body is more than {MOST_BYTES >> 20} MB when its {name} data is unpacked")
    if not inflate.eof:
        raise UndecodableBody(f"the body is {name} data that ends too early")
    return plain


def _zstd(body: bytes) -> bytes:
    for name in ("compression.zstd", "backports.zstd"):
        try:
            zstd = importlib.import_module(name)
        except ImportError:
            continue
        frame = zstd.ZstdDecompressor()
        try:
            plain: bytes = frame.decompress(body, MOST_BYTES + 1)
        except zstd.ZstdError as error:
            raise UndecodableBody(f"the body is broken zstd data: {error}") from error
        if len(plain) > MOST_BYTES:
            raise UndecodableBody(f"the body is more than {MOST_BYTES >> 20} MB when its zstd data is unpacked")
        if not frame.eof:
            raise UndecodableBody("the body is zstd data that ends too early")
        return plain
    raise UndecodableBody(
        "the body is compressed with zstd; install the package 'backports.zstd', or record it uncompressed "
        "(vcrpy: decode_compressed_response)"
    )


def _brotli(body: bytes) -> bytes:
    for name in ("brotli", "brotlicffi"):
        try:
            decompress: Callable[[bytes], bytes] = importlib.import_module(name).decompress
        except ImportError:
            continue
        try:
            return decompress(body)
        except Exception as error:  # each of the two libraries has its own
            raise UndecodableBody(f"the body is broken brotli data: {error}") from error
    raise UndecodableBody(
        "the body is compressed with brotli; install the package 'brotli', or record it uncompressed "
        "(vcrpy: decode_compressed_response)"
    )
