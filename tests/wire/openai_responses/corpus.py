"""The recorded Responses traffic, read once per test session."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Recorded:
    file: str
    index: int
    request: bytes | None
    status: int | None
    content_type: str
    body: bytes

    @property
    def name(self) -> str:
        return f"{self.file}#{self.index}"

    @property
    def streamed(self) -> bool:
        return not self.body.lstrip().startswith(b"{")


@cache
def recorded(shared: Path) -> tuple[Recorded, ...]:
    """All exchanges of ``POST .../responses``, those of one file in their order."""
    with gzip.open(shared / "corpus" / "exchanges.jsonl.gz", "rt", encoding="utf-8") as lines:
        # Most lines are of other APIs; the test on the text spares parsing them.
        rows = [json.loads(line) for line in lines if '"openai-responses"' in line]
    found = [_exchange(row) for row in rows if row["api"] == "openai-responses" and _is_response(row)]
    return tuple(sorted(found, key=lambda exchange: (exchange.file, exchange.index)))


def _is_response(row: dict) -> bool:  # type: ignore[type-arg]
    return row["fidelity"] == "response-only" or urlsplit(row["request"]["url"]).path.rstrip("/").endswith("/responses")


def _exchange(row: dict) -> Recorded:  # type: ignore[type-arg]
    response = row["response"]
    content_type = (response.get("headers") or {}).get("content-type") or ""
    return Recorded(
        row["file"],
        row["index"],
        _text((row["request"] or {}).get("body")),
        response["status"],
        content_type[0] if isinstance(content_type, list) else content_type,
        _text(response.get("body")) or b"",
    )


def _text(body: dict | None) -> bytes | None:  # type: ignore[type-arg]
    return body["text"].encode() if body and body.get("text") else None


def good(shared: Path) -> Iterator[Recorded]:
    """Those with a response that is no HTTP error."""
    return (exchange for exchange in recorded(shared) if exchange.status in (200, None) and exchange.body)
