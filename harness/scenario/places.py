"""Where scenarios are: the shipped ones, and the files that a user's paths stand for."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path


@cache
def shipped() -> Path:
    """The folder of the scenarios that come with the harness."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "_data" / "scenarios"
    return installed if installed.is_dir() else package.parent / "scenarios"


def files(paths: Iterable[Path], problems: list[str]) -> list[tuple[Path, Path]]:
    """Every scenario file once, sorted, with the folder that its includes must stay in.

    That folder is the one that was given; for a file given by itself it is the file's own, and for a shipped one
    the shipped folder. What cannot be found is added to ``problems``.
    """
    found: dict[object, tuple[Path, Path]] = {}
    for path in paths:
        if path.is_dir():
            below = sorted(path.rglob("*.yaml"))
            if not below:
                problems.append(f"{path}: expected a folder with *.yaml files, got none in it; correct the path")
            for file in below:
                if file.is_symlink() and not file.resolve().is_relative_to(path.resolve()):
                    remedy = "copy the file, or name it by itself"
                    problems.append(f"{file}: expected a file inside {path}, got a link that leads out of it; {remedy}")
                else:
                    found.setdefault(_identity(file), (file, path))
        elif path.is_file():
            inside = path.resolve().is_relative_to(shipped().resolve())
            found.setdefault(_identity(path), (path, shipped() if inside else path.parent))
        else:
            problems.append(f"{path}: expected a scenario file or a folder, got nothing there; correct the path")
    return sorted(found.values())


def _identity(file: Path) -> object:
    """The same for two ways to one file. (To resolve hundreds of paths takes a third of what it takes to list them.)"""
    try:
        status = file.stat()
    except OSError:  # a link that leads nowhere; whoever opens it says so
        return file.resolve()
    return status.st_dev, status.st_ino
