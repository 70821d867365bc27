"""Tables in a document that is written by hand: each between two markers, and nothing else is touched.

<!-- figures: NAME -->
...
<!-- end -->
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from harness.errors import BadInput

_END = "<!-- end -->"
_BEGIN = re.compile(r"<!-- figures: (\S+) -->")


class Document:
    """A document with markers. Raises ``BadInput`` for a file that cannot be read or written, and for wrong markers."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._check(self._text())

    @property
    def names(self) -> list[str]:
        """What there are markers for, in their order."""
        return _BEGIN.findall(self._text())

    def require(self, name: str) -> None:
        """Raise ``BadInput`` unless there are markers for ``name``."""
        if name not in self.names:
            begin = f"<!-- figures: {name} -->"
            raise BadInput(f"{self._path}: expected a line {begin}, got none; add it, with a line {_END} below")

    def put(self, name: str, block: str) -> None:
        """Put ``block``, which ends with a line feed, between the markers of ``name``, and save the document."""
        self.require(name)
        begin = f"<!-- figures: {name} -->"
        head, _, rest = self._text().partition(begin)
        self._save(f"{head}{begin}\n\n{block}\n{_END}{rest.partition(_END)[2]}")

    def _check(self, text: str) -> None:
        """Every begin has an end of its own, and every name one begin."""
        names = _BEGIN.findall(text)
        for name in names:
            between = text.partition(f"<!-- figures: {name} -->")[2].partition(_END)
            if not between[1] or _BEGIN.search(between[0]):
                raise BadInput(f"{self._path}: expected a line {_END} behind <!-- figures: {name} -->, got none")
            if names.count(name) > 1:
                raise BadInput(
                    f"{self._path}: expected <!-- figures: {name} --> once, got it {names.count(name)} times"
                )

    def _text(self) -> str:
        try:
            return self._path.read_bytes().decode()  # as bytes: the line feeds of what is outside stay as they are
        except (OSError, ValueError) as error:
            raise BadInput(f"{self._path}: cannot be read: {error}") from None

    def _save(self, text: str) -> None:
        draft = self._path.with_name(self._path.name + ".part")
        try:
            draft.write_bytes(text.encode())
            os.replace(draft, self._path)  # noqa: PTH105 - Path.replace is the same call; os.replace says it is atomic
        except OSError as error:
            raise BadInput(f"{self._path}: cannot be written: {error.strerror}") from None
