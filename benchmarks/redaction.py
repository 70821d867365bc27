"""Redaction of text that is made to be slow: how its time grows with the length, from 20 kB to 160 kB."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.tracking.figure import Figure, Goal
from benchmarks.tracking.measure import cpu, exponent
from harness.secrets.redactor import Redactor

HOSTILE = {
    "backslashes": "\\",
    "percents": "%25",
    "at": "@",
    "addresses": "a@b.",
    "words": "a",
    "base64": "QUJD",
    "key": "sk-",
    "quotes": '"api_key":',
    "names": "api_key = ",
    "cookies": "Cookie: a=b;",
    "urls": "://a",
    "parameters": "?key=",
    "pem": "-----BEGIN PRIVATE KEY-----",
    "jwt": "eyJ.",
    "events": 'data: {"a":"b"}\n\n',
    "nesting": "[",
    "stars": "sk-***",
}

SHORT, LONG = 20_000, 160_000
GOAL = Goal("ours", "at most", 1.3)


def figures(quick: bool) -> Iterator[Figure]:
    runs = 3 if quick else 5
    for name, part in HOSTILE.items():
        short, long = (_seconds(part, length, runs) for length in (SHORT, LONG))
        yield Figure.of(f"growth, {name}", [exponent(min(short), min(long), LONG / SHORT)], GOAL, unit="exponent")
        if name == "events":
            yield Figure.of("160 kB of a stream's events", long)


def _seconds(part: str, length: int, runs: int) -> list[float]:
    """CPU seconds of redacting ``part``, repeated to ``length`` characters; the least are the ones to be compared."""
    redactor, body = Redactor(), (part * (length // len(part))).encode()
    return [cpu(lambda: redactor.redact_body(body, "")) for _ in range(runs)]
