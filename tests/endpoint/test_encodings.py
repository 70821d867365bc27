"""Compressed request bodies: what clients send is read, and what cannot be read is refused with the reason."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Callable
from importlib import import_module

import brotli
import pytest

from harness.endpoint import encodings
from harness.endpoint.encodings import Undecodable, decoded

zstd = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")

BODY = b'{"messages": [{"role": "user", "content": "hi"}]}' * 50
MIB = 1024 * 1024


def raw_deflate(data: bytes) -> bytes:
    stream = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return stream.compress(data) + stream.flush()


ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstd.compress,
}


@pytest.mark.parametrize("name", ENCODERS)
@pytest.mark.parametrize("size", [1, len(BODY), 3 * MIB])
def test_every_encoding_is_read_whatever_the_size(name: str, size: int) -> None:
    body = (BODY * (1 + size // len(BODY)))[:size]
    assert decoded(ENCODERS[name](body), name) == body


@pytest.mark.parametrize(
    ("body", "encodings"),
    [
        (gzip.compress(zstd.compress(BODY)), "zstd, gzip"),
        (brotli.compress(zlib.compress(gzip.compress(BODY))), "gzip,deflate ,  BR"),
        (gzip.compress(BODY), "identity, X-GZIP"),
        (raw_deflate(BODY), "deflate"),
        (gzip.compress(BODY[:100]) + gzip.compress(BODY[100:]), "gzip"),
        (zstd.compress(BODY[:100]) + zstd.compress(BODY[100:]), "zstd"),
        (BODY, ""),
        (BODY, "identity"),
    ],
    ids=["zstd-gzip", "gzip-deflate-br", "identity-x-gzip", "raw-deflate", "two-gzip", "two-zstd", "none", "identity"],
)
def test_stacks_members_and_forms(body: bytes, encodings: str) -> None:
    assert decoded(body, encodings) == BODY


def test_no_body_is_not_compressed() -> None:
    assert decoded(b"", "gzip") == b""


@pytest.mark.parametrize("name", ENCODERS)
def test_one_that_is_too_large_when_it_is_decoded_is_refused(name: str) -> None:
    bomb = ENCODERS[name](bytes(4 * MIB))
    assert len(bomb) < 20_000
    with pytest.raises(Undecodable, match=r"larger than 1,048,576 bytes when it is decoded") as refused:
        decoded(bomb, name, largest=MIB)
    assert refused.value.status == 413
    assert decoded(bomb, name, largest=4 * MIB) == bytes(4 * MIB)


@pytest.mark.parametrize("name", ENCODERS)
@pytest.mark.parametrize("damage", ["cut", "other", "changed", "behind"])
def test_one_that_is_not_what_its_header_says_is_refused(name: str, damage: str) -> None:
    whole = ENCODERS[name](BODY)
    broken = {
        "cut": whole[: len(whole) // 2],
        "other": BODY,
        "changed": bytes([whole[0] ^ 0xFF]) + whole[1:],
        "behind": whole + b"more",
    }[damage]
    with pytest.raises(Undecodable, match=f"not what its Content-Encoding says .{name}") as refused:
        decoded(broken, name)
    assert refused.value.status == 400


def test_an_unknown_one_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(
        Undecodable, match="'compress' is not supported; send one of: gzip, deflate, br, zstd"
    ) as refused:
        decoded(BODY, "compress")
    assert refused.value.status == 415


@pytest.mark.parametrize(("name", "modules"), [("br", ["brotli"]), ("zstd", ["compression.zstd", "backports.zstd"])])
def test_one_whose_package_is_missing_says_what_to_install(
    name: str, modules: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in modules:
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(Undecodable, match=r"pip install 'agent-loop-harness\[compression\]'") as refused:
        decoded(ENCODERS[name](BODY), name)
    assert refused.value.status == 415


@pytest.mark.parametrize("name", ["gzip", "zstd"])
def test_many_members_are_read_without_copying_the_rest_for_each(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a megabyte of empty members, fifty thousand, the tails would be 25 GB."""
    member = ENCODERS[name](b"a")
    sizes: list[int] = []
    monkeypatch.setattr(encodings, "_parts", lambda body: (sizes.append(len(part)) or part for part in PARTS(body)))
    assert decoded(member * 5_000, name) == b"a" * 5_000
    assert max(sizes) <= 16 * 1024
    with pytest.raises(Undecodable, match="it ends too early"):
        decoded((member * 5_000)[:-1], name)
    with pytest.raises(Undecodable, match="it has more than 10,000 members"):
        decoded(member * 10_001, name)


PARTS = encodings._parts
