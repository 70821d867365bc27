"""Whether loops are sealed: what the user asks for, and what this machine allows."""

from __future__ import annotations

import errno
import sys
from functools import cache
from pathlib import Path
from typing import Final, Literal

from harness.errors import BadInput, HarnessError
from harness.sealing.errors import SealRefused

Sealing = Literal["required", "possible", "off"]
"""``--isolate``, neither option, and ``--no-isolate``: loops must be sealed, are sealed if possible, or are not
sealed."""

_SWITCHES: Final = (
    ("kernel/apparmor_restrict_unprivileged_userns", "1"),
    ("kernel/unprivileged_userns_clone", "0"),
    ("user/max_user_namespaces", "0"),
    ("user/max_net_namespaces", "0"),
    ("user/max_pid_namespaces", "0"),
)
"""Settings of the kernel, with the value that forbids a seal."""

_FORBIDDEN: Final = (errno.EPERM, errno.EACCES, errno.ENOSPC, errno.EUSERS)


def unsealed(asked: Sealing, obstacle: str = "") -> str:
    """Why loops are not sealed here; empty if they are. ``obstacle`` is a reason that the caller knows, if any.

    Raises ``BadInput`` if they must be sealed, and cannot be.
    """
    if asked == "off":
        return "--no-isolate"
    why = obstacle or refusal()
    if why and asked == "required":
        raise BadInput(
            f"--isolate: the loop cannot be sealed: {why}; change that (docs/own-loop.md, 'A sealed run'), or leave "
            "--isolate out"
        )
    return why


@cache
def refusal() -> str:
    """Why no seal can be made on this machine, in words; empty if one can. Each process tries it once."""
    if not sys.platform.startswith("linux"):
        return "it takes namespaces, which Linux has"
    from harness.sealing.commands import Spawner

    try:
        Spawner().close()
    except SealRefused as refused:
        return _explanation_of(str(refused), refused.number)
    except (HarnessError, OSError) as problem:
        return str(problem)
    return ""


@cache
def files_stay_open() -> str:
    """Why a sealed command cannot be kept from writing files here, in words; empty if it can. It is tried once."""
    from harness.sealing.commands import Spawner

    spawner = Spawner()
    try:
        return spawner.files_stay_open()
    finally:
        spawner.close()


def _explanation_of(why: str, number: int) -> str:
    """The error of a system call, with the setting of the kernel that may be its reason."""
    if number not in _FORBIDDEN:
        return why
    for name, value in _SWITCHES:
        if _setting(name) == value:
            return f"{why} ({name.replace('/', '.')} is {value})"
    return f"{why} (a container forbids namespaces, or the kernel does)"


def _setting(name: str) -> str:
    try:
        return (Path("/proc/sys") / name).read_text(encoding="ascii").strip()
    except OSError:
        return ""
