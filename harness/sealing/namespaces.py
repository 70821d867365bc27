"""The parts of a seal: namespaces for users, mounts, processes, and a network that has only loopback."""

from __future__ import annotations

import _socket
import fcntl
import os
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Final

from harness.sealing import kernel
from harness.sealing.file_sockets import file_sockets
from harness.sealing.files import keep_from_writing

_SIOCSIFFLAGS: Final = 0x8914
_UP_AND_RUNNING: Final = 0x1 | 0x40


def enter() -> None:
    """Seal this process off; it must have one thread only. Its next children are in a PID namespace of their own.

    Everyone keeps their user and group, so the owners of files do not change. Raises ``OSError`` if the kernel forbids
    it.
    """
    hidden = file_sockets()  # beyond the seal they are not listed
    with _maps() as write_maps:
        kernel.unshare(kernel.CLONE_NEWUSER | kernel.CLONE_NEWNET | kernel.CLONE_NEWNS | kernel.CLONE_NEWPID)
        write_maps()
    _loopback_up()
    with suppress(OSError):  # a container may forbid mounts: then sockets of the file system stay where they are
        kernel.follow_mounts()
        for path in hidden:
            with suppress(OSError):  # it has gone, or it is on a file system that is not seen here
                kernel.bind_null(path)


def enter_mounts(writable: Sequence[str] | None = None) -> None:
    """Give the first process of a PID namespace its own ``/proc``, if the kernel allows that.

    With ``writable``, the command may write only these folders (``files``), if the kernel allows that, too.
    """
    with suppress(OSError):
        kernel.unshare(kernel.CLONE_NEWNS)
        with suppress(OSError):
            kernel.mount_proc()
        if writable is not None:
            keep_from_writing(writable)


def _loopback_up() -> None:
    request = struct.pack("16sH14x", b"lo", _UP_AND_RUNNING)
    interface = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM)
    try:
        fcntl.ioctl(interface.fileno(), _SIOCSIFFLAGS, request)
    finally:
        interface.close()


# --- users and groups ------------------------------------------------------------------------------------------


@contextmanager
def _maps() -> Iterator[Callable[[], None]]:
    """Yields a function to be called in the new user namespace: it maps users and groups to themselves.

    For root it maps all users and groups, because root's programs may become others and own their files. Only a process
    outside may write such maps, so one is forked now. Otherwise, and if root may not do that, it maps only the own user
    and group.
    """
    map_own = partial(_map_own, os.geteuid(), os.getegid())  # in the new namespace nobody has a number yet
    if os.geteuid() != 0:
        yield map_own
        return
    maps = {name: _identity(f"/proc/self/{name}") for name in ("uid_map", "gid_map")}
    asked, ask = os.pipe()
    helper = os.fork()
    if helper == 0:
        os.close(ask)
        os._exit(_written_from_outside(asked, os.getppid(), maps))
    os.close(asked)
    ended: list[int] = []

    def end() -> int:
        os.close(ask)
        ended.append(os.waitpid(helper, 0)[1])
        return ended[0]

    def write() -> None:
        os.write(ask, b"now")
        if end() != 0:
            map_own()

    try:
        yield write
    finally:
        if not ended:
            end()


def _written_from_outside(asked: int, process: int, maps: dict[str, str]) -> int:
    """In the helper process: write the maps of ``process``. Returns 0 if that succeeds."""
    try:
        if not os.read(asked, 3):
            return 1
        for name, text in maps.items():
            _write(f"/proc/{process}/{name}", text)
    except OSError:
        return 1
    return 0


def _identity(path: str) -> str:
    """The users or groups that exist here, each mapped to itself."""
    with open(path, encoding="ascii") as file:  # noqa: PTH123 - pathlib takes long to import
        inside = [line.split() for line in file]
    return "".join(f"{first} {first} {count}\n" for first, _, count in inside)


def _map_own(user: int, group: int) -> None:
    _write("/proc/self/uid_map", f"{user} {user} 1\n")
    with suppress(FileNotFoundError):  # before Linux 3.19
        _write("/proc/self/setgroups", "deny")
    _write("/proc/self/gid_map", f"{group} {group} 1\n")


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.write(descriptor, text.encode("ascii"))
    finally:
        os.close(descriptor)
