"""Packages installed for a test: built as wheels, and unpacked into a folder that Python searches."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

__all__ = ["built", "environment"]


def built(package: Path, folder: Path) -> Path:
    """The folder in which the package's wheel is unpacked, which is how it is installed."""
    wheels = folder / "wheels"
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels)]
    subprocess.run(build, cwd=package, check=True, capture_output=True)
    (wheel,) = wheels.iterdir()
    zipfile.ZipFile(wheel).extractall(folder / "site")
    return folder / "site"


def environment(site: Path) -> Mapping[str, str]:
    """The variables of a process that finds what is installed in ``site``."""
    path = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path}
