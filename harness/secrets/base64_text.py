"""Decodes base64 in a text, standard or URL-safe, with its place in the text.

The start of base64 cannot be seen: letters of its alphabet may precede it. So each run of letters is read from each of
its first four letters on.
"""

from __future__ import annotations

import binascii
import gzip
import re
import zlib
from collections.abc import Iterable, Iterator
from functools import partial

from harness.ground.encoding import UndecodableBody, decoded
from harness.secrets.decoded_run import DecodedRun, is_text

_RUN = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_STANDARD = re.compile(r"[A-Za-z0-9+/]{16,}={0,2}")
_URL_SAFE = re.compile(r"[A-Za-z0-9_-]{16,}={0,2}")
_LINES = re.compile(r"(?<![A-Za-z0-9+/_-])(?:[A-Za-z0-9+/_-]{20,}+\r?\n[ \t]*+)+[A-Za-z0-9+/_-]{2,}={0,2}")
_BREAKS = re.compile(r"\s+")
_TO_STANDARD = str.maketrans("-_", "+/")
_TO_URL_SAFE = str.maketrans("+/", "-_")
_GZIP = "H4sI"
"""How gzip begins in base64."""


def decoded_runs(run: re.Match[str], *, binary: bool) -> Iterator[DecodedRun]:
    """What a run may mean, read from each possible start. Only text, or with ``binary`` other bytes, too."""
    letters = run[0].rstrip("=")
    if _GZIP in letters and (packed := _gzip_run(run)):
        yield packed
        return
    url_safe = "-" in letters or "_" in letters
    standard = letters.translate(_TO_STANDARD) if url_safe else letters
    for skipped in range(4):
        whole = (len(standard) - skipped) % 4 != 1  # a last letter alone stands for nothing
        read = standard[skipped:] if whole else standard[skipped:-1]
        content = binascii.a2b_base64(read + "=" * (-len(read) % 4))
        text = is_text(content)
        if text or binary:
            start = run.start() + skipped
            end = run.end() if whole else start + len(read)
            padded = (end - start) % 4 == 0  # without padding no other text would do
            yield DecodedRun(start, end, content, text, partial(_written, url_safe=url_safe, padded=padded))


def runs(text: str, words: Iterable[re.Match[str]]) -> Iterator[re.Match[str]]:
    """Runs of letters of one alphabet in the ``long_words`` of a text.

    If a run mixes both alphabets, as in paths, each is tried.
    """
    for word in words:
        for run in _RUN.finditer(text, *word.span()):
            if ("+" in run[0] or "/" in run[0]) and ("-" in run[0] or "_" in run[0]):
                yield from _STANDARD.finditer(text, *run.span())
                yield from _URL_SAFE.finditer(text, *run.span())
            else:
                yield run


def in_lines(text: str, words: Iterable[re.Match[str]]) -> Iterator[DecodedRun]:
    """Base64 that is broken into lines, as in mail (RFC 2045). Its replacement has no line breaks, which is legal.

    ``words`` are the ``long_words`` of the text: one is at the end of each line but the last.
    """
    if not any(text.startswith(("\n", "\r"), word.end()) for word in words):
        return
    for run in _LINES.finditer(text):
        letters = _BREAKS.sub("", run[0]).rstrip("=").translate(_TO_STANDARD)
        if len(letters) % 4 != 1:
            content = binascii.a2b_base64(letters + "=" * (-len(letters) % 4))
            if is_text(content):
                url_safe = "-" in run[0] or "_" in run[0]
                yield DecodedRun(*run.span(), content, True, partial(_written, url_safe=url_safe, padded=True))


def _gzip_run(run: re.Match[str]) -> DecodedRun | None:
    """Text that was compressed with gzip before it was encoded."""
    start = run.start() + run[0].index(_GZIP)
    letters = run[0][start - run.start() :].rstrip("=").translate(_TO_STANDARD)
    try:
        content = decoded(binascii.a2b_base64(letters + "=" * (-len(letters) % 4)), "gzip")
    except (UndecodableBody, binascii.Error, zlib.error):
        return None
    return DecodedRun(start, run.end(), content, True, _gzip_text) if is_text(content) else None


def _gzip_text(content: bytes) -> str:
    return _written(gzip.compress(content, mtime=0), url_safe=False, padded=True)


def _written(content: bytes, *, url_safe: bool, padded: bool) -> str:
    coded = binascii.b2a_base64(content, newline=False).decode()
    coded = coded.translate(_TO_URL_SAFE) if url_safe else coded
    return coded if padded else coded.rstrip("=")
