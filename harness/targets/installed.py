"""Coding agents that are installed from npm into a folder of the harness: the targets ``cli:NAME``.

Each has a target file and the lock file of its packages, which come with the harness. Nothing of the user's own
installation of an agent is used, and nothing of it is changed.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from harness.disk import make_folder, problem
from harness.errors import BadInput
from harness.targets.base import Target
from harness.targets.extending import PREFIX
from harness.targets.node_drivers import version_of_node

__all__ = [
    "AGENTS",
    "file_of",
    "folder_of",
    "install",
    "installed_version",
    "open_agent",
    "package_of",
    "words_of_agent",
]

_FILES: Final = Path(__file__).resolve().parent / "agents"
_CACHE: Final = "HARNESS_AGENTS"
"""The variable that names another folder for the packages."""

_LOCK: Final = "package-lock.json"
_MANIFEST: Final = "package.json"
_DONE: Final = "installed"
"""The file that is written when everything is there; a folder without it is begun anew."""


_MACHINES: Final = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}


def _names() -> tuple[str, ...]:
    return tuple(sorted(each.stem for each in _FILES.glob("*.yaml")))


AGENTS: Final = _names()
"""The agents that come with a target file."""


def file_of(agent: str) -> Path:
    """The target file of an agent."""
    return _FILES / f"{agent}.yaml"


@cache
def package_of(agent: str) -> tuple[str, str]:
    """The agent's own npm package with the version that is locked."""
    manifest = json.loads((_FILES / agent / _MANIFEST).read_text(encoding="utf-8"))
    ((name, version),) = manifest["dependencies"].items()
    return name, version


def open_agent(agent: str) -> Target:
    """The target ``cli:AGENT``. Raises ``BadInput`` where it is not installed."""
    from harness.targets.file import open_file

    return open_file(file_of(agent), words_of_agent(agent), f"{PREFIX}{agent}")


def words_of_agent(agent: str) -> Mapping[str, str]:
    """What ``$package``, ``$platform`` and, where it is used, ``$node`` stand for.

    Raises ``BadInput`` where the agent is not installed.
    """
    if installed_version(agent) is None:
        name, version = package_of(agent)
        raise BadInput(
            f"--target {PREFIX}{agent}: {name} {version} is not installed; "
            f"type: harness targets install {PREFIX}{agent}"
        )
    words = {"package": str(folder_of(agent)), "platform": _platform()}
    return {**words, "node": _node(agent)} if "$node" in file_of(agent).read_text(encoding="utf-8") else words


def installed_version(agent: str) -> str | None:
    """The version of the agent that is installed; None where the locked one is not."""
    return package_of(agent)[1] if (folder_of(agent) / _DONE).is_file() else None


def install(agent: str) -> Path:
    """Install the locked packages of an agent, unless they are there. Returns their folder.

    No script of a package is run, npm checks each archive against the lock file, and nothing may be there that is not
    in it. (``npm ci`` would refuse a lock file without the packages for other machines.) Raises ``BadInput`` where
    there is no npm, where it fails, and where it has installed something else.
    """
    folder = folder_of(agent)
    if (folder / _DONE).is_file():
        return folder
    npm = shutil.which("npm")
    if npm is None:
        raise BadInput("there is no npm on PATH: install Node (https://nodejs.org), and type the command again")
    shutil.rmtree(folder, ignore_errors=True)
    make_folder(folder, "the folder of the agent's packages")
    for name in (_MANIFEST, _LOCK):
        shutil.copyfile(_FILES / agent / name, folder / name)
    words = [npm, "install", "--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--prefix", str(folder)]
    done = subprocess.run(words, cwd=folder, check=False, capture_output=True, text=True)  # noqa: S603 - fixed words
    if done.returncode:
        why = "\n".join(done.stderr.strip().splitlines()[-5:])
        raise BadInput(f"npm install in {folder} failed (exit code {done.returncode}): {why}")
    if others := _unlocked(agent, folder):
        raise BadInput(f"npm has installed in {folder} what the lock file does not have: {', '.join(others)}")
    try:
        (folder / _DONE).write_text("".join(f"{name} {version}\n" for name, version in [package_of(agent)]))
    except OSError as error:
        raise problem(error, str(folder)) from None
    return folder


def _unlocked(agent: str, folder: Path) -> list[str]:
    """The packages that npm says it has installed, and that the lock file does not have, or not these archives."""
    locked = json.loads((_FILES / agent / _LOCK).read_text(encoding="utf-8"))["packages"]
    try:
        there = json.loads((folder / "node_modules" / ".package-lock.json").read_text(encoding="utf-8"))["packages"]
    except (OSError, ValueError, KeyError):
        return ["no list of packages"]
    return [
        place for place, each in there.items() if each.get("integrity") != locked.get(place, {}).get("integrity", "")
    ]


def folder_of(agent: str) -> Path:
    """Where the packages of an agent are, or would be: a folder for each lock file, for a newer harness another."""
    lock = (_FILES / agent / _LOCK).read_bytes()
    return _cache() / f"{agent}-{package_of(agent)[1]}-{sha256(lock).hexdigest()[:12]}"


def _cache() -> Path:
    if own := os.environ.get(_CACHE):
        return Path(own)
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "agent-loop-harness" / "agents"


def _node(agent: str) -> str:
    """The node that runs the agent: one among its packages, else that of the user."""
    for found in sorted((folder_of(agent) / "node_modules").glob("node-*/bin/node")):
        if version_of_node(str(found)) is not None:
            return str(found)
    since, node = _since(agent), shutil.which("node")
    version = None if node is None else version_of_node(node)
    if node is None or version is None or int(version.partition(".")[0]) < since:
        here = "there is none on PATH" if version is None else f"{node} is {version}"
        raise BadInput(
            f"--target {PREFIX}{agent} needs node {since} or newer, and {here}: put a newer one first on PATH"
        )
    return node


def _platform() -> str:
    """The machine in the words of npm packages: ``linux-x64``."""
    machine = platform.machine().lower()
    return f"{platform.system().lower()}-{_MACHINES.get(machine, machine)}"


@cache
def _since(agent: str) -> int:
    """The oldest major version of node that runs the agent."""
    manifest = json.loads((_FILES / agent / _MANIFEST).read_text(encoding="utf-8"))
    wanted: str = manifest["engines"]["node"]
    return int(wanted.removeprefix(">="))
