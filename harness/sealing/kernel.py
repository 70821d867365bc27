"""The system calls of a seal that Python has no functions for, by way of libc. Linux only."""

from __future__ import annotations

import ctypes
import os
import signal
from typing import Final

__all__ = [
    "CLONE_NEWNET",
    "CLONE_NEWNS",
    "CLONE_NEWPID",
    "CLONE_NEWUSER",
    "bind_null",
    "die_with_parent",
    "drop_capabilities",
    "enter_namespace",
    "follow_mounts",
    "mount_proc",
    "unshare",
]

CLONE_NEWNS: Final = 0x00020000
CLONE_NEWUSER: Final = 0x10000000
CLONE_NEWPID: Final = 0x20000000
CLONE_NEWNET: Final = 0x40000000

_PR_SET_PDEATHSIG: Final = 1
_PR_CAPBSET_DROP: Final = 24

_MS_NOSUID_NODEV_NOEXEC: Final = 2 | 4 | 8
_MS_BIND: Final = 4096
_MS_REC_SLAVE: Final = 16384 | (1 << 19)

_CAPABILITIES_VERSION: Final = 0x20080522
_LAST_CAPABILITY: Final = 63
"""Of those that the version can say; a kernel that has fewer refuses the rest."""

_KEPT_BY_ROOT: Final = frozenset({0, 1, 2, 3, 4, 5, 6, 7, 10, 31})
"""What programs of root do with files, users and low ports: CHOWN, DAC_OVERRIDE, DAC_READ_SEARCH, FOWNER, FSETID, KILL,
SETGID, SETUID, NET_BIND_SERVICE and SETFCAP. None of them opens a seal."""

_libc = ctypes.CDLL(None, use_errno=True)


def unshare(flags: int) -> None:
    """Put this process (for ``CLONE_NEWPID``: its next children) into new namespaces. Raises ``OSError``."""
    _checked(_libc.unshare(flags), "unshare")


def enter_namespace(descriptor: int, kind: int) -> None:
    """Join the namespace of an open file of ``/proc/PID/ns``. Raises ``OSError``."""
    _checked(_libc.setns(descriptor, kind), "setns")


def die_with_parent() -> None:
    """Have the kernel kill this process as soon as the thread that has forked it ends, however it ends."""
    _checked(_libc.prctl(_PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGKILL), 0, 0, 0), "prctl")


def follow_mounts() -> None:
    """Keep what is mounted here from others; what others mount still appears here. Raises ``OSError``."""
    _mount("none", "/", "", _MS_REC_SLAVE)


def mount_proc() -> None:
    """Show the processes of this PID namespace in ``/proc``. Raises ``OSError``, as in containers that mask parts."""
    _mount("proc", "/proc", "proc", _MS_NOSUID_NODEV_NOEXEC)


def bind_null(path: str) -> None:
    """Let ``path`` lead to ``/dev/null``. Raises ``OSError``."""
    _mount("/dev/null", path, "", _MS_BIND)


def drop_capabilities() -> None:
    """Give up, for good, what a seal could be opened with from within; see ``_KEPT_BY_ROOT``. Raises ``OSError``."""
    kept = _KEPT_BY_ROOT if os.geteuid() == 0 else frozenset[int]()
    for capability in range(_LAST_CAPABILITY + 1):
        if capability not in kept:
            _libc.prctl(_PR_CAPBSET_DROP, ctypes.c_ulong(capability), 0, 0, 0)
    low, high = (sum(1 << each % 32 for each in kept if each // 32 == word) for word in (0, 1))
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES_VERSION, 0)
    sets = (ctypes.c_uint32 * 6)(low, low, 0, high, high, 0)  # effective, permitted, inheritable; twice
    _checked(_libc.capset(ctypes.byref(header), ctypes.byref(sets)), "capset")


def _mount(source: str, target: str, kind: str, flags: int) -> None:
    place = os.fsencode(target)
    _checked(_libc.mount(source.encode(), place, kind.encode() or None, ctypes.c_ulong(flags), None), "mount")


def _checked(result: int, name: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
