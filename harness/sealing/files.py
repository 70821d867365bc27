"""A file system in which a command may write only some folders, as the processes of its mount namespace see it.

Everything else is read-only. Only the devices in ``_DEVICES`` can be opened, and ``/dev/shm`` is empty. Nobody else
sees what is written into ``/tmp``. Nothing of it outlives the namespace.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from harness.sealing import kernel

_DEVICES: Final = tuple(f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "tty"))
"""The devices that programs use. Root could write to a disk through its device, whatever its file system allows."""

_SHARED_MEMORY: Final = "/dev/shm"  # noqa: S108 - it is covered
_TEMPORARY: Final = "/tmp"  # noqa: S108 - it is covered
"""Where programs write that do not use ``TMPDIR``."""


def keep_from_writing(writable: Sequence[str]) -> None:
    """Make all but these folders read-only for this process and its children, in a mount namespace of their own.

    Raises ``OSError`` if the kernel cannot do that (Linux before 5.12, a container that forbids it). Nothing has
    changed then.
    """
    before = _open_file("/proc/self/ns/mnt", os.O_RDONLY)
    kernel.unshare(kernel.CLONE_NEWNS)
    try:
        _mount_all(writable)
    except OSError:
        kernel.enter_namespace(before, kernel.CLONE_NEWNS)
        raise
    finally:
        os.close(before)


def _mount_all(writable: Sequence[str]) -> None:
    folders = {folder: _open_file(folder) for folder in writable}
    devices = {path: _open_file(path) for path in _DEVICES if os.path.exists(path)}  # noqa: PTH110 - pathlib takes long to import
    temporary = _open_file(_TEMPORARY)
    kernel.protect()
    for path, device in devices.items():
        kernel.bind(device, path)
        kernel.allow(path, kernel.DEVICES)
    _terminals()
    with suppress(OSError):  # there is none: nobody shares memory by it
        kernel.mount_memory(_SHARED_MEMORY)
    _copy_on_write(temporary)
    for path, folder in folders.items():
        kernel.bind(folder, path)
        kernel.allow(path, kernel.WRITING)
    for descriptor in (*folders.values(), *devices.values(), temporary):
        os.close(descriptor)


def _open_file(path: str, how: int = os.O_PATH) -> int:
    """Open a file before something is mounted above it."""
    return os.open(path, how | os.O_CLOEXEC)


def _terminals() -> None:
    """Give the namespace its own, empty list of terminals. If the kernel refuses that, no terminal can be opened."""
    with suppress(OSError):
        kernel.mount_terminals("/dev/pts")
        terminals = _open_file("/dev/pts/ptmx")  # by that of ``/dev`` they would not be found
        try:
            kernel.bind(terminals, "/dev/ptmx")
            kernel.allow("/dev/ptmx", kernel.DEVICES)
        finally:
            os.close(terminals)


def _copy_on_write(temporary: int) -> None:
    """Show the files of ``/tmp``, and keep what is written in memory. If the kernel refuses that, ``/tmp`` is
    read-only."""
    with suppress(OSError):
        kernel.mount_memory(_TEMPORARY)
        try:
            for name in ("written", "work"):
                os.mkdir(f"{_TEMPORARY}/{name}", 0o1777)  # noqa: PTH102 - pathlib takes long to import
                os.chmod(f"{_TEMPORARY}/{name}", 0o1777)  # noqa: PTH101, S103 - as /tmp is
            kernel.mount_over(_TEMPORARY, temporary, f"{_TEMPORARY}/written", f"{_TEMPORARY}/work")
        except OSError:
            kernel.unmount(_TEMPORARY)
