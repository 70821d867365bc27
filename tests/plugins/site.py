"""Packages installed for a test: built as wheels, and unpacked into a folder that Python searches.

A command that finds them is a fork of a process that has done the imports (``tests/fork_server.py``), but for wires:
they are found when the harness is imported, which a ``bare`` one does itself.
"""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

from tests.commands import run_harness


def built(package: Path, folder: Path) -> Path:
    """The folder in which the package's wheel is unpacked, which is how it is installed."""
    wheels = folder / "wheels"
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels)]
    subprocess.run(build, cwd=package, check=True, capture_output=True)
    (wheel,) = wheels.iterdir()
    zipfile.ZipFile(wheel).extractall(folder / "site")
    return folder / "site"


def harness(site: Path, *words: str | Path, cwd: Path, bare: bool = False) -> tuple[int, str, str]:
    """How ``harness WORDS`` ends where the packages in ``site`` are installed, and what it prints."""
    done = run_harness(*words, cwd=cwd, env=_environment(site), bare=bare)
    return done.returncode, done.stdout, done.stderr


def anew(site: Path, *words: str | Path, cwd: Path, module: str = "harness") -> tuple[int, str, str]:
    """The same of ``python -m MODULE WORDS`` in a new process."""
    command = [sys.executable, "-m", module, *map(str, words)]
    done = subprocess.run(command, cwd=cwd, env=_environment(site), capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def _environment(site: Path) -> Mapping[str, str]:
    """The variables of a process that finds what is installed in ``site``."""
    path = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path}
