"""Passes on the program's output as it comes, and counts which model texts its user has seen, and how often."""

from __future__ import annotations

import os
import re
import sys
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from types import TracebackType
from typing import Final, Self

from harness.endpoint.recognition import TAG
from harness.wire import Reply

_TAG: Final = re.compile(TAG.pattern.encode())
_LONGEST: Final = 9
"""Most bytes of an incomplete tag at the end of a read."""

_PARTING: Final = 5.0
"""Seconds to read the rest of the pipe after the program has ended."""


class ProgramOutput:
    """Standard output of the program, read here and copied to ours. If ours is a terminal, the program writes to it.

    ``tags`` counts the tags of the automatic model's texts in the output.
    """

    def __init__(self) -> None:
        self.tags: Counter[str] = Counter()
        self._pipe: tuple[int, int] | None = None
        self._thread: threading.Thread | None = None

    @property
    def streams(self) -> tuple[int, int, int]:
        """Standard input, output and error for the program. Output and error stay together if they are one file."""
        if self._pipe is None:
            return 0, 1, 2
        return 0, self._pipe[1], self._pipe[1] if _is_one_file() else 2

    def __enter__(self) -> Self:
        if sys.stdout is not None and _is_open() and not os.isatty(1):
            self._pipe = os.pipe()
            self._thread = threading.Thread(target=self._pass_on, args=(self._pipe[0],), daemon=True, name="printed")
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._pipe is not None and self._thread is not None:
            os.close(self._pipe[1])
            self._thread.join(_PARTING)

    def _pass_on(self, source: int) -> None:
        rest = b""
        try:
            while piece := os.read(source, 65536):
                rest = self._count_tags(rest + piece)
                _write(piece)
        except OSError:  # nobody reads our output any longer: the program gets an error at its next write
            pass
        finally:
            os.close(source)

    def _count_tags(self, text: bytes) -> bytes:
        """Count the tags of a text. Returns the end of the text that may begin another tag."""
        end = 0
        for found in _TAG.finditer(text):
            self.tags[found[1].decode()] += 1
            end = found.end()
        return text[max(end, len(text) - _LONGEST) :]


def repeated(replies: Iterable[Reply], printed: Mapping[str, int], answered: Mapping[str, int]) -> Iterator[str]:
    """A note on each of ``replies`` that the program has printed more than once.

    ``printed`` counts the tags in its output, ``answered`` the tags of all answers: equal requests get equal texts.
    """
    for tag in dict.fromkeys(tag for reply in replies for tag in TAG.findall(reply.turn.text)):
        if printed.get(tag, 0) > answered.get(tag, 1):
            yield f"the program has printed the answer [{tag}] {printed[tag]} times"


def _write(piece: bytes) -> None:
    while piece:
        piece = piece[os.write(1, piece) :]


def _is_open() -> bool:
    try:
        os.fstat(1)
    except OSError:
        return False
    return True


def _is_one_file() -> bool:
    try:
        return os.path.sameopenfile(1, 2)
    except OSError:
        return False
