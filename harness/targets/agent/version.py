"""The version of a program, as it says itself."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

__all__ = ["version_of"]

_SECONDS: Final = 60
_VERSION: Final = re.compile(r"\b(\d+\.\d+(?:\.\d+)?(?:[-.+][\w.-]+)?)")


def version_of(command: Sequence[str], directory: Path | None, environment: Mapping[str, str]) -> str | None:
    """The first word of its output that looks like a version; None where the program prints none."""
    try:
        printed = subprocess.run(  # noqa: S603 - the command of the user's own file
            command,
            cwd=directory,
            env=environment,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        ).stdout
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return None
    found = _VERSION.search(printed)
    return found and found[1]
