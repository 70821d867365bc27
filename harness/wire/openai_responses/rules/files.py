"""OAI-21: images and files that the provider can read, as far as a request shows it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

from harness.finding import Finding
from harness.wire.base import Json
from harness.wire.lenient import entries, string
from harness.wire.openai_responses.rules.asked import Asked
from harness.wire.openai_responses.rules.table import OAI_21

_DATA: Final = re.compile(r"data:(?P<mime>[\w.+-]+/[\w.+-]+)(?:;[\w=.+-]+)*;base64,")
_UNREAD: Final = ("audio/", "video/")
"""The kinds of which recordings show the refusal. What else is refused depends on the model."""

_UNREAD_ENDINGS: Final = (".mp3", ".wav", ".ogg", ".flac", ".m4a", ".mp4", ".mov", ".webm", ".avi", ".mkv")


def files_can_be_read(asked: Asked) -> Iterator[Finding]:
    """The finding for each file or image of the request that OpenAI cannot read."""
    for entry in asked.entries:
        for member in ("content", "output"):
            for index, part in enumerate(entries(entry.raw.get(member))):
                if isinstance(part, dict):
                    yield from _judged(part, f"{entry.at}.{member}[{index}]")


def _judged(part: Json, at: str) -> Iterator[Finding]:
    match part.get("type"):
        case "input_file":
            yield from _file(part, at)
        case "input_image" if isinstance(part.get("image_url"), str):
            yield from _url(part["image_url"], f"{at}.image_url", data=True)


def _file(part: Json, at: str) -> Iterator[Finding]:
    data, url = part.get("file_data"), string(part.get("file_url"))
    if isinstance(data, str) and data:
        yield from _data(data, f"{at}.file_data")
    if url:
        yield from _url(url, f"{at}.file_url", data=False)
        if urlsplit(url).path.lower().endswith(_UNREAD_ENDINGS):
            yield OAI_21.broken(at, expected="a file of a kind that can be read", got=url, template="type")


def _data(data: str, param: str) -> Iterator[Finding]:
    found = _DATA.match(data)
    if found is None:
        yield OAI_21.broken(param, expected="a data URL", got=f"{data[:24]}...", template="no data URL", param=param)
    elif found["mime"].startswith(_UNREAD):
        yield OAI_21.broken(
            param, expected="a file of a kind that can be read", got=found["mime"], param=param, mime=found["mime"]
        )


def _url(url: str, param: str, *, data: bool) -> Iterator[Finding]:
    if url.startswith(("http://", "https://")) or (data and _DATA.match(url)):
        return
    yield OAI_21.broken(param, expected="a URL", got=f"{url[:24]}...", template="url", param=param)
