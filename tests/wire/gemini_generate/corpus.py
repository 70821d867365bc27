"""Recorded Gemini traffic, one value per exchange, and a reading of it that uses no code of the harness."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Recorded:
    """``path`` is None where the recording holds no request, ``status`` 200 where it does not say."""

    name: str
    path: str | None
    request: bytes
    status: int
    content_type: str
    response: bytes

    @property
    def streamed(self) -> bool:
        return self.content_type.startswith("text/event-stream")


@cache
def recorded(shared: Path) -> tuple[Recorded, ...]:
    """Every exchange with ``generateContent`` or ``streamGenerateContent`` that has a readable response."""
    found = []
    with gzip.open(shared / "corpus/exchanges.jsonl.gz", "rt") as lines:
        for line in lines:
            exchange = json.loads(line)
            if exchange["api"] == "gemini-generateContent" and (one := _recorded(exchange)) is not None:
                found.append(one)
    return tuple(found)


def _recorded(exchange: Any) -> Recorded | None:
    request, response = exchange["request"] or {}, exchange["response"]
    url = urlsplit(request.get("url") or "")
    body = (response["body"] or {}).get("text")
    if not body or not ("enerateContent" in url.path or url.path.startswith("response-only")):
        return None  # files uploaded and other providers' turns in the same recording
    headers = {key.lower(): value for key, value in (response["headers"] or {}).items()}
    kind = headers.get("content-type") or ""
    asked = (request.get("body") or {}).get("text") or ""
    return Recorded(
        name=f"{exchange['file']}#{exchange['index']}",
        path=url.path + (f"?{url.query}" if url.query else "") if url.path.startswith("/") else None,
        request=asked.encode(),
        status=response["status"] or 200,
        content_type=kind[0] if isinstance(kind, list) else kind,
        response=body.encode(),
    )


def chunks(one: Recorded) -> list[Any]:
    """The response objects of a recorded body, by the plainest means."""
    text = one.response.decode()
    if not one.streamed:
        value = json.loads(text)
        return value if isinstance(value, list) else [value]
    return [json.loads(line.removeprefix("data:")) for line in text.splitlines() if line.startswith("data:")]


def said(objects: list[Any]) -> dict[str, Any]:
    """Text, thoughts, calls and signatures in order, from the raw JSON."""
    total: dict[str, Any] = {
        "text": "",
        "thoughts": "",
        "calls": [],
        "signatures": [],
        "finish": None,
        "blocked": False,
    }
    for chunk in objects:
        total["blocked"] = total["blocked"] or "blockReason" in chunk.get("promptFeedback", {})
        for candidate in chunk.get("candidates", [])[:1]:
            total["finish"] = candidate.get("finishReason") or total["finish"]
            for part in (candidate.get("content") or {}).get("parts") or []:
                if signature := part.get("thoughtSignature"):
                    total["signatures"].append(signature)
                if "functionCall" in part:
                    # Pieces of streamed arguments have no name; the opening one has.
                    call = part["functionCall"]
                    if "name" in call:
                        total["calls"].append((call["name"], call.get("args") or {}, call.get("id") or ""))
                elif "text" in part:
                    total["thoughts" if part.get("thought") else "text"] += part["text"]
    return total
