"""Draws placeholder pictures with Pillow. Imported with the first picture: most runs have none."""

from __future__ import annotations

import hashlib
import textwrap

from PIL import Image, ImageDraw, ImageFont

from harness.loop.tools.cutting import png_of

_SIZE = _WIDTH, _HEIGHT = 320, 240
_SHAPE = (90, 20, 230, 130)
_TEXT_AT, _TEXT_SIZE = (16, 142), 14
_LINE, _LINES = 40, 5
_DRAWN_TEXT = 400


def placeholder(prompt: str) -> bytes:
    """A PNG of 320 x 240: a dark shape on a light ground, with the prompt below. The prompt decides both colours."""
    light, dark = _colours(prompt)
    image = Image.new("RGB", _SIZE, light)
    draw = ImageDraw.Draw(image)
    draw.fontmode = "1"  # letters without soft edges, which would keep a rim when they are cut out
    draw.ellipse(_SHAPE, fill=dark)
    lines = textwrap.wrap(prompt[:_DRAWN_TEXT], _LINE, max_lines=_LINES, placeholder=" ...")
    draw.multiline_text(_TEXT_AT, "\n".join(lines), fill=dark, font=ImageFont.load_default(_TEXT_SIZE))
    return png_of(image)


def _colours(prompt: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """A light colour and a dark one that are never taken for each other."""
    digest = hashlib.sha256(prompt.encode()).digest()
    return tuple(192 + byte % 64 for byte in digest[:3]), tuple(byte % 96 for byte in digest[3:6])
