"""E-mail addresses in text, found from their ``@`` outwards."""

from __future__ import annotations

import re
from collections.abc import Iterator

_LOCAL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._%+'-]{0,62}[A-Za-z0-9_+-])?\Z")
_DOMAIN = re.compile(r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9_(])")
_IN_ADDRESS = re.compile(r"://[^\s/?#\"'<>]*\Z")

_LONGEST_LOCAL = 64
_LONGEST_USERINFO = 256

_NOBODY = ("example", "invalid", "localhost", "test", "example.com", "example.net", "example.org")
"""Names that belong to nobody (RFC 2606, RFC 6761)."""

_VERSION = re.compile(r"v?\d+(?:\.\d+)*\.")
"""The beginning of a package's version: ``left-pad@1.2.3.beta`` is nobody's address."""

_FILES = frozenset(
    (
        "alpha",
        "avif",
        "beta",
        "bz",
        "canary",
        "css",
        "gif",
        "gz",
        "jar",
        "htm",
        "html",
        "ico",
        "jpeg",
        "jpg",
        "js",
        "json",
        "jsx",
        "md",
        "mjs",
        "mp4",
        "pdf",
        "png",
        "py",
        "svg",
        "tar",
        "tgz",
        "ts",
        "tsx",
        "txt",
        "webp",
        "whl",
        "xz",
        "yaml",
        "yml",
        "zip",
    )
)
"""Suffixes of file names: ``logo@2x.png`` is nobody's address."""


def email_spans(text: str) -> Iterator[tuple[int, int]]:
    """Addresses that may belong to somebody, as start and end."""
    at = text.find("@")
    while at >= 0:
        local = _LOCAL.search(text, max(0, at - _LONGEST_LOCAL), at)
        domain = _DOMAIN.match(text, at + 1)
        if local and domain and _somebody(local[0], domain[0]) and not _in_address(text, at):
            yield local.start(), domain.end()
        at = text.find("@", at + 1)


def _somebody(local: str, domain: str) -> bool:
    domain = domain.lower()
    if local == "git" or _VERSION.match(domain) or domain.rpartition(".")[2] in _FILES:
        return False
    return not any(domain == name or domain.endswith(f".{name}") for name in _NOBODY)


def _in_address(text: str, at: int) -> bool:
    """Whether the ``@`` separates the user and the host of a URL, which is a kind of its own."""
    return _IN_ADDRESS.search(text, max(0, at - _LONGEST_USERINFO), at) is not None
