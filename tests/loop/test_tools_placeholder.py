"""The default image service: the same images on every run, real transparency, and nothing but this run's own images."""

from __future__ import annotations

import base64
import hashlib
import io
import os
import re
import struct
import subprocess
import sys
import zlib
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from harness.loop.tools import ImageFailed, PlaceholderImages
from harness.loop.tools.cutting import without_background
from harness.loop.tools.drawing import placeholder

PROMPT = "A red fox!"
FOX = "assets/a-red-fox-3eff7199.png"
UNREADABLE = "Not an image that can be read: a PNG, JPEG, GIF or WebP."
FOREIGN = "Not an image of this run. Images from elsewhere are not fetched."


def generate(images: PlaceholderImages, prompt: str) -> str:
    return anyio.run(images.generate, prompt)


def cut_out(images: PlaceholderImages, reference: str) -> str:
    return anyio.run(images.remove_background, reference)


def refused(images: PlaceholderImages, reference: str) -> str:
    with pytest.raises(ImageFailed) as failed:
        cut_out(images, reference)
    return str(failed.value)


def read(data: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(data))
    image.load()
    return image


def file(image: Image.Image, kind: str, **options: Any) -> bytes:
    written = io.BytesIO()
    image.save(written, kind, **options)
    return written.getvalue()


def url(data: bytes, kind: str = "png") -> str:
    return f"data:image/{kind};base64,{base64.b64encode(data).decode()}"


# --- names -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prompt", "stem"),
    [
        (PROMPT, "a-red-fox"),
        ("../../etc/passwd", "etc-passwd"),
        ("C:\\x\0y", "c-x-y"),
        ("狐", "image"),
        ("🦊 Fox", "fox"),
        ("!?", "image"),
        ("a" * 39 + " b", "a" * 39),
        ("a" * 200, "a" * 40),
        ("-transparent.png", "transparent-png"),
    ],
)
def test_a_reference_is_words_of_the_prompt_and_its_hash(prompt: str, stem: str) -> None:
    digest = hashlib.sha256(prompt.encode()).hexdigest()[:8]
    images = PlaceholderImages()
    assert generate(images, prompt) == f"assets/{stem}-{digest}.png"
    assert list(images.assets) == [f"assets/{stem}-{digest}.png"]


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
@settings(max_examples=60, deadline=None)
def test_every_reference_is_a_safe_name_in_one_folder(prompt: str) -> None:
    if not prompt.startswith("fail:"):
        assert re.fullmatch(r"assets/[a-z0-9]+(-[a-z0-9]+)*\.png", generate(PlaceholderImages(), prompt))


def test_prompts_that_differ_a_little_have_images_of_their_own() -> None:
    images = PlaceholderImages()
    assert len({generate(images, prompt) for prompt in ["A fox", "a fox", "a fox.", "a  fox"]}) == 4
    assert len(set(images.assets.values())) == 4


def test_the_same_prompt_is_the_same_image() -> None:
    images = PlaceholderImages()
    assert generate(images, PROMPT) == generate(images, PROMPT) == FOX
    assert len(images.assets) == 1


def test_a_prompt_can_ask_for_a_failure() -> None:
    images = PlaceholderImages()
    for prompt, error in [("fail: too dark", "too dark"), ("fail:", "This prompt always fails.")]:
        with pytest.raises(ImageFailed, match=f"^{re.escape(error)}$"):
            generate(images, prompt)
    assert generate(images, "Don't fail: try").startswith("assets/don-t-fail-try-")


# --- pictures ----------------------------------------------------------------------------------------------


def test_a_placeholder_is_a_dark_shape_and_text_on_a_plain_light_ground() -> None:
    image = read(placeholder(PROMPT)).convert("RGB")
    assert image.size == (320, 240)
    colours: Any = sorted(image.getcolors() or [])
    assert len(colours) == 2
    dark, light = (colour for _count, colour in colours)
    assert max(dark) < 96
    assert min(light) >= 192
    assert image.getpixel((0, 0)) == image.getpixel((319, 239)) == light
    assert image.getpixel((160, 75)) == dark
    lettering = image.crop((0, 135, 320, 240))
    assert len(lettering.getcolors() or []) == 2
    assert lettering.tobytes() != read(placeholder("A red cat!")).convert("RGB").crop((0, 135, 320, 240)).tobytes()


@pytest.mark.parametrize("prompt", ["", "x" * 1_000_000, "word " * 10_000, "a\n\0\x1b[2J\u202e", "🦊日本語", "\uffff"])
def test_any_prompt_can_be_drawn_in_the_same_size(prompt: str) -> None:
    data = placeholder(prompt)
    assert read(data).size == (320, 240)
    assert len(data) < 10_000


def test_images_are_the_same_in_another_process() -> None:
    code = (
        "import hashlib; from harness.loop.tools.drawing import placeholder;"
        "from harness.loop.tools.cutting import without_background as cut;"
        f"image = placeholder({PROMPT!r}); print(hashlib.sha256(image + cut(image)).hexdigest())"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    image = placeholder(PROMPT)
    assert done.stdout.strip() == hashlib.sha256(image + without_background(image)).hexdigest()


# --- transparency ------------------------------------------------------------------------------------------


def test_the_background_of_a_placeholder_becomes_transparent_and_the_rest_stays() -> None:
    images = PlaceholderImages()
    generate(images, PROMPT)
    assert cut_out(images, FOX) == "assets/a-red-fox-3eff7199-transparent.png"
    before = read(images.assets[FOX])
    after = read(images.assets["assets/a-red-fox-3eff7199-transparent.png"])
    assert (after.format, after.mode, after.size) == ("PNG", "RGBA", (320, 240))
    light = before.getpixel((0, 0))
    for at in [(x, y) for x in range(0, 320, 3) for y in range(0, 240, 3)]:
        colour: Any = before.getpixel(at)
        assert after.getpixel(at) == (*colour, 0 if colour == light else 255), at
    assert {alpha for _count, alpha in after.getchannel("A").getcolors() or []} == {0, 255}


def test_removing_the_background_leaves_the_image_and_is_done_once() -> None:
    images = PlaceholderImages()
    before = placeholder(PROMPT)
    generate(images, PROMPT)
    copy = cut_out(images, FOX)
    assert cut_out(images, copy) == cut_out(images, FOX) == copy
    assert images.assets[FOX] == before
    assert list(images.assets) == [FOX, copy]


def test_near_colours_are_partly_transparent() -> None:
    image = Image.new("RGB", (3, 6), (100, 100, 100))
    for row, grey in enumerate([100, 116, 117, 140, 164, 255]):
        image.putpixel((1, row), (100, grey, 100))
    after = read(without_background(file(image, "PNG")))
    alphas: Any = [after.getpixel((1, row)) for row in range(6)]
    assert [pixel[3] for pixel in alphas] == [0, 0, 5, 128, 255, 255]


@pytest.mark.parametrize("channel", range(3))
def test_every_channel_counts(channel: int) -> None:
    image = Image.new("RGB", (3, 3), (100, 100, 100))
    colour = [100, 100, 100]
    colour[channel] = 255
    image.putpixel((1, 1), tuple(colour))
    assert read(without_background(file(image, "PNG"))).getpixel((1, 1)) == (*colour, 255)


def test_what_was_transparent_stays_so() -> None:
    image = Image.new("RGBA", (3, 3), (255, 255, 255, 255))
    image.putpixel((1, 1), (0, 0, 0, 0))
    image.putpixel((1, 2), (0, 0, 0, 100))
    after = read(without_background(file(image, "PNG")))
    assert after.getpixel((0, 0)) == (255, 255, 255, 0)
    assert after.getpixel((1, 1)) == (0, 0, 0, 0)
    assert after.getpixel((1, 2)) == (0, 0, 0, 100)


def test_the_background_is_the_colour_that_most_corners_have() -> None:
    image = Image.new("RGB", (5, 5), "white")
    image.putpixel((0, 0), (0, 0, 0))
    after = read(without_background(file(image, "PNG")))
    assert after.getpixel((0, 0)) == (0, 0, 0, 255)
    assert after.getpixel((4, 4)) == (255, 255, 255, 0)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP"])
@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "CMYK"])
def test_images_of_every_kind_are_cut_out(kind: str, mode: str) -> None:
    if (kind, mode) in {("PNG", "CMYK"), ("GIF", "CMYK"), ("JPEG", "P")}:
        mode = "RGB"
    image = Image.new("RGB", (32, 32), "white")
    image.paste("black", (8, 8, 24, 24))
    after = read(without_background(file(image.convert(mode), kind)))
    corner, middle = after.getpixel((0, 0)), after.getpixel((16, 16))
    assert isinstance(corner, tuple)
    assert isinstance(middle, tuple)
    assert (corner[3], middle[3]) == (0, 255)


# --- hostile references ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reference",
    [
        *["http://example.com/a.png", "https://example.com/a.png", "//example.com/a.png", "HTTPS://EXAMPLE.COM"],
        *["file:///etc/passwd", "/etc/passwd", "../../etc/passwd", "C:\\Windows\\win.ini", "javascript:alert(1)"],
        *["assets/../" + FOX, "./" + FOX, "/" + FOX, FOX + "?x", FOX + "#x", FOX.upper(), FOX + "\0", " " + FOX],
        *["assets/", "", "assets/a-red-fox-00000000.png", "blob:x", "datas:,"],
    ],
)
def test_only_images_of_this_run_are_known(reference: str) -> None:
    images = PlaceholderImages()
    generate(images, PROMPT)
    assert refused(images, reference) == FOREIGN
    assert list(images.assets) == [FOX]


def test_an_image_of_another_run_is_unknown() -> None:
    generate(PlaceholderImages(), PROMPT)
    assert refused(PlaceholderImages(), FOX) == FOREIGN


def test_no_file_and_no_socket_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    images = PlaceholderImages()
    generate(images, PROMPT)
    cut_out(images, FOX)
    opened: list[Any] = []

    async def ask() -> None:  # patched in here, because the event loop itself opens a pair of sockets
        monkeypatch.setattr("builtins.open", lambda *given, **_: opened.append(given))
        monkeypatch.setattr("os.open", lambda *given, **_: opened.append(given))
        monkeypatch.setattr("socket.socket.connect", lambda *given: opened.append(given))
        monkeypatch.setattr("socket.getaddrinfo", lambda *given, **_: opened.append(given))
        for reference in ["https://example.com/a.png", "file:///etc/hostname", "/etc/hostname", "data:,x"]:
            with pytest.raises(ImageFailed):
                await images.remove_background(reference)

    anyio.run(ask)
    monkeypatch.undo()
    assert opened == []


# --- data: URLs --------------------------------------------------------------------------------------------


def test_an_image_in_a_data_url_is_cut_out_under_the_name_of_its_pixels() -> None:
    images = PlaceholderImages()
    data = file(Image.new("RGB", (4, 4), "white"), "PNG")
    pixels = b"\xff\xff\xff\x00" * 16
    name = f"assets/image-{hashlib.sha256(pixels).hexdigest()[:8]}-transparent.png"
    assert cut_out(images, url(file(Image.new("RGB", (4, 4), "white"), "PNG", compress_level=0))) == name
    assert cut_out(images, url(data)) == name
    assert cut_out(images, url(data).replace("data:image/png", "DATA:text/plain;charset=x")) == name
    assert read(images.assets[name]).getpixel((0, 0)) == (255, 255, 255, 0)


@pytest.mark.parametrize(
    ("reference", "error"),
    [
        ("data:", "A data: URL must contain base64."),
        ("data:,fox", "A data: URL must contain base64."),
        ("data:image/svg+xml,<svg/>", "A data: URL must contain base64."),
        (f"data:{'x' * 300};base64,AAAA", "A data: URL must contain base64."),
        ("data:image/png;base64,A", "The base64 of the data: URL is broken: "),
        ("data:image/png;base64,%%%%", "The base64 of the data: URL is broken: "),
        ("data:image/png;base64,AA AA", "The base64 of the data: URL is broken: "),
        ("data:image/png;base64,", UNREADABLE),
        (url(b"<svg xmlns='http://www.w3.org/2000/svg'/>", "svg+xml"), UNREADABLE),
        (url(b"%PDF-1.7"), UNREADABLE),
        (url(file(Image.new("RGB", (4, 4)), "BMP"), "bmp"), UNREADABLE),
        (url(file(Image.new("RGB", (4, 4)), "TIFF"), "tiff"), UNREADABLE),
    ],
)
def test_a_data_url_that_is_no_image_is_refused(reference: str, error: str) -> None:
    images = PlaceholderImages()
    assert refused(images, reference).startswith(error)
    assert not images.assets


@pytest.mark.parametrize(("width", "height"), [(2001, 1000), (10_000, 9_500), (60_000, 60_000), (2_000_001, 1)])
def test_an_image_of_too_many_pixels_is_refused_before_one_is_unpacked(width: int, height: int) -> None:
    data = png(width, height, b"not even compressed")
    assert refused(PlaceholderImages(), url(data)) == "An image may have at most 2,000,000 pixels."


def test_an_image_of_just_as_many_pixels_as_may_be_is_cut_out() -> None:
    images = PlaceholderImages()
    reference = cut_out(images, url(file(Image.new("1", (2000, 1000), 1), "PNG")))
    assert read(images.assets[reference]).size == (2000, 1000)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(lambda: png(0, 0), id="no size"),
        pytest.param(lambda: png(100, 100), id="too few pixels"),
        pytest.param(lambda: png(4, 4, extra=("zTXt", b"k\0\0" + zlib.compress(bytes(20_000_000)))), id="text bomb"),
        pytest.param(lambda: png(4, 4, extra=("iCCP", b"k\0\0" + zlib.compress(bytes(20_000_000)))), id="profile bomb"),
        pytest.param(lambda: png(4, 4)[:45], id="cut"),
        pytest.param(lambda: file(Image.effect_noise((64, 64), 90), "JPEG")[:500], id="cut jpeg"),
        pytest.param(lambda: b"GIF89a" + b"\xff" * 50, id="gif"),
        pytest.param(lambda: b"RIFF\x40\0\0\0WEBPVP8 \x30\0\0\0" + b"\xff" * 50, id="webp"),
        pytest.param(lambda: b"\x89PNG\r\n\x1a\n" + b"\xff" * 50, id="png"),
    ],
)
def test_broken_images_and_bombs_are_refused(data: Any) -> None:
    assert refused(PlaceholderImages(), url(data())) == UNREADABLE


@given(st.binary(max_size=400), st.sampled_from(["PNG", "JPEG", "GIF", "WEBP"]), st.integers(0, 300))
@settings(max_examples=80, deadline=None)
def test_bytes_of_any_kind_are_an_image_or_refused(noise: bytes, kind: str, at: int) -> None:
    whole = file(Image.new("RGB", (8, 8), "white"), kind)
    try:
        after = read(without_background(whole[:at] + noise + whole[at + len(noise) :]))
    except ImageFailed:
        return
    assert after.mode == "RGBA"


def test_assets_cannot_be_changed_from_outside() -> None:
    with pytest.raises(TypeError):
        PlaceholderImages().assets["x"] = b""  # type: ignore[index]


def png(width: int, height: int, pixels: bytes | None = None, extra: tuple[str, bytes] | None = None) -> bytes:
    """A PNG whose header may promise what its pixels do not hold."""

    def chunk(kind: str, data: bytes) -> bytes:
        body = kind.encode() + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = zlib.compress(bytes(100)) if pixels is None else pixels
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk("IHDR", header)
        + (chunk(*extra) if extra else b"")
        + chunk("IDAT", body)
        + chunk("IEND", b"")
    )
