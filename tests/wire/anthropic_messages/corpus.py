"""The recorded exchanges of this wire."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["Exchange", "exchanges"]


@dataclass(frozen=True)
class Exchange:
    """One recorded exchange; ``request`` is None where only the response was kept."""

    name: str
    request: bytes | None
    status: int
    content_type: str
    response: bytes

    @property
    def streamed(self) -> bool:
        return "event-stream" in self.content_type or self.response.startswith((b"event:", b"data:"))


@cache
def exchanges(shared: Path) -> tuple[Exchange, ...]:
    """All exchanges at ``/messages``, read once."""
    with gzip.open(shared / "corpus/exchanges.jsonl.gz", "rt") as lines:
        native = [json.loads(line) for line in lines if '"anthropic-messages"' in line]
    return tuple(_exchange(each) for each in native if _at_messages(each))


def _at_messages(native: dict[str, Any]) -> bool:
    url = (native["request"] or {}).get("url") or "response-only"
    path = url.partition("?")[0]
    return native["api"] == "anthropic-messages" and (
        path == "response-only" or path.endswith(("/messages", "response-only"))
    )


def _exchange(native: dict[str, Any]) -> Exchange:
    request, response = native["request"] or {}, native["response"]
    headers = {name.lower(): value for name, value in (response["headers"] or {}).items()}
    media = headers.get("content-type") or ""
    return Exchange(
        name=f"{native['file']}#{native['index']}",
        request=_body(request.get("body")),
        status=response["status"] or 200,
        content_type=media if isinstance(media, str) else media[0],
        response=_body(response["body"]) or b"",
    )


def _body(body: dict[str, str] | None) -> bytes | None:
    return body["text"].encode("utf-8", "surrogatepass") if body and "text" in body else None
