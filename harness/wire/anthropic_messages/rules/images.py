"""ANT-IMAGE: what an image in base64 is, by its first bytes, and how large."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Final

from harness.finding import Finding
from harness.wire.anthropic_messages.rules.history import AnthropicHistory, ContentBlock
from harness.wire.anthropic_messages.rules.table.body import ANT_IMAGE
from harness.wire.base import Json
from harness.wire.lenient import entries, string
from harness.wire.rule import Certainty

_KNOWN: Final = ("image/jpeg", "image/png", "image/gif", "image/webp")
_LARGEST: Final = 5 * 1024 * 1024
_HEAD: Final = 16
"""Characters of base64 that have the first 12 bytes: enough to recognise all formats."""


def images(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-IMAGE: an image is what its media type says, and not too large."""
    for run in history.runs:
        for block in run.of("image", "tool_result"):
            for at, image in _shown(block):
                source = image.get("source")
                if isinstance(source, dict) and source.get("type") == "base64":
                    yield from _judged(f"{at}.image.source.base64", source)


def _shown(block: ContentBlock) -> Iterator[tuple[str, Json]]:
    if block.kind == "image":
        yield block.at, block.native
        return
    for index, inner in enumerate(entries(block.native.get("content"))):
        if isinstance(inner, dict) and inner.get("type") == "image":
            yield f"{block.at}.tool_result.content.{index}", inner


def _judged(at: str, source: Json) -> Iterator[Finding]:
    data, declared = string(source.get("data")), source.get("media_type")
    found = _format(data)
    if found and declared in _KNOWN and found != declared:
        yield ANT_IMAGE.broken(at, expected=declared, got=found, template="other", said=declared, is_=found)
    if len(data) > _LARGEST:
        certainty: Certainty | None = None if len(data) * 3 // 4 > _LARGEST else "likely"
        expected, got = f"at most {_LARGEST} bytes", f"{len(data)} bytes of base64"
        yield ANT_IMAGE.broken(
            at, expected=expected, got=got, template="large", certainty=certainty, size=len(data), limit=_LARGEST
        )


def _format(data: str) -> str:
    """The format that the first bytes are of; ``""`` for any that is not known."""
    try:
        head = base64.b64decode(data[:_HEAD], validate=True)
    except ValueError:
        return ""
    if head.startswith(b"RIFF") and head[8:] == b"WEBP":
        return "image/webp"
    signs = {b"\xff\xd8\xff": "image/jpeg", b"\x89PNG\r\n\x1a\n": "image/png", b"GIF8": "image/gif"}
    return next((kind for sign, kind in signs.items() if head.startswith(sign)), "")
