"""Data for the page as base64 of gzipped JSON: small, and free of every character that HTML or JavaScript may mind."""

from __future__ import annotations

import base64
import gzip
import json
import re
from typing import Any

_HALVES = re.compile("[\ud800-\udfff]")

_QUICK = 1
"""The level of compression of a trace. The worker that ran its case packs it: a fifth larger than with the usual level,
in a third of the time."""


def packed(value: Any) -> str:
    """A JSON value, packed. Lone surrogates are preserved."""
    return _compressed_text(json.dumps(value, separators=(",", ":")).encode("ascii"), level=9)


def trace_script(lines: str) -> bytes:
    """A classic script that passes a trace's JSON Lines to the page: from a disk, a page can load nothing else."""
    return f'harnessTrace("{_compressed_text(_strict_utf8(lines), level=_QUICK)}")\n'.encode("ascii")


def _strict_utf8(text: str) -> bytes:
    """Strict UTF-8, which is all that browsers decode. Half characters are in JSON strings only, and become escapes;
    two halves in sequence are one character in a browser either way."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        return _HALVES.sub(lambda half: f"\\u{ord(half[0]):04x}", joined).encode()


def _compressed_text(data: bytes, *, level: int) -> str:
    return base64.b64encode(gzip.compress(data, level, mtime=0)).decode("ascii")
