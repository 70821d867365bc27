"""The system calls of a seal that Python has no functions for, called through libc. Linux only."""

from __future__ import annotations

import ctypes
import os
import signal
from typing import Final

CLONE_NEWNS: Final = 0x00020000
CLONE_NEWUSER: Final = 0x10000000
CLONE_NEWPID: Final = 0x20000000
CLONE_NEWNET: Final = 0x40000000

_PR_SET_PDEATHSIG: Final = 1
_PR_CAPBSET_DROP: Final = 24

_MS_NOSUID_NODEV_NOEXEC: Final = 2 | 4 | 8
_MS_NOSUID_NODEV: Final = 2 | 4
_MS_NOSUID_NOEXEC: Final = 2 | 8
_MS_BIND: Final = 4096
_MS_REC: Final = 16384
_MS_PRIVATE: Final = 1 << 18
_MS_REC_SLAVE: Final = 16384 | (1 << 19)

_MNT_DETACH: Final = 2

WRITING: Final = 1
DEVICES: Final = 4
"""Flags of what a mount can forbid: to write, and to open devices."""

_MOUNT_SETATTR: Final = 442
"""The number of the system call, the same on all processors that Python runs on; the C library may be older."""

_AT_FDCWD: Final = -100
_AT_RECURSIVE: Final = 0x8000

_CAPABILITIES_VERSION: Final = 0x20080522
_LAST_CAPABILITY: Final = 63
"""The highest capability of this version; a kernel with fewer capabilities refuses the rest."""

_KEPT_BY_ROOT: Final = frozenset({0, 1, 2, 3, 4, 5, 6, 7, 10, 31})
"""Capabilities that programs of root use for files, users and low ports: CHOWN, DAC_OVERRIDE, DAC_READ_SEARCH, FOWNER,
FSETID, KILL, SETGID, SETUID, NET_BIND_SERVICE and SETFCAP. None of them opens a seal."""

_libc = ctypes.CDLL(None, use_errno=True)


def unshare(flags: int) -> None:
    """Put this process (for ``CLONE_NEWPID``: its next children) into new namespaces. Raises ``OSError``."""
    _check(_libc.unshare(flags), "unshare")


def enter_namespace(descriptor: int, kind: int) -> None:
    """Join the namespace of an open file of ``/proc/PID/ns``. Raises ``OSError``."""
    _check(_libc.setns(descriptor, kind), "setns")


def die_with_parent() -> None:
    """Have the kernel kill this process as soon as the thread that has forked it ends, however it ends."""
    _check(_libc.prctl(_PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGKILL), 0, 0, 0), "prctl")


def follow_mounts() -> None:
    """Hide our mounts from others; their new mounts still appear here. Raises ``OSError``."""
    _mount("none", "/", "", _MS_REC_SLAVE)


def mount_proc() -> None:
    """Show the processes of this PID namespace in ``/proc``. Raises ``OSError``, as in containers that mask parts."""
    _mount("proc", "/proc", "proc", _MS_NOSUID_NODEV_NOEXEC)


def bind_null(path: str) -> None:
    """Make ``path`` lead to ``/dev/null``. Raises ``OSError``."""
    _mount("/dev/null", path, "", _MS_BIND)


def protect() -> None:
    """Forbid everybody in this mount namespace to write to file systems and to open devices, and mount nothing from
    outside.

    Raises ``OSError``; nothing has changed then.
    """
    _set_attributes("/", _AT_RECURSIVE, WRITING | DEVICES, 0, _MS_PRIVATE)


def allow(path: str, what: int) -> None:
    """Allow on the mount at ``path`` itself what ``protect`` has forbidden. Raises ``OSError``."""
    _set_attributes(path, 0, 0, what, 0)


def bind(descriptor: int, path: str) -> None:
    """Make ``path`` lead to an open file or folder of this mount namespace, with all below it. Raises ``OSError``."""
    _mount(f"/proc/self/fd/{descriptor}", path, "", _MS_BIND | _MS_REC)


def mount_memory(path: str) -> None:
    """Cover ``path`` with an empty folder in memory that everybody may use. Raises ``OSError``."""
    _mount("tmpfs", path, "tmpfs", _MS_NOSUID_NODEV, "mode=1777")


def mount_terminals(path: str) -> None:
    """Cover ``path`` with a folder for terminals that has none yet. Raises ``OSError``."""
    _mount("devpts", path, "devpts", _MS_NOSUID_NOEXEC, "newinstance,ptmxmode=0666,mode=0620")


def mount_over(path: str, shown: int, written: str, work: str) -> None:
    """Show the files of an open folder at ``path``; what is written there goes to ``written``. Raises ``OSError``."""
    data = f"lowerdir=/proc/self/fd/{shown},upperdir={written},workdir={work},userxattr"
    _mount("overlay", path, "overlay", _MS_NOSUID_NODEV, data)


def unmount(path: str) -> None:
    """Take away what is mounted at ``path``. Raises ``OSError``."""
    _check(_libc.umount2(os.fsencode(path), _MNT_DETACH), "umount2")


def drop_capabilities() -> None:
    """Give up, for good, the capabilities that could open a seal from within; see ``_KEPT_BY_ROOT``. Raises
    ``OSError``."""
    kept = _KEPT_BY_ROOT if os.geteuid() == 0 else frozenset[int]()
    for capability in range(_LAST_CAPABILITY + 1):
        if capability not in kept:
            _libc.prctl(_PR_CAPBSET_DROP, ctypes.c_ulong(capability), 0, 0, 0)
    low, high = (sum(1 << each % 32 for each in kept if each // 32 == word) for word in (0, 1))
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES_VERSION, 0)
    sets = (ctypes.c_uint32 * 6)(low, low, 0, high, high, 0)  # effective, permitted, inheritable; twice
    _check(_libc.capset(ctypes.byref(header), ctypes.byref(sets)), "capset")


def _mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    place, options = os.fsencode(target), data.encode() or None
    _check(_libc.mount(source.encode(), place, kind.encode() or None, ctypes.c_ulong(flags), options), "mount")


def _set_attributes(path: str, below: int, forbid: int, permit: int, propagation: int) -> None:
    attributes = (ctypes.c_uint64 * 4)(forbid, permit, propagation, 0)
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    result = _libc.syscall(
        ctypes.c_long(_MOUNT_SETATTR), _AT_FDCWD, os.fsencode(path), below, ctypes.byref(attributes), size
    )
    _check(result, "mount_setattr")


def _check(result: int, name: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
