"""The default image service of a run: placeholders, kept in memory.

An image of the prompt "A red fox!" is ``assets/a-red-fox-<hash>.png``, its copy without background
``assets/a-red-fox-<hash>-transparent.png``. So a script can name an image before it is made, and a page that is
saved or served with the images beside it shows them. The reference is short, and no ``data:`` URL, because the
model must repeat it in the page letter by letter. A reference is looked up only among this run's images: no file is
opened and nothing is fetched.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from types import MappingProxyType

from harness.loop.tools.images import ImageFailed

_WILL_FAIL = "fail:"
_CUT_OUT = "-transparent.png"
_DATA_URL = re.compile(r"data:[^,]{0,200};base64,(?P<data>.*)", re.IGNORECASE)
_WORD = re.compile(r"[a-z0-9]+")
_LONGEST_SLUG = 40


class PlaceholderImages:
    """Draws a placeholder for every prompt, the same for the same prompt, and really removes backgrounds.

    A prompt that begins with ``fail:`` fails with the words that follow, so that a script can ask for a failure.
    Backgrounds are removed from this run's own images and from ``data:`` URLs. The name of such a copy has the hash of
    its pixels, so that a script can name the expected result. The memory for all images has no limit of its own: it
    grows with what the model writes, and each image takes some time.
    """

    def __init__(self) -> None:
        self._assets: dict[str, bytes] = {}

    @property
    def assets(self) -> Mapping[str, bytes]:
        """The images so far: PNG files by reference."""
        return MappingProxyType(self._assets)

    async def generate(self, prompt: str) -> str:
        """Draw ``prompt``. Raises ``ImageFailed`` if the prompt asks for that."""
        from harness.loop.tools.drawing import placeholder

        if prompt.startswith(_WILL_FAIL):
            raise ImageFailed(prompt.removeprefix(_WILL_FAIL).strip() or "This prompt always fails.")
        return self._keep(f"assets/{_slug(prompt)}-{_digest(prompt.encode())}.png", placeholder(prompt))

    async def remove_background(self, reference: str) -> str:
        """Remove the background. Raises ``ImageFailed`` if the image is unknown, too large, or no image."""
        from harness.loop.tools.cutting import pixels_of, without_background

        if reference in self._assets:
            if reference.endswith(_CUT_OUT):
                return reference
            return self._keep(reference.removesuffix(".png") + _CUT_OUT, without_background(self._assets[reference]))
        image = without_background(_data_of(reference))
        return self._keep(f"assets/image-{_digest(pixels_of(image))}{_CUT_OUT}", image)

    def _keep(self, reference: str, image: bytes) -> str:
        self._assets[reference] = image
        return reference


def _slug(prompt: str) -> str:
    return "-".join(_WORD.findall(prompt.lower()))[:_LONGEST_SLUG].strip("-") or "image"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:8]


def _data_of(url: str) -> bytes:
    """The bytes that a ``data:`` URL holds."""
    if url[:5].lower() != "data:":
        raise ImageFailed("Not an image of this run. Images from elsewhere are not fetched.")
    match = _DATA_URL.fullmatch(url)
    if match is None:
        raise ImageFailed("A data: URL must contain base64.")
    try:
        return base64.b64decode(match["data"], validate=True)
    except ValueError as error:
        raise ImageFailed(f"The base64 of the data: URL is broken: {error}") from error
