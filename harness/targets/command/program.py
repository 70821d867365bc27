"""The words of a command, and whether the program is there."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path

from harness.errors import BadInput

__all__ = ["program"]


def program(command: str | list[str], place: str, directory: Path | None = None) -> tuple[str, ...]:
    """The program with its arguments; a text is split as a shell splits it, but nothing in it is expanded.

    Raises ``BadInput``, which begins with ``place``, where there is no such program.
    """
    if os.name != "posix":
        raise BadInput(f"{place}: commands are targets on Linux and macOS only; here use a function in Python")
    try:
        words = shlex.split(command) if isinstance(command, str) else command
    except ValueError as error:
        raise BadInput(f"{place}: expected a command, got {command!r}: {error}; close the quotes") from None
    if not words:
        raise BadInput(f"{place}: expected a program and its arguments, got nothing; write cmd:'node my_agent.mjs'")
    if not _found(words[0], directory):
        raise BadInput(f"{place}: there is no program {words[0]!r}; correct its name, or install it")
    return tuple(words)


def _found(word: str, directory: Path | None) -> bool:
    """A path is looked up where the command will run, a name along PATH."""
    # joined as text: Path drops the "./" without which a name is looked up along PATH
    return shutil.which(word if "/" not in word else os.path.join(directory or ".", word)) is not None  # noqa: PTH118
