"""Files that are whole at every moment, and that one recorder writes at a time."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from itertools import count
from pathlib import Path

from filelock import FileLock, Timeout

from harness.errors import BadInput

__all__ = ["is_interrupted", "only_recorder", "put", "take_place", "unused"]

_INTERRUPTED = re.compile(r"\.interrupted-(\d+)$")
_NEW = ".new"


def put(path: Path, content: bytes) -> None:
    """Write a file in one step: whoever looks sees the old content or the new, after a loss of power as well.

    Raises ``BadInput`` when it cannot be written.
    """
    new = path.with_name(f".{path.name}{_NEW}")
    try:
        with new.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
        _settle(path.parent)
    except OSError as error:
        with suppress(OSError):
            new.unlink(missing_ok=True)
        raise BadInput(f"{path}: cannot be written: {error.strerror or error}") from error


def take_place(new: Path, old: Path) -> None:
    """Give a file, which is on disk, the place of another. Raises ``BadInput`` when that cannot be."""
    try:
        new.replace(old)
        _settle(old.parent)
    except OSError as error:
        raise BadInput(f"{old}: cannot be replaced by {new.name}: {error.strerror or error}") from error


def _settle(folder: Path) -> None:
    """Make the names in a folder as durable as the files: a rename is only on disk when its folder is."""
    if os.name == "nt":  # a folder cannot be opened there, and NTFS keeps a journal of names
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


# --- interrupted recordings -----------------------------------------------------------------------------------


def unused(cassette: Path) -> Path:
    """The name for an interrupted recording of a cassette that is free: ``NAME.interrupted-1.yaml``, or the next."""
    names = {each.name for each in cassette.parent.iterdir()}
    return next(path for number in count(1) if (path := _interrupted(cassette, number)).name not in names)


def _interrupted(cassette: Path, number: int) -> Path:
    return cassette.with_name(f"{cassette.stem}.interrupted-{number}{cassette.suffix}")


def is_interrupted(path: Path) -> bool:
    """Whether a file is what an interrupted recording left."""
    return _INTERRUPTED.search(path.stem) is not None


# --- one recorder -----------------------------------------------------------------------------------------------


@contextmanager
def only_recorder(cassette: Path) -> Iterator[None]:
    """Keep other recorders out of a cassette, which need not be there yet. Raises ``BadInput`` when one is in it.

    The lock is of the operating system, so it ends with its process, however that ends.
    """
    try:
        cassette.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"{cassette}: its folder cannot be made: {error.strerror or error}") from error
    name = cassette.with_name(f".{cassette.name}.lock")
    lock = FileLock(name)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise BadInput(_taken(cassette, name)) from None
    except OSError as error:
        raise BadInput(f"{cassette}: cannot be locked: {error.strerror or error}") from error
    try:
        with suppress(OSError):  # only for the message of who comes second
            name.write_text(str(os.getpid()))
        _clear(cassette)
        yield
    finally:
        with suppress(OSError):  # while it is locked: filelock gives nobody the lock of a file that has no name
            name.unlink()
        lock.release()


def _clear(cassette: Path) -> None:
    """Remove what a recorder that was killed while it wrote left half done: all of it but the last is in its part."""
    for each in cassette.parent.glob(f".{escape(cassette.stem)}.interrupted-*{escape(cassette.suffix)}{_NEW}"):
        each.unlink(missing_ok=True)


def _taken(cassette: Path, lock: Path) -> str:
    try:
        holder = f" (process {int(lock.read_text())})"
    except (OSError, ValueError):
        holder = ""
    return (
        f"{cassette}: another recorder{holder} is recording it; wait until it has finished, or record to another file"
    )
