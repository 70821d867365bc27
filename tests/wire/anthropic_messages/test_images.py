"""Images that people were refused for: of another type than they say, and too large."""

from __future__ import annotations

import base64

import pytest

from tests.wire.anthropic_messages.histories import Body, body_of, judge, user

JPEG = "/9j/4AAQSkZJRgABAQ=="
PNG = "iVBORw0KGgoAAAANSUhEUg=="
GIF = base64.b64encode(b"GIF89a\x01\x00\x01\x00\x80\x00").decode()
WEBP = base64.b64encode(b"RIFF\x24\x00\x00\x00WEBPVP8 ").decode()


def found(body: Body) -> list[tuple[str, str, str]]:
    return [(each.id, each.level, each.answered.message) for each in judge(body) if each.level != "INFO"]


def image(media_type: str, data: str) -> Body:
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}}


def test_an_image_of_another_type_than_it_says() -> None:
    ((_, _, message),) = found(body_of(user(image("image/png", WEBP))))
    assert message.startswith("messages.0.content.0.image.source.base64: The image was specified using the image/png")


@pytest.mark.parametrize(
    ("media_type", "data"),
    [
        ("image/jpeg", JPEG),
        ("image/png", PNG),
        ("image/gif", GIF),
        ("image/webp", WEBP),
        ("image/png", "AAAA"),
        ("image/png", "é"),
        ("image/png", "iVBO"),
    ],
)
def test_an_image_that_is_what_it_says_or_nobody_knows(media_type: str, data: str) -> None:
    assert found(body_of(user(image(media_type, data)))) == []


def test_an_image_that_is_too_large() -> None:
    prefix = "messages.0.content.0.image.source.base64: image exceeds 5 MB maximum: "
    most = 5 * 1024 * 1024
    assert found(body_of(user(image("image/png", "A" * most)))) == []
    told = found(body_of(user(image("image/png", "A" * (most + 4)))))
    assert told == [("ANT-IMAGE", "SHOULD", f"{prefix}{most + 4} bytes > {most} bytes")]
    assert found(body_of(user(image("image/png", "A" * 8_259_148)))) == [
        ("ANT-IMAGE", "MUST", f"{prefix}8259148 bytes > {most} bytes")
    ]
