"""Text that is written as hexadecimal digits, two for a byte."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial

from harness.secrets.decoded_run import ASCII_TEXT, DecodedRun

_RUN = re.compile(r"[0-9A-Fa-f]{32,}")


def decoded_runs(text: str, words: Iterable[re.Match[str]]) -> Iterator[DecodedRun]:
    """The text in runs of digits in the ``long_words`` of a text. Only ASCII text counts: hashes are no text."""
    for word in words:
        for run in _RUN.finditer(text, *word.span()):
            start, end = run.start(), run.end() - len(run[0]) % 2
            content = bytes.fromhex(text[start:end])
            if not content.translate(None, ASCII_TEXT):
                yield DecodedRun(start, end, content, True, partial(_written, upper=run[0].isupper()))


def _written(content: bytes, *, upper: bool) -> str:
    return content.hex().upper() if upper else content.hex()
