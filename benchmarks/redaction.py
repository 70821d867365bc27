"""Redaction of text that is made to be slow: how its time grows with the length.

    python benchmarks/redaction.py

Goal: from 20 kB to 160 kB no kind of text grows with an exponent above 1.3. CPU time, the best of several runs.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks._measure import cpu, exponent
from harness.cassette.secrets import Redactor

__all__ = ["HOSTILE"]

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

SHORT, LONG, RUNS = 20_000, 160_000, 5
MAX_EXPONENT = 1.3


def seconds(part: str, length: int) -> float:
    """CPU seconds of redacting ``part``, repeated to ``length`` characters."""
    redactor, body = Redactor(), (part * (length // len(part))).encode()
    return min(cpu(lambda: redactor.redact_body(body, "")) for _ in range(RUNS))


def main() -> None:
    met = True
    for name, part in HOSTILE.items():
        short, long = seconds(part, SHORT), seconds(part, LONG)
        growth = exponent(short, long, LONG / SHORT)
        met &= growth <= MAX_EXPONENT
        print(f"{name:12} {short * 1e3:8.1f} ms {long * 1e3:8.1f} ms   length^{growth:.2f}")
    print(f"goal: growth at most length^{MAX_EXPONENT}: {'met' if met else 'NOT met'}")


if __name__ == "__main__":
    main()
