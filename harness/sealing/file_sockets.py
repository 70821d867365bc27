"""Sockets in the file system, through which a process could reach others outside its network namespace
(``docker.sock``)."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

_RUN: Final = ("/run", os.environ.get("XDG_RUNTIME_DIR", ""))
"""Folders in which services have their sockets. No list has the sockets of another network namespace."""

_SKIPPED: Final = frozenset({"udev"})
_MOST_ENTRIES: Final = 20_000
"""The most files that are looked at; it takes some milliseconds."""


def file_sockets() -> list[str]:
    """The paths of all known sockets, each once: from the kernel's list, from mounts, and from below ``/run``."""
    found = {os.path.realpath(path) for path in (*_listed_sockets(), *_mount_points(), *_below(_RUN))}
    return sorted(path for path in found if _is_socket(path))


def _listed_sockets() -> Iterator[str]:
    """The sockets of this network namespace; the path is the eighth column, and may have spaces."""
    with suppress(OSError), open("/proc/net/unix", encoding="utf-8", errors="surrogateescape") as file:  # noqa: PTH123
        for line in file:
            columns = line.rstrip("\n").split(maxsplit=7)
            if len(columns) == 8 and columns[7].startswith("/"):
                yield columns[7]


def _mount_points() -> Iterator[str]:
    """Mount points, which may be single files. The place is the fifth column, with octal escapes."""
    with suppress(OSError), open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:  # noqa: PTH123
        for line in file:
            place = line.split()[4]
            yield place.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\")


def _below(folders: tuple[str, ...]) -> Iterator[str]:
    """Everything below these folders that is no file, folder or link, without the folders in ``_SKIPPED``."""
    waiting = [folder for folder in folders if folder]
    seen = 0
    while waiting and seen < _MOST_ENTRIES:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                seen += 1
                if entry.is_dir(follow_symlinks=False):
                    waiting += [] if entry.name in _SKIPPED else [entry.path]
                elif not entry.is_file(follow_symlinks=False) and not entry.is_symlink():
                    yield entry.path


def _is_socket(path: str) -> bool:
    try:
        return stat.S_ISSOCK(os.stat(path).st_mode)  # noqa: PTH116 - pathlib takes long to import
    except OSError:
        return False
