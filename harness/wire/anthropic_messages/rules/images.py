"""ANT-IMAGE: what an image in base64 is, by its first bytes, and how large."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Final

from harness.finding import Finding
from harness.wire.anthropic_messages.rules.book import HISTORY_RULES
from harness.wire.anthropic_messages.rules.history import AnthropicHistory, ContentBlock
from harness.wire.anthropic_messages.rules.places import blocks, of_kind, show_image
from harness.wire.base import Json
from harness.wire.lenient import entries, string
from harness.wire.posted import Posted, Wrong, put
from harness.wire.rule import Certainty, ErrorTemplate, WireRule

_CLAUDE_CODE: Final = "https://github.com/anthropics/claude-code/issues"

_KNOWN: Final = ("image/jpeg", "image/png", "image/gif", "image/webp")
_LARGEST: Final = 5 * 1024 * 1024
_HEAD: Final = 16
"""Characters of base64 that have the first 12 bytes: enough to recognise all formats."""


_JPEG: Final = "/9j/4AAQSkZJRgABAQ=="


def _source_in_result(posted: Posted) -> list[Json]:
    """The source of the first image in a result."""
    found = [image for block in blocks(posted, "tool_result") for image in of_kind(block.get("content"), "image")]
    return [image["source"] for image in found[:1]]


ANT_IMAGE: Final = WireRule(
    "ANT-IMAGE",
    "An image in base64 is a JPEG, PNG, GIF or WebP by its media_type and by its first bytes, and has data, of at most "
    "5 MB.",
    "A tool that returns a screenshot with a media type such as image/jpg, or a JPEG under the name of a PNG, spoils "
    "the history: it is sent again and again.",
    "certain",
    (
        f"{_CLAUDE_CODE}/8184",
        f"{_CLAUDE_CODE}/3073",
        f"{_CLAUDE_CODE}/12750",
        f"another type than it says: https://github.com/vybestack/llxprt-code/issues/2130, {_CLAUDE_CODE}/35234; in "
        f"2025 it said: Image does not match the provided media type image/png ({_CLAUDE_CODE}/13131)",
        f"too large: {_CLAUDE_CODE}/19631; whether the bytes count or their base64 is not known: likely between them",
    ),
    (
        ErrorTemplate(
            "{at}: Input should be {choices}",
            seen="messages.208.content.0.tool_result.content.0.image.source.base64.media_type: Input should be "
            "'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
            name="enum",
        ),
        ErrorTemplate(
            "{holder}: image cannot be empty",
            seen="messages.118.content.4.image.source.base64: image cannot be empty",
            name="minLength",
        ),
        ErrorTemplate(
            "{at}: The image was specified using the {said} media type, but the image appears to be a {is_} image",
            seen="messages.83.content.0.tool_result.content.1.image.source.base64: The image was specified using "
            "the image/jpeg media type, but the image appears to be a image/png image",
            name="other",
        ),
        ErrorTemplate(
            "{at}: image exceeds 5 MB maximum: {size} bytes > {limit} bytes",
            seen="messages.2.content.0.image.source.base64: image exceeds 5 MB maximum: 8259148 bytes > 5242880 bytes",
            name="large",
        ),
    ),
    wrong=(
        Wrong(
            "ant-image-of-another-type",
            "An image says that it is image/svg+xml.",
            lambda it: show_image(it, {"type": "base64", "media_type": "image/svg+xml", "data": "PHN2Zy8+"}),
            "one-call foreign",
        ),
        Wrong(
            "ant-image-in-a-result",
            "An image in a result says that it is image/jpg.",
            lambda it: put(_source_in_result(it), media_type="image/jpg"),
            "images",
        ),
        Wrong(
            "ant-image-empty",
            "An image has no data.",
            lambda it: show_image(it, {"type": "base64", "media_type": "image/png", "data": ""}),
            "one-call",
            says="minLength",
        ),
        Wrong(
            "ant-image-under-another-name",
            "A JPEG says that it is a PNG.",
            lambda it: show_image(it, {"type": "base64", "media_type": "image/png", "data": _JPEG}),
            "one-call foreign",
            says="other",
        ),
        Wrong(
            "ant-image-in-a-result-under-another-name",
            "An image in a result is a JPEG and says that it is a PNG.",
            lambda it: put(_source_in_result(it), data=_JPEG),
            "images",
            says="other",
        ),
        Wrong(
            "ant-image-too-large",
            "An image has 6 MB.",
            lambda it: show_image(
                it, {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo" + "A" * 8_000_001}
            ),
            "one-call",
            says="large",
        ),
    ),
)


@HISTORY_RULES.check("content", ANT_IMAGE, only_with=("image", "tool_result"))
def images(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-IMAGE: an image is what its media type says, and not too large."""
    for run in history.runs:
        for block in run.of("image", "tool_result"):
            for at, image in _shown(block):
                source = image.get("source")
                if isinstance(source, dict) and source.get("type") == "base64":
                    yield from _image_findings(f"{at}.image.source.base64", source)


def _shown(block: ContentBlock) -> Iterator[tuple[str, Json]]:
    if block.kind == "image":
        yield block.at, block.native
        return
    for index, inner in enumerate(entries(block.native.get("content"))):
        if isinstance(inner, dict) and inner.get("type") == "image":
            yield f"{block.at}.tool_result.content.{index}", inner


def _image_findings(at: str, source: Json) -> Iterator[Finding]:
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
