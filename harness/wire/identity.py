"""Ids, signatures and clocks of a scripted provider: fresh, real-looking, and the same for the same case.

Everything is drawn from a hash of (seed, counter), so a case renders the same bytes again, two cases never
share an id, and nothing here needs a clock or a random source. Loops reject or misread ids that do not look
like the provider's (a target raises when a call id comes back in a later turn), so ids have the provider's
prefix, alphabet and length.
"""

from __future__ import annotations

import base64
import hashlib
import string
from functools import cache

ALPHANUMERIC = string.ascii_letters + string.digits
LOWER_ALPHANUMERIC = string.ascii_lowercase + string.digits
HEX = "0123456789abcdef"

_EPOCH = 1_785_273_853
"""The scripted clock's start (2026-07-28), in seconds since 1970."""


@cache
def _letters(alphabet: str) -> bytes:
    """The letter of the alphabet for each byte."""
    return bytes([ord(alphabet[byte % len(alphabet)]) for byte in range(256)])


class Identity:
    """The source of everything in a case's responses that must be unique and must not be guessable.

    ``seed`` names the case (and the run's seed). One instance belongs to one case and is not shared.
    """

    def __init__(self, seed: str) -> None:
        self._seed = seed.encode("utf-8", "surrogatepass")
        self._count = 0

    def bytes(self, length: int) -> bytes:
        """``length`` fresh bytes."""
        self._count += 1
        return hashlib.shake_128(b"%d:%s" % (self._count, self._seed)).digest(length)

    def id(self, prefix: str, length: int, alphabet: str = ALPHANUMERIC) -> str:
        """A fresh id: ``prefix`` and ``length`` characters of ``alphabet``."""
        return prefix + self.bytes(length).translate(_letters(alphabet)).decode("ascii")

    def base64(self, length: int) -> str:
        """``length`` fresh bytes in standard base64, as signatures are sent."""
        return base64.b64encode(self.bytes(length)).decode("ascii")

    def now(self) -> int:
        """The scripted clock in seconds since 1970; it stands still within a case."""
        return _EPOCH
