"""Finds a line in the user's own repository for findings in scenarios outside of it, such as the shipped ones.

Code scanning and annotations show a finding beside a line of the repository or not at all. Such a finding is about the
loop, so its place is where the loop is started: its function, its program, its target file, or else the file of the
project.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Final

Place = tuple[str, int]
"""A file, relative to the working directory, and a line of it."""

_PROJECT: Final = ("pyproject.toml", "package.json", "setup.py", "setup.cfg", "go.mod", "Cargo.toml", "README.md")
_ADDRESS: Final = re.compile(r"(?P<module>[A-Za-z_][\w.]*):(?P<name>[A-Za-z_]\w*)")
_PYTHON: Final = re.compile(r"^python:\s*[\"']?(?P<address>[\w.]+:\w+)", re.MULTILINE)
_LARGEST: Final = 1_000_000
"""Bytes of a file that is searched for a function."""


def place(file: str, line: int | None, target: str) -> Place:
    """The place to report: the scenario's if it is in the repository, else the place of the loop."""
    if file and not PurePath(file).is_absolute():
        return file, line or 1
    return anchor(target) or (file, line or 1)


def anchor(target: str) -> Place | None:
    """The place of the target with this name, as ``--target`` takes it, below the working directory; None if there is
    none."""
    return next((found for found in _candidates(target) if found is not None), None)


def _candidates(target: str) -> Iterator[Place | None]:
    if target.endswith((".yaml", ".yml")) and _is_ours(target):
        address = _PYTHON.search(_text(Path(target)))
        yield _function(address["address"], Path(target).parent) if address else None
        yield target, 1
    if _ADDRESS.fullmatch(target) and not target.startswith("cmd:"):
        yield _function(target, Path())
    if target.startswith("cmd:"):
        yield from ((word, 1) for word in _words(target.removeprefix("cmd:")) if _is_ours(word))
    yield from ((name, 1) for name in _PROJECT if _is_ours(name))


def _function(address: str, directory: Path) -> Place | None:
    """The line that defines a function, found without importing anything."""
    module, _, name = address.partition(":")
    below = module.replace(".", "/")
    for file in (f"{below}.py", f"{below}/__init__.py", f"src/{below}.py", f"src/{below}/__init__.py"):
        path = (directory / file).as_posix()
        if _is_ours(path):
            defined = re.search(rf"^(?:async )?(?:def|class) {re.escape(name)}\b", _text(Path(path)), re.MULTILINE)
            return path, 1 if defined is None else _text(Path(path)).count("\n", 0, defined.start()) + 1
    return None


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []


def _is_ours(path: str) -> bool:
    """Whether it is a file below the working directory."""
    try:
        return not PurePath(path).is_absolute() and ".." not in PurePath(path).parts and Path(path).is_file()
    except (OSError, ValueError):  # no name of a file
        return False


def _text(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(_LARGEST)
    except OSError:
        return ""
