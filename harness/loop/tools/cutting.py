"""Removes backgrounds from pictures, with Pillow. Imported with the first such call: most runs have none."""

from __future__ import annotations

import io
import warnings
from collections import Counter
from typing import cast

from PIL import Image, ImageChops

from harness.loop.tools.images import ImageFailed

_FORMATS = ("PNG", "JPEG", "GIF", "WEBP")
_MOST_PIXELS = 2_000_000
_CLEAR, _SOLID = 16, 64
"""Up to the first distance from the background's channels a pixel is background, from the second on it is solid."""


def png_of(image: Image.Image) -> bytes:
    """The image as a PNG file."""
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def without_background(data: bytes) -> bytes:
    """The image as a PNG in which the colour of its corners is transparent, near colours partly.

    Transparent pixels stay transparent. Raises ``ImageFailed`` for bytes that are no PNG, JPEG, GIF or WebP, and,
    before any pixel is unpacked, for an image of more than two million pixels.
    """
    image = _pixels(data)
    colours = image.convert("RGB")
    ground = Image.new("RGB", image.size, _corner_colour(colours))
    red, green, blue = ImageChops.difference(colours, ground).split()
    distance = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    opacity = distance.point([_opacity(away) for away in range(256)])
    image.putalpha(ImageChops.multiply(image.getchannel("A"), opacity))
    return png_of(image)


def pixels_of(png: bytes) -> bytes:
    """The pixels of an image that was made here. Unlike its bytes they do not depend on the packing library."""
    with Image.open(io.BytesIO(png)) as image:
        return image.tobytes()


def _pixels(data: bytes) -> Image.Image:
    try:
        with warnings.catch_warnings():  # what Pillow warns of is refused below, by its size
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(data), formats=_FORMATS) as image:
                if image.width * image.height > _MOST_PIXELS:
                    raise Image.DecompressionBombError
                return image.convert("RGBA")
    except Image.DecompressionBombError:  # Pillow's own, for what is far too large, or the one above
        raise ImageFailed(f"An image may have at most {_MOST_PIXELS:,} pixels.") from None
    except Exception as error:  # decoders raise whatever a broken file makes them raise
        raise ImageFailed("Not an image that can be read: a PNG, JPEG, GIF or WebP.") from error


def _corner_colour(image: Image.Image) -> tuple[int, ...]:
    """The colour of most corners; if several colours are equally frequent, the first from the top left."""
    right, bottom = image.width - 1, image.height - 1
    corners = [image.getpixel(at) for at in ((0, 0), (right, 0), (0, bottom), (right, bottom))]
    return Counter(cast(list[tuple[int, ...]], corners)).most_common()[0][0]


def _opacity(away: int) -> int:
    """The opacity: 0 for the background's colour, up to 255; values between are for soft edges of shapes."""
    return round(255 * min(max((away - _CLEAR) / (_SOLID - _CLEAR), 0), 1))
