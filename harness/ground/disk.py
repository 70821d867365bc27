"""Files that are whole at every moment, locks that end with their process, and words for a disk that fails.

A file is written under another name, put on the disk, and renamed: whoever looks sees the old content or the new,
whenever the process is killed and the power lost. Nothing here raises ``OSError``: what the user can correct is
``BadInput``, a disk or machine that does not go on is ``Breakdown``.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

from harness.errors import BadInput, Breakdown

DRAFT: Final = ".new"
"""What the name of a file ends with that is being written; it begins with a dot."""

_CORRECTABLE: Final = frozenset(
    {
        errno.EACCES,
        errno.EEXIST,
        errno.EISDIR,
        errno.ELOOP,
        errno.ENAMETOOLONG,
        errno.ENOENT,
        errno.ENOTDIR,
        errno.ENOTEMPTY,
        errno.EPERM,
        errno.EROFS,
        errno.EXDEV,
    }
)
"""Another path, or another right to it, makes these go away."""

_ADVICE: Final = {
    errno.ENOSPC: "make room on the disk",
    errno.EDQUOT: "make room below your quota",
    errno.EFBIG: "raise the limit of a file's size (ulimit -f)",
    errno.EMFILE: "raise the limit of open files (ulimit -n)",
    errno.ENFILE: "close other programs: the machine has no more open files",
    errno.EAGAIN: "raise the limit of processes (ulimit -u), or use a smaller -j",
    errno.ENOMEM: "close other programs: the machine has no more memory",
    errno.EIO: "check the disk",
}

_LONGEST: Final = 200
"""Bytes of a name, without its ending. Most file systems take 255; drafts, locks and endings need the rest."""

_READABLE: Final = 160
"""Bytes of a name that is too long which stay: what follows distinguishes it from others."""


def problem(error: OSError, what: str) -> BadInput | Breakdown:
    """The exception to raise for an error of the system, with ``what`` failed, the system's reason, and what to do."""
    reason = f"{what}: {error.strerror or error}"
    if error.errno in _CORRECTABLE:
        return BadInput(reason)
    advice = _ADVICE.get(error.errno or 0)
    return Breakdown(f"{reason}; {advice}, then run again" if advice else reason)


def put(path: Path, content: bytes, *, synced: bool = True) -> None:
    """Write a file in one step. Raises ``BadInput`` or ``Breakdown`` when it cannot be written; it is as it was then.

    Not ``synced``, it survives the end of the process at any moment, but perhaps not a loss of power.
    """
    draft = path.with_name(f".{path.name}{DRAFT}")
    try:
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            if synced:
                os.fsync(file.fileno())
        draft.replace(path)
        if synced:
            settle(path.parent)
    except OSError as error:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise problem(error, f"{path}: cannot be written") from error


def take_place(new: Path, old: Path) -> None:
    """Give a file, which is on disk, the place of another. Raises ``BadInput`` or ``Breakdown`` when that cannot be."""
    try:
        new.replace(old)
        settle(old.parent)
    except OSError as error:
        raise problem(error, f"{old}: cannot be replaced by {new.name}") from error


def settle(folder: Path) -> None:
    """Make the names in a folder as durable as the files: a rename is only on disk when its folder is.

    Raises ``OSError``.
    """
    if os.name == "nt":  # a folder cannot be opened there, and NTFS keeps a journal of names
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def make_folder(path: Path, what: str) -> None:
    """Make a folder and those above it, if they are missing.

    Raises ``BadInput`` or ``Breakdown``, beginning with ``what``, where that cannot be done.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise problem(error, what) from error


def bounded_name(name: str) -> str:
    """A name for a file of a text of any length: the text itself, or its beginning and a checksum where it is too long.

    The length counts in bytes, as file systems do; no letter is cut in two.
    """
    encoded = name.encode("utf-8", "surrogatepass")
    if len(encoded) <= _LONGEST:
        return name
    beginning = encoded[:_READABLE].decode("utf-8", "ignore")
    return f"{beginning}-{sha256(encoded).hexdigest()[:16]}"


@contextmanager
def locked(lock_file: Path, taken: Callable[[int | None], str], what: str) -> Iterator[None]:
    """Keep other processes out while the block runs; ``lock_file`` is made for it, and removed at the end.

    The lock is of the operating system, so it ends with its process, however that ends: a file that was left is no
    lock. Raises ``BadInput`` with the text that ``taken`` makes of the holder's process where another has it, and
    ``BadInput`` or ``Breakdown``, beginning with ``what``, where it cannot be locked.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(lock_file)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise BadInput(taken(_holder(lock_file))) from None
    except OSError as error:
        raise problem(error, f"{what}: cannot be locked") from error
    try:
        with suppress(OSError):  # only for the message of who comes second
            lock_file.write_text(str(os.getpid()))
        yield
    finally:
        with suppress(OSError):  # while it is locked: filelock gives nobody the lock of a file that has no name
            lock_file.unlink()
        lock.release()


def _holder(lock_file: Path) -> int | None:
    try:
        return int(lock_file.read_text())
    except (OSError, ValueError):
        return None
