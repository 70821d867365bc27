"""Small requests, their recordings, and players of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from harness.cassette import Cassette, Interaction
from harness.cassette.matching import Player, RedactsRequests
from harness.cassette.misses import Miss

CHAT = "/v1/chat/completions"

PATH = Path("weather.yaml")


def said(body: Any) -> bytes:
    return body if isinstance(body, bytes) else json.dumps(body).encode()


def recording(
    body: Any, answer: str = "", *, url: str = f"https://api.openai.com{CHAT}", status: int = 200, line: int = 0
) -> Interaction:
    return Interaction("POST", url, {}, said(body), status, {}, answer.encode(), line)


def player(*recordings: Interaction, redactor: RedactsRequests | None = None) -> Player:
    return Player(Cassette(PATH, recordings), redactor)


def answer(found: Interaction | Miss) -> str:
    assert isinstance(found, Interaction), found
    return found.response.decode()


def missed(found: Interaction | Miss) -> Miss:
    assert isinstance(found, Miss), found
    return found


def asking(text: str) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": text}]}
