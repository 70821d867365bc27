"""Where a body is cut, so that every cut that a reader could take for another one is made, and no other."""

from __future__ import annotations

_SAMPLE = 97
"""One place in so many is cut although nothing is there: a prime, so that it falls on all parts of like frames."""


def cut_places(body: bytes) -> list[int]:
    """The first and the last place, those around every end of a line and in every character of several bytes, a sample.

    A reader of streams looks at line ends and at whole characters. What stands between them is one line to it, wherever
    it is cut.
    """
    marked = [at for at, byte in enumerate(body) if byte in b"\r\n" or byte >= 0x80]
    near = {place for at in marked for place in range(at - 1, at + 3)}
    return sorted(
        place for place in {0, 1, len(body) - 1, *near, *range(0, len(body), _SAMPLE)} if 0 <= place < len(body)
    )
