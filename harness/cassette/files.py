"""Files that are whole at every moment, and that one recorder writes at a time."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from harness.errors import BadInput

__all__ = ["is_interrupted", "only_recorder", "put", "settle", "unused"]

_INTERRUPTED = re.compile(r"\.interrupted-(\d+)$")


def put(path: Path, content: bytes) -> None:
    """Write a file in one step: whoever looks sees the old content or the new, after a loss of power as well.

    Raises ``BadInput`` when it cannot be written.
    """
    part = path.with_name(f".{path.name}.new")
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise BadInput(f"{path}: cannot be written: {error.strerror or error}") from error
    settle(path.parent)


def settle(folder: Path) -> None:
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
    numbers = [
        int(found[1])
        for each in cassette.parent.glob("*.interrupted-*")
        if each.suffix == cassette.suffix
        and (found := _INTERRUPTED.search(each.stem))
        and each.stem[: found.start()] == cassette.stem
    ]
    return cassette.with_name(f"{cassette.stem}.interrupted-{max(numbers, default=0) + 1}{cassette.suffix}")


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
        yield
    finally:
        with suppress(OSError):  # while it is locked: filelock gives nobody the lock of a file that has no name
            name.unlink()
        lock.release()


def _taken(cassette: Path, lock: Path) -> str:
    try:
        holder = f" (process {int(lock.read_text())})"
    except (OSError, ValueError):
        holder = ""
    return (
        f"{cassette}: another recorder{holder} is recording it; wait until it has finished, or record to another file"
    )
