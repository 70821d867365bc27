"""The words of a command, and whether the program is there."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.errors import BadInput
from harness.scenario.agent_tools import text_of


def program(
    command: str | Sequence[str],
    place: str,
    directory: Path | None = None,
    words: Mapping[str, str] | None = None,
    install: str | None = None,
) -> tuple[str, ...]:
    """The program with its arguments. A text is split as a shell splits it, but nothing in it is expanded.

    ``words`` has the value for each ``$NAME``. If the program does not exist, raises ``BadInput`` with a text that
    begins with ``place`` and names the command ``install``.
    """
    if os.name != "posix":
        raise BadInput(f"{place}: commands are targets on Linux and macOS only; here use a function in Python")
    try:
        split = shlex.split(command) if isinstance(command, str) else command
    except ValueError as error:
        raise BadInput(f"{place}: expected a command, got {command!r}: {error}; close the quotes") from None
    found = [text_of(word, words or {}) for word in split]
    if not found:
        raise BadInput(f"{place}: expected a program and its arguments, got nothing; write cmd:'node my_agent.mjs'")
    if not _found(found[0], directory):
        remedy = "correct its name, or install it" if install is None else f"install it: {install}"
        raise BadInput(f"{place}: there is no program {found[0]!r}; {remedy}")
    return tuple(found)


def _found(word: str, directory: Path | None) -> bool:
    """Whether the program exists. A path is relative to where the command will run; a name is searched along PATH."""
    # joined as text: Path drops the "./" without which a name is looked up along PATH
    return shutil.which(word if "/" not in word else os.path.join(directory or ".", word)) is not None  # noqa: PTH118
