"""Whether loops are sealed: what the user asks for, and what this machine allows."""

from __future__ import annotations

import errno
import sys
from functools import cache
from pathlib import Path
from typing import Final, Literal

from harness.errors import BadInput, HarnessError

__all__ = ["Sealing", "is_sealed", "refusal"]

Sealing = Literal["required", "possible", "off"]
"""``--isolate``, neither, and ``--no-isolate``: loops must be sealed, are where the machine allows it, or are not."""

_SWITCHES: Final = (
    ("kernel/apparmor_restrict_unprivileged_userns", "1"),
    ("kernel/unprivileged_userns_clone", "0"),
    ("user/max_user_namespaces", "0"),
    ("user/max_net_namespaces", "0"),
    ("user/max_pid_namespaces", "0"),
)
"""Settings of the kernel, with the value that forbids a seal."""

_FORBIDDEN: Final = (errno.EPERM, errno.EACCES, errno.ENOSPC, errno.EUSERS)


def is_sealed(sealing: Sealing) -> bool:
    """Whether loops are to be sealed here. Raises ``BadInput`` where they must be, and cannot."""
    if sealing == "off":
        return False
    why = refusal()
    if why and sealing == "required":
        raise BadInput(
            f"--isolate: loops cannot be sealed on this machine: {why}; allow it there (docs/own-loop.md, 'A sealed "
            "run'), or leave --isolate out"
        )
    return not why


@cache
def refusal() -> str:
    """Why no seal can be made on this machine, in words; empty where one can. Asked once in a process: it tries."""
    if not sys.platform.startswith("linux"):
        return "it takes namespaces, which Linux has"
    from harness.sealing.commands import SealRefused, Spawner

    try:
        Spawner().close()
    except SealRefused as refused:
        return _why(refused)
    except (HarnessError, OSError) as problem:
        return str(problem)
    return ""


def _why(refused: SealRefused) -> str:
    if refused.number not in _FORBIDDEN:
        return str(refused)
    for name, value in _SWITCHES:
        if _setting(name) == value:
            return f"{refused} ({name.replace('/', '.')} is {value})"
    return f"{refused} (a container forbids it, or the kernel does)"


def _setting(name: str) -> str:
    try:
        return (Path("/proc/sys") / name).read_text(encoding="ascii").strip()
    except OSError:
        return ""
